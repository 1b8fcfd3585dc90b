"""What an owner asked for and could not be fetched is tried again, not lost (5.18)."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from demo_site.faults import Fault
from site_indexer.errors import RunFailedError
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.retrying import retry_list
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve

DAY = dt.timedelta(days=1)
# Unlike after 503 a host is not left alone for a while.
DOWN = Fault(status=500, body=b"busy", headers=(("Content-Type", "text/plain"),))


def waiting(workbench: Workbench, target: Target = Target.LIVE) -> list[Any]:
    listed = retry_list(workbench.collaborators, workbench.site, target)
    return [each["url"].removeprefix(workbench.web.url) for each in listed]


def fail(workbench: Workbench, *numbers: int) -> None:
    for number in numbers:
        workbench.web.faults.set(f"/p/{number}", DOWN)


def test_a_page_that_fails_is_tried_by_the_next_run_though_nothing_is_new(
    workbench: Workbench,
) -> None:
    serve(workbench, range(6))
    fail(workbench, 3)
    workbench.use_script(*script_of(adding(range(6))))
    first = workbench.run()
    assert (first.status, first.watermark_after) == (RunStatus.PUBLISHED, "2026-01-01T10:00:00Z")
    assert pages(workbench) == {0, 1, 2, 4, 5}
    assert waiting(workbench) == ["/p/3"]

    serve(workbench, [3])
    workbench.web.requests.clear()
    again = workbench.run()
    assert again.status is RunStatus.PUBLISHED
    fetched = {access.path for access in workbench.web.requests.all()}
    assert fetched == {"/indexlist.txt", "/robots.txt", "/p/3"}
    assert pages(workbench) == set(range(6))
    assert waiting(workbench) == []
    assert workbench.watermark() == day(0)
    assert workbench.run().status is RunStatus.UNCHANGED


def test_it_is_read_with_the_rules_and_flags_of_its_own_block(workbench: Workbench) -> None:
    links = b'<title>List</title><main><a href="/p/1">1</a> <a href="/p/2">2</a> text</main>'
    html = (("Content-Type", "text/html"),)
    serve(workbench, [1, 2, 4])
    workbench.web.faults.set("/p/0", DOWN)
    workbench.use_script(
        *script_of(["exclude {web}/p/2", "include {web}/", "add {web}/p/0", *adding([4])])
    )
    workbench.run()
    workbench.web.faults.set("/p/0", Fault(200, links, html))
    workbench.run()
    assert pages(workbench) == {0, 1, 4}


def test_a_newer_block_wins_over_one_that_is_retried(workbench: Workbench) -> None:
    serve(workbench, range(6))
    fail(workbench, 3)
    first = adding(range(6))
    workbench.use_script(*script_of(first))
    workbench.run()
    serve(workbench, [3])
    workbench.use_script(*script_of(first, ["delete {web}/p/3"]))
    workbench.web.requests.clear()
    workbench.run()
    assert pages(workbench) == {0, 1, 2, 4, 5}
    assert "/p/3" not in {access.path for access in workbench.web.requests.all()}
    assert waiting(workbench) == []


def test_an_update_that_fails_leaves_the_document_and_is_tried_again(workbench: Workbench) -> None:
    serve(workbench, range(6))
    blocks = [adding(range(6)), ["update {web}/p/ nofollow"]]
    workbench.use_script(*script_of(blocks[0]))
    workbench.run()
    before = workbench.comparable()
    fail(workbench, 3)
    workbench.use_script(*script_of(*blocks))
    workbench.run()
    assert workbench.comparable() == before
    assert waiting(workbench) == ["/p/3"]
    html = (("Content-Type", "text/html"),)
    workbench.web.faults.set("/p/3", Fault(200, b"<title>New</title><main>New.</main>", html))
    workbench.run()
    assert workbench.documents()[f"{workbench.web.url}/p/3"]["title"] == "New"


def test_after_retry_for_it_is_given_up_with_an_error_and_runs_end_early_again(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    many = adding(range(30))
    serve(workbench, range(30))
    fail(workbench, *range(0, 30, 6))
    workbench.use_script(*script_of(many))
    workbench.run()
    assert len(waiting(workbench)) == 5
    # Five of five fail; they have been counted against the run that named them.
    assert workbench.run(now=NOW + DAY).status is RunStatus.UNCHANGED
    assert len(waiting(workbench)) == 5
    with caplog.at_level("ERROR"):
        workbench.run(now=NOW + 3 * DAY)
    given_up = [each.getMessage() for each in caplog.records if "given up" in each.getMessage()]
    assert len(given_up) == 5
    assert "line 2: " in given_up[0]
    assert "3 tries" in given_up[0]
    assert waiting(workbench) == []
    workbench.web.requests.clear()
    assert workbench.run(now=NOW + 3 * DAY).status is RunStatus.UNCHANGED
    assert {access.path for access in workbench.web.requests.all()} == {"/indexlist.txt"}


def test_a_run_that_publishes_nothing_leaves_its_blocks_to_the_next(workbench: Workbench) -> None:
    serve(workbench, range(6))
    fail(workbench, *range(6))
    workbench.use_script(*script_of(adding(range(6))))
    with pytest.raises(RunFailedError, match="could not be fetched"):
        workbench.run()
    assert waiting(workbench) == []
    assert workbench.watermark() is None
    serve(workbench, range(6))
    workbench.run()
    assert pages(workbench) == set(range(6))


def test_what_is_met_only_as_a_link_is_not_listed(workbench: Workbench) -> None:
    html = (("Content-Type", "text/html"),)
    workbench.web.faults.set("/p/0", Fault(200, b'<main>text <a href="/p/1">1</a></main>', html))
    fail(workbench, 1)
    workbench.use_script(*script_of(["include {web}/", "add {web}/p/0"]))
    workbench.run()
    assert waiting(workbench) == []


def test_a_dry_run_shows_it_and_changes_nothing(workbench: Workbench) -> None:
    serve(workbench, range(6))
    fail(workbench, 3)
    workbench.use_script(*script_of(adding(range(6))))
    workbench.run()
    before = retry_list(workbench.collaborators, workbench.site, Target.LIVE)
    workbench.run(dry_run=True)
    assert retry_list(workbench.collaborators, workbench.site, Target.LIVE) == before
