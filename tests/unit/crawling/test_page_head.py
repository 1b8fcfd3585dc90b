from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.crawling.extracted import Refresh
from tests.unit.crawling.pages import URL, extract


def utc(*parts: int) -> dt.datetime:
    return dt.datetime(*parts, tzinfo=dt.UTC)  # type: ignore[arg-type, misc]


@pytest.mark.parametrize(
    ("head", "date", "source"),
    [
        ('<meta name="date" content="2024-03-01">', utc(2024, 3, 1), "meta:date"),
        ('<meta name="DATE" content="2024-03-01T10:00Z">', utc(2024, 3, 1, 10), "meta:date"),
        (
            '<meta http-equiv="last-modified" content="Fri, 01 Mar 2024 10:00:00 GMT">',
            utc(2024, 3, 1, 10),
            "meta:last-modified",
        ),
        (
            '<meta property="article:modified_time" content="2024-03-01T10:00:00+01:00">',
            utc(2024, 3, 1, 9),
            "meta:article:modified_time",
        ),
        (
            '<script type="application/ld+json">{"a": [{"dateModified": "2024-03-01"}]}</script>',
            utc(2024, 3, 1),
            "json-ld:dateModified",
        ),
        (
            '<meta name="date" content="soon"><meta name="last-modified" content="2024-03-01">',
            utc(2024, 3, 1),
            "meta:last-modified",
        ),
        ('<script type="application/ld+json">{"dateModified": </script>', None, None),
        ("<p>2024-03-01</p>", None, None),
    ],
)
def test_the_date_that_a_page_states(
    head: str, date: dt.datetime | None, source: str | None
) -> None:
    page = extract(head)
    assert (page.date, page.date_source) == (date, source)


def test_a_date_without_a_zone_is_in_the_sites() -> None:
    page = extract('<meta name="date" content="2024-03-01">', timezone="Europe/Madrid")
    assert page.date == utc(2024, 2, 29, 23)


@pytest.mark.parametrize(
    ("head", "headers", "canonical"),
    [
        ('<link rel=canonical href="/c">', (), "https://h.test/c"),
        ('<link rel="nofollow CANONICAL" href="c#x">', (), "https://h.test/dir/c"),
        ('<base href="/other/"><link rel=canonical href="c">', (), "https://h.test/other/c"),
        (f'<link rel=canonical href="{URL}#here">', (), URL),
        ('<link rel=canonical href="https://else.test/">', (), "https://else.test/"),
        ("", (("link", '<c>; rel="canonical"'),), "https://h.test/dir/c"),
        ("", (("link", "</a>; rel=next, </c>; foo=1; rel=canonical"),), "https://h.test/c"),
        ('<link rel=canonical href="http://[">', (), None),
        ("<body><p><link rel=canonical href=/injected>", (), None),
        ("<link rel=stylesheet href=/s.css>", (), None),
    ],
)
def test_canonical(head: str, headers: tuple[tuple[str, str], ...], canonical: str | None) -> None:
    assert extract(f"<head>{head}", *headers).canonical == canonical


def test_of_two_different_canonicals_none_counts() -> None:
    page = extract("<link rel=canonical href=/a><link rel=canonical href=/b>")
    assert page.canonical is None
    assert "2 different canonical pages" in page.warnings[0]


@pytest.mark.parametrize(
    ("content", "refresh"),
    [
        ("0; url=/next", Refresh("https://h.test/next", 0)),
        ("5;URL='/next'", Refresh("https://h.test/next", 5)),
        ('3 , "/next"', Refresh("https://h.test/next", 3)),
        ("12.5; /next", Refresh("https://h.test/next", 12.5)),
        ("0.0.1; /next", Refresh("https://h.test/next", 0)),
        ("5", None),
        ("0; url=", None),
        (f"0; url={URL}", None),
        ("0; url=javascript:x()", None),
        ("soon; url=/next", None),
    ],
)
def test_refresh(content: str, refresh: Refresh | None) -> None:
    escaped = content.replace('"', "&quot;")
    assert extract(f'<meta http-equiv="Refresh" content="{escaped}">').refresh == refresh
    assert extract("<p>", ("refresh", content)).refresh == refresh


def test_a_refresh_for_readers_without_scripts_is_none() -> None:
    head = '<head><noscript><meta http-equiv=refresh content="0; url=/no"></noscript></head>'
    assert extract(head).refresh is None


def test_robots_directives_of_elements_and_headers_add_up() -> None:
    page = extract(
        '<meta name="robots" content="nofollow"><meta name="otherbot" content="none">',
        ("x-robots-tag", "noindex"),
    )
    assert (page.directives.noindex, page.directives.nofollow) == (True, True)
