"""Whole runs of a site's script against a real OpenSearch and a real website."""

from __future__ import annotations

import datetime as dt

from demo_site import expected
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunStatus
from tests.integration.indexing.conftest import NOW, Workbench


def test_a_first_run_indexes_what_the_site_says_and_nothing_else(workbench: Workbench) -> None:
    result = workbench.run()
    assert result.status is RunStatus.PUBLISHED
    documents = workbench.documents()
    assert expected.after_run(workbench.web.url).problems(documents) == []
    assert result.counts["documents"] == len(documents)
    assert result.watermark_after is not None


def test_titles_and_languages_are_those_of_the_pages(workbench: Workbench) -> None:
    workbench.run()
    wanted = expected.after_run(workbench.web.url).documents
    fields = ("url", "title", "language", "aliases")
    live = StoredDocuments(workbench.collaborators.client, f"{workbench.site}.live")
    for stored in live.all(fields=fields):
        page = wanted.get(stored["url"])
        if page is not None:
            assert set(stored["aliases"] or ()) == set(page.aliases), stored["url"]
            if page.language is not None:
                assert stored["language"] == page.language, stored["url"]
            if page.title is not None:
                assert stored["title"] == page.title, stored["url"]


def test_a_search_finds_other_forms_of_words(workbench: Workbench) -> None:
    workbench.run()
    live = StoredDocuments(workbench.collaborators.client, f"{workbench.site}.live")
    tours = live.search("touring nights").hits
    assert f"{workbench.web.url}/en/visit/night-tours.html" in {hit.url for hit in tours}


def test_a_second_run_finds_nothing_new_and_fetches_no_page(workbench: Workbench) -> None:
    workbench.run()
    generation = workbench.generation()
    workbench.web.requests.clear()
    result = workbench.run()
    assert result.status is RunStatus.UNCHANGED
    assert workbench.generation() == generation
    assert {access.path for access in workbench.web.requests.all()} == {"/indexlist.txt"}


def test_a_changed_site_is_followed_by_the_block_that_says_so(workbench: Workbench) -> None:
    workbench.run()
    change = workbench.web.change(NOW)
    before = workbench.documents()
    result = workbench.run(now=NOW + dt.timedelta(minutes=1))
    after = workbench.documents()
    assert result.status is RunStatus.PUBLISHED
    assert expected.after_run(workbench.web.url, (change.date,)).problems(after) == []
    for url in change.updated:
        assert after[url]["content_digest"] != before[url]["content_digest"]
    assert workbench.watermark() == change.date


def test_clear_date_reads_all_again_and_publishes_nothing_where_nothing_changed(
    workbench: Workbench,
) -> None:
    block = "date Tue, 06 Jan 2026 10:00:00 GMT", "include {web}/", "add {web}/"
    workbench.use_script(*block, "", "date Wed, 07 Jan 2026 10:00:00 GMT")
    workbench.run()
    generation, watermark = workbench.generation(), workbench.watermark()
    documents = workbench.documents()
    workbench.use_script(*block)
    result = workbench.run(clear_date=True)
    assert result.status is RunStatus.UNCHANGED
    assert workbench.generation() == generation
    assert workbench.documents() == documents
    assert result.counts["not_modified"] > 0
    assert workbench.watermark() == dt.datetime(2026, 1, 6, 10, tzinfo=dt.UTC) != watermark


def test_a_dry_run_writes_nothing(workbench: Workbench) -> None:
    indices = f"{workbench.site}.*"
    result = workbench.run(dry_run=True)
    assert result.status is RunStatus.DRY_RUN
    assert workbench.collaborators.client.indices.get(index=indices) == {}
    assert workbench.watermark() is None
    assert {a.path for a in workbench.web.requests.all()} == {"/indexlist.txt"}


def test_a_staged_run_leaves_live_alone(workbench: Workbench) -> None:
    workbench.run()
    live = workbench.documents()
    change = workbench.web.change(NOW)
    staged_result = workbench.run(target=Target.STAGED, now=NOW + dt.timedelta(minutes=1))
    assert staged_result.alias == f"{workbench.site}.staged"
    assert workbench.documents() == live
    staged = workbench.documents(Target.STAGED)
    assert expected.after_run(workbench.web.url, (change.date,)).problems(staged) == []


def test_each_action_does_exactly_what_it_says(workbench: Workbench) -> None:
    workbench.run()
    web = workbench.web.url
    before = set(workbench.documents())
    english = sorted(url for url in before if url.startswith(f"{web}/en/services/"))
    spanish = {url for url in before if url.startswith(f"{web}/es/")}
    assert len(english) > 2
    assert spanish
    workbench.web.requests.clear()
    workbench.use_script(
        "date Mon, 30 Nov 2026 10:00:00 GMT",
        f"exclude {english[2]}",
        f"delete {english[0]} {english[1]}",
        "deletemask {web}/es/",
        # Without nofollow its links would lead to what the block deletes, and bring it back.
        "update {web}/en/services/ nofollow",
    )
    workbench.run()
    after = set(workbench.documents())
    assert before - after == {english[0], english[1]} | spanish
    assert after - before == set()
    fetched = {f"{web}{access.path}" for access in workbench.web.requests.all()}
    assert english[2] not in fetched
    assert set(english[3:]) <= fetched
