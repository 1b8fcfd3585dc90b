from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from site_indexer.crawling.directives import NO_DIRECTIVES, Directives, of_headers, of_meta


def flags(directives: Directives) -> tuple[bool, bool]:
    return directives.noindex, directives.nofollow


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("robots", "noindex", (True, False)),
        ("ROBOTS", "NoIndex , NOFOLLOW", (True, True)),
        ("robots", "none", (True, True)),
        ("robots", "max-image-preview:none", (False, False)),
        ("robots", "max-image-preview: none, nofollow", (False, True)),
        ("robots", "noindexes, xnofollow", (False, False)),
        ("robots", "index, follow", (False, False)),
        ("SiteIndexer", "noindex", (True, False)),
        ("googlebot", "noindex", (False, False)),
        ("description", "noindex", (False, False)),
    ],
)
def test_meta_tags(name: str, content: str, expected: tuple[bool, bool]) -> None:
    assert flags(of_meta(name, content)) == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["noindex"], (True, False)),
        (["nofollow", "NOINDEX"], (True, True)),
        (["googlebot: noindex"], (False, False)),
        (["googlebot: noindex, nofollow"], (False, False)),
        (["googlebot: nofollow, siteindexer: noindex"], (True, False)),
        (["SiteIndexer: none"], (True, True)),
        (["max-snippet: 20, noindex"], (True, False)),
        (["unavailable_after: Friday, 25-Jun-10 15:00:00 GMT, nofollow"], (False, True)),
        (["googlebot: noindex", "nofollow"], (False, True)),
        ([""], (False, False)),
    ],
)
def test_headers(values: list[str], expected: tuple[bool, bool]) -> None:
    assert flags(of_headers(values)) == expected


def test_they_add_up_and_name_their_sources() -> None:
    both = of_meta("robots", "noindex") | of_headers(["nofollow"])
    assert both == Directives(noindex=True, nofollow=True, source="meta robots, X-Robots-Tag")
    assert both | NO_DIRECTIVES == both
    assert NO_DIRECTIVES | both == both


@pytest.mark.parametrize(
    "stated",
    [
        "25 Jun 2010 15:00:00 GMT",
        "25 Jun 2010 07:00:00 PST",
        "Friday, 25-Jun-10 15:00:00 GMT",
        "Fri, 25 Jun 2010 15:00:00 GMT",
        "25-Jun-2010 15:00:00",
        "2010-06-25T17:00:00+02:00",
        "Friday, June 25, 2010, 15:00",
    ],
)
@pytest.mark.parametrize("around", ["{}", "nofollow, {}", "{}, nofollow", "{},max-snippet:3"])
def test_from_the_date_of_unavailable_after_on_a_page_is_as_noindex(
    stated: str, around: str
) -> None:
    moment = dt.datetime(2010, 6, 25, 15, tzinfo=dt.UTC)
    text = around.format(f"Unavailable_After: {stated}")
    for said, source in (
        (of_meta("robots", text), "meta robots"),
        (of_headers([text]), "X-Robots-Tag"),
        (of_headers([f"siteindexer: {text}"]), "X-Robots-Tag"),
    ):
        before = said.at(moment - dt.timedelta(seconds=1))
        assert flags(before) == (False, "nofollow" in around)
        past = said.at(moment)
        assert flags(past) == (True, "nofollow" in around)
        assert f"{source}: unavailable_after 2010-06-25T15:00:00Z" in (past.source or "")
        assert said.warnings("https://h.test/") == ()


def test_a_date_without_a_zone_is_in_the_sites_in_a_header_utc() -> None:
    text = "unavailable_after: 2010-06-25 15:00"
    hour = dt.datetime(2010, 6, 25, 13, tzinfo=dt.UTC)
    assert of_meta("robots", text, ZoneInfo("Europe/Berlin")).at(hour).noindex
    assert not of_headers([text]).at(hour).noindex


def test_the_first_of_several_dates_counts() -> None:
    dates = [f"unavailable_after: 20{year}-01-01" for year in (11, 10, 12)]
    for said in (of_headers(dates), of_headers([", ".join(dates)])):
        assert said.at(dt.datetime(2010, 6, 1, tzinfo=dt.UTC)).noindex


def test_a_date_of_another_crawler_is_none() -> None:
    said = of_headers(["googlebot: unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT"])
    assert said == NO_DIRECTIVES


@pytest.mark.parametrize(
    "stated", ["soon", "", "25 Jun 2010 15:00:00 XYZT", "2010-13-45", "9" * 999]
)
def test_a_date_that_cannot_be_read_is_ignored_and_named(stated: str) -> None:
    for said in (
        of_meta("robots", f"unavailable_after: {stated}, nofollow"),
        of_headers([f"unavailable_after: {stated}, nofollow"]),
    ):
        assert flags(said.at(dt.datetime(2030, 1, 1, tzinfo=dt.UTC))) == (False, True)
        (warning,) = said.warnings("https://h.test/")
        assert warning.startswith("https://h.test/ says unavailable_after: ")
        assert len(warning) < 200
