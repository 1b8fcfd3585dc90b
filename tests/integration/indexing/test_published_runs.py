"""What a run that publishes leaves: on its generation, in its log, and for the next run (5.4)."""

from __future__ import annotations

import hashlib

from demo_site.faults import Fault
from site_indexer.index_store.generations import Generation, describe
from site_indexer.index_store.log_entries import Level
from site_indexer.index_store.log_store import LogStore
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.model import RunStatus
from tests.integration.indexing.conftest import Workbench
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve


def shown(workbench: Workbench) -> Generation:
    names = SiteNames(workbench.site)
    found = describe(workbench.collaborators.client, names, names.alias(Target.LIVE))
    assert found is not None
    return found


def test_a_generation_says_which_script_it_was_made_from(workbench: Workbench) -> None:
    serve(workbench, range(2))
    digests = []
    for count in (1, 2):
        lines = script_of(*[adding([number]) for number in range(count)])
        workbench.use_script(*lines)
        workbench.run()
        served = "\n".join(lines).replace("{web}", workbench.web.url) + "\n"
        digests.append(hashlib.sha256(served.encode()).hexdigest())
        meta = shown(workbench).meta
        assert meta["script_url"] == f"{workbench.web.url}/indexlist.txt"
        assert meta["script_digest"] == digests[-1]
    assert len(set(digests)) == 2


def test_each_run_of_a_site_that_remembers_no_date_takes_all_blocks(workbench: Workbench) -> None:
    workbench.fields["reading"] = {"remember_date": False}
    workbench.write_file()
    serve(workbench, range(3))
    workbench.use_script(*script_of(adding([0]), adding([1])))
    assert workbench.run().status is RunStatus.PUBLISHED
    assert workbench.watermark() == day(1)
    workbench.web.requests.clear()
    assert workbench.run().status is RunStatus.UNCHANGED
    assert {"/p/0", "/p/1"} <= {access.path for access in workbench.web.requests.all()}
    # A block before the others is as new as they.
    workbench.use_script(*script_of([*adding([0]), *adding([2])], adding([1])))
    assert workbench.run().status is RunStatus.PUBLISHED
    assert pages(workbench) == {0, 1, 2}
    assert workbench.watermark() == day(1)


def test_a_document_that_opensearch_rejects_is_an_error_line_of_a_run_that_publishes(
    workbench: Workbench,
) -> None:
    serve(workbench, range(1))
    workbench.use_script(*script_of(adding([0])))
    generation = workbench.run().generation
    # The field is a number there, and stays so in what is cloned from it.
    number = {"properties": {"fields": {"properties": {"price": {"type": "integer"}}}}}
    workbench.collaborators.client.indices.put_mapping(index=generation, body=number)
    workbench.fields["extract"] = {"content": ["main"], "fields": {"price": "h1"}}
    workbench.write_file()
    for page, price in ((1, "many"), (2, "7")):
        body = f"<html><title>{page}</title><main><h1>{price}</h1>Page {page}.</main></html>"
        html = ("Content-Type", "text/html; charset=utf-8")
        workbench.web.faults.set(f"/p/{page}", Fault(200, body.encode(), (html,)))
    workbench.use_script(*script_of(adding([0]), adding([1, 2])))
    request = workbench.request()
    result = workbench.run_request(request)
    assert (result.status, result.counts["rejected"]) == (RunStatus.PUBLISHED, 1)
    assert pages(workbench) == {0, 2}
    assert workbench.watermark() == day(1)

    store = LogStore(workbench.collaborators.client)
    header = store.run(workbench.site, request.run_id)
    assert header is not None
    assert header.status == "published"
    errors = list(store.all(header.run, errors_only=True))
    assert [(each.level, each.action) for each in errors] == [(Level.ERROR, "publish")]
    assert "rejected" in errors[0].message
    assert "price" in errors[0].message
