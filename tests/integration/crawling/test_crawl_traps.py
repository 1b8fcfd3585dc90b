"""Sites without end: a crawl ends at its limits, and names which, and where they were reached."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator

import pytest

from site_indexer.crawling import limits, spreading
from tests.integration.crawling.crawling_case import Case, rule, rules
from tests.integration.crawling.small_site import small_site


@pytest.fixture
def case() -> Iterator[Case]:
    with small_site() as site:
        site.page("/", links=["/good/1", "/good/2", "/calendar/2024-06-01", "/list?sid=0", "/x/"])
        site.page("/good/1")
        site.page("/good/2")
        yield Case(site)


def calendar(case: Case, path: str) -> None:
    """Each day leads to the next, and to the same days of the years around."""
    day = dt.date.fromisoformat(path.removeprefix("/calendar/"))
    steps = (1, -1, 365, -365, 7, -7)
    links = [f"/calendar/{day + dt.timedelta(days=step)}" for step in steps]
    case.site.page(path, links=links)


def sessions(case: Case, path: str) -> None:
    """Each page is the same, and leads to itself under new sessions."""
    number = int(path.removeprefix("/list?sid="))
    links = [f"/list?sid={3 * number + n}" for n in (1, 2, 3)]
    case.site.page(path, f"The list, {number}", links=links)


def paths(case: Case, path: str) -> None:
    """A relative link that is below itself."""
    case.site.page(path, links=["x/", "y/"])


TRAPS = {"/calendar/": calendar, "/list?": sessions, "/x/": paths}


@pytest.mark.parametrize("start", TRAPS)
def test_the_limit_of_pages_ends_a_trap_and_names_it(
    case: Case, start: str, caplog: pytest.LogCaptureFixture
) -> None:
    case.site.made_up = lambda path: path.startswith(start) and TRAPS[start](case, path)
    with caplog.at_level(logging.ERROR, "site_indexer.crawling"):
        counts = case.run(max_pages=60, max_depth=1_000)

    assert counts.fetched == 60
    assert {"/", "/good/1", "/good/2"} <= set(case.stored())
    limit, place = (record.getMessage() for record in caplog.records)
    assert limit.startswith("small: max_pages (60) is reached: ")
    assert limit == f"small: {counts.limit_reached}"
    assert f"begin with {case.site.url}{start}. " in place
    assert f"exclude {case.site.url}{start}*" in place


@pytest.mark.parametrize("start", ["/calendar/", "/x/"])
def test_the_limit_of_depth_ends_a_trap_and_names_it(
    case: Case, start: str, caplog: pytest.LogCaptureFixture
) -> None:
    case.site.made_up = lambda path: path.startswith(start) and TRAPS[start](case, path)
    with caplog.at_level(logging.ERROR, "site_indexer.crawling"):
        counts = case.run(max_depth=4)

    assert {"/", "/good/1", "/good/2"} <= set(case.stored())
    assert (counts.limit_reached or "").startswith("max_depth (4) is reached: ")
    assert f"begin with {case.site.url}{start}. " in caplog.records[-1].getMessage()


def test_links_without_number_are_not_all_kept(
    case: Case, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(limits, "_QUEUED_AT_LEAST", 20)
    case.site.page("/", links=["/good/1", *(f"/many/{n}" for n in range(100)), "/good/2"])
    case.site.made_up = lambda path: path.startswith("/many/") and case.site.page(path)

    counts = case.run(max_pages=10)

    assert counts.fetched == 10
    assert "/good/1" in case.stored()
    assert "more than 60 URLs wait: 42 links to others are not kept" in (counts.limit_reached or "")


def test_of_links_that_rules_leave_out_only_so_many_are_remembered(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spreading, "_MOST_REMEMBERED", 20)
    case.site.page("/", links=["/good/1", *(f"/out/{n}" for n in range(15))])
    case.site.page("/good/1", links=["/good/2", *(f"/out/{n}" for n in range(10, 30))])
    case.site.page("/good/2", links=[f"/out/{n}" for n in range(30)])
    by = {0: rules(rule("exclude", case.site.url + "/out/*"), rule("include", case.site.url + "/"))}

    counts = case.run(by=by)

    assert case.stored() == ["/", "/good/1", "/good/2"]
    assert (counts.excluded, counts.excluded_at_least) == (20, True)
    case.site.page("/good/2")
    case.site.page("/good/1", links=["/good/2", "/out/3"])
    counts = case.run(by=by)
    assert (counts.excluded, counts.excluded_at_least) == (15, False)


def test_of_links_that_are_too_deep_only_so_many_are_remembered_and_the_trap_is_named(
    case: Case, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(spreading, "_MOST_REMEMBERED", 20)
    case.site.page("/", links=["/good/1", "/good/2", *(f"/many/{n}" for n in range(10))])
    for n in range(10):
        case.site.page(f"/many/{n}", links=[f"/many/{n}/{m}" for m in range(10)])
    with caplog.at_level(logging.ERROR, "site_indexer.crawling"):
        counts = case.run(max_depth=1)

    assert counts.limit_reached == (
        "max_depth (1) is reached: at least 20 URLs further down are not fetched"
    )
    place = caplog.records[-1].getMessage()
    assert f"at least 20 of them begin with {case.site.url}/many/. " in place


def test_what_was_too_deep_and_is_reached_by_a_shorter_way_is_no_more_counted(case: Case) -> None:
    case.site.page("/", links=["/good/1"])
    case.site.page("/good/1", links=["/deep"])
    case.site.page("/deep")
    seeds = [case.seed("/"), case.seed("/good/2")]
    case.site.page("/good/2", links=["/deep"])
    assert "1 URLs further" in (case.run(seeds[0], max_depth=1).limit_reached or "")
    # The second command names the page that the first finds too deep to go on from.
    counts = case.run(*seeds, max_depth=1)
    assert counts.limit_reached is None
