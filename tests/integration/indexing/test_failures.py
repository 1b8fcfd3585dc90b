"""What goes wrong is said, changes nothing that searchers see, and is made good by a later run."""

from __future__ import annotations

import datetime as dt
import socket
from dataclasses import replace

import pytest

from demo_site import expected
from demo_site.faults import Fault
from site_indexer.errors import (
    ScriptError,
    ScriptUnreachableError,
    SiteIndexerError,
    StoreUnreachableError,
    TransientError,
)
from site_indexer.index_script.model import Action
from site_indexer.index_store.names import SiteNames
from site_indexer.indexing.crawling import crawl
from site_indexer.indexing.plan_making import make_plan
from site_indexer.indexing.publishing import publish
from site_indexer.indexing.reviewing import review
from site_indexer.indexing.run import run
from site_indexer.indexing.script_reading import read_script
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.planning.selection import ScriptDiagnosticsError
from tests.integration.indexing.conftest import NOW, Workbench

LATER = NOW + dt.timedelta(minutes=1)


def assert_untouched_then_made_good(
    workbench: Workbench, error: type[SiteIndexerError], fault: Fault
) -> SiteIndexerError:
    workbench.run()
    change = workbench.web.change(NOW)
    state = (workbench.generation(), workbench.watermark(), workbench.documents())
    workbench.web.faults.set("/indexlist.txt", fault)
    with pytest.raises(error) as caught:
        workbench.run(now=LATER)
    assert (workbench.generation(), workbench.watermark(), workbench.documents()) == state
    workbench.web.faults.clear()
    workbench.run(now=LATER)
    stored = workbench.documents()
    assert expected.after_run(workbench.web.url, (change.date,)).problems(stored) == []
    return caught.value


def test_a_script_with_errors_names_every_one_and_changes_nothing(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    """docs/spec/03-planning.md, 3.4: in the log, each once, with the line's text."""
    body = b"date Mon, 30 Nov 2026 11:00:00 GMT\nadd ftp://h/\nfrobnicate\n"
    error = assert_untouched_then_made_good(workbench, ScriptError, Fault(status=200, body=body))
    assert "line 2" in str(error)
    assert isinstance(error, ScriptDiagnosticsError)
    assert [found.line for found in error.diagnostics] == [2, 3]
    for place in (":2:5: ", ":3:1: "):
        assert sum(place in record.getMessage() for record in caplog.records) == 1
    assert f"{workbench.web.url}/indexlist.txt" in str(error)


def test_an_unreachable_script_is_said_and_changes_nothing(workbench: Workbench) -> None:
    error = assert_untouched_then_made_good(
        workbench, ScriptUnreachableError, Fault(status=503, body=b"busy")
    )
    assert "indexlist.txt" in str(error)
    assert error.exit_status == 3


def test_a_web_page_in_place_of_a_script_changes_nothing(workbench: Workbench) -> None:
    page = b"<!DOCTYPE html><html><body>Soft 404</body></html>"
    assert_untouched_then_made_good(workbench, ScriptError, Fault(status=200, body=page))


def test_an_empty_script_changes_nothing(workbench: Workbench) -> None:
    assert_untouched_then_made_good(workbench, ScriptError, Fault(status=200, body=b" \n"))


def test_opensearch_that_is_down_is_said_with_its_address(workbench: Workbench) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{probe.getsockname()[1]}"
    settings = Settings.from_environment(
        {}, sites_dir=workbench.collaborators.sites_dir, opensearch_url=address
    )
    with pytest.raises(StoreUnreachableError, match=address):
        run(build_collaborators(settings=settings), workbench.request())


def test_a_full_disk_is_said_and_the_next_run_makes_it_good(workbench: Workbench) -> None:
    workbench.run()
    change = workbench.web.change(NOW)
    state = (workbench.generation(), workbench.watermark(), workbench.documents())
    request = replace(workbench.request(), now=LATER)
    read = read_script(workbench.collaborators, request)
    assert read.digest is not None
    make_plan(workbench.collaborators, request, read.digest)
    changes = SiteNames(workbench.site).changes(read.digest)
    indices = workbench.collaborators.client.indices
    # What OpenSearch itself does to an index when the disk passes its flood stage.
    indices.put_settings(index=changes, body={"index.blocks.read_only_allow_delete": True})
    with pytest.raises(TransientError, match="disk"):
        crawl(workbench.collaborators, request, read.digest, Action.ADD)
    assert (workbench.generation(), workbench.watermark(), workbench.documents()) == state
    indices.put_settings(index=changes, body={"index.blocks.read_only_allow_delete": None})
    workbench.run(now=LATER)
    stored = workbench.documents()
    assert expected.after_run(workbench.web.url, (change.date,)).problems(stored) == []


def test_a_task_that_did_not_finish_keeps_the_run_from_publishing(workbench: Workbench) -> None:
    request = workbench.request()
    read = read_script(workbench.collaborators, request)
    assert read.digest is not None
    make_plan(workbench.collaborators, request, read.digest)
    with pytest.raises(SiteIndexerError, match="lacks the records of"):
        review(workbench.collaborators, request, read.digest)


def test_publishing_twice_is_publishing_once(workbench: Workbench) -> None:
    request = workbench.request()
    digest = workbench.prepare(request)
    first = publish(workbench.collaborators, request, digest)
    again = publish(workbench.collaborators, request, digest)
    assert again.generation == first.generation == workbench.generation()
    assert again.watermark_after == first.watermark_after
