"""Sites without end: a crawl ends at its limits, and names which, and where they were reached."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator

import pytest

from site_indexer.crawling import limits
from tests.integration.crawling.crawling_case import Case
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
