from __future__ import annotations

import datetime as dt
import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling import sitemaps
from site_indexer.crawling.sitemaps import Sitemap, SitemapUrl, parse_sitemap

URL = "https://h.test/sitemap.xml"
URLSET = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc> https://h.test/a?x=1&amp;y=2 </loc><lastmod>2024-03-01</lastmod></url>
<url><loc>https://h.test/b</loc><lastmod>2024-03-01T10:00:00+01:00</lastmod></url>
<url><loc>https://h.test/c</loc><lastmod>soon</lastmod></url><url></url>
</urlset>"""


def test_urls_and_dates() -> None:
    expected = (
        SitemapUrl("https://h.test/a?x=1&y=2", dt.datetime(2024, 3, 1, tzinfo=dt.UTC)),
        SitemapUrl("https://h.test/b", dt.datetime(2024, 3, 1, 9, tzinfo=dt.UTC)),
        SitemapUrl("https://h.test/c", None),
    )
    assert parse_sitemap(URLSET.encode(), URL) == Sitemap(expected)
    assert parse_sitemap(b"\n\xef\xbb\xbf"[1:] + URLSET.encode(), URL).urls == expected
    assert parse_sitemap(gzip.compress(URLSET.encode()), URL).urls == expected


def test_an_index_of_sitemaps() -> None:
    index = (
        "<sitemapindex><sitemap><loc>https://h.test/1.xml</loc></sitemap>"
        "<sitemap><loc>https://h.test/2.xml.gz</loc></sitemap></sitemapindex>"
    )
    assert parse_sitemap(index.encode(), URL).sitemaps == (
        "https://h.test/1.xml",
        "https://h.test/2.xml.gz",
    )


def test_a_list_of_urls() -> None:
    sitemap = parse_sitemap(b"\xef\xbb\xbfhttps://h.test/a\r\n\nhttps://h.test/b\nnone\n", URL)
    assert [url.location for url in sitemap.urls] == ["https://h.test/a", "https://h.test/b"]


def test_what_stands_before_a_break_counts_and_the_break_is_named() -> None:
    broken = URLSET[: URLSET.index("<url><loc>https://h.test/c")]
    sitemap = parse_sitemap(broken.encode(), URL)
    assert len(sitemap.urls) == 2
    assert "broken XML" in sitemap.warnings[0]
    cut = gzip.compress(URLSET.encode() * 50)[:-40]
    assert "cut short" in parse_sitemap(cut, URL).warnings[0]
    assert "no sitemap" in parse_sitemap(b"hello", URL).warnings[0]


def test_entities_are_not_expanded() -> None:
    more = "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 9))
    declared = f"<!ENTITY a0 '{'a' * 1000}'>{more}<!ENTITY f SYSTEM 'file:///etc/passwd'>"
    for location in ("&a0;", "&f;", "&a8;"):
        for encoding in ("utf-8", "utf-16"):
            bomb = f"<!DOCTYPE u [{declared}]><urlset x='&a8;'><url><loc>https://h.test/{location}"
            sitemap = parse_sitemap(f"{bomb}</loc></url></urlset>".encode(encoding), URL)
            assert sitemap.urls == ()
            assert len(sitemap.warnings) == 1


def test_elements_beyond_a_limit_are_left_out_and_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sitemaps, "_MOST_ELEMENTS", 4)
    sitemap = parse_sitemap(URLSET.encode(), URL)
    assert len(sitemap.urls) == 1
    assert sitemap.warnings == (f"{URL} has more than 4 elements; what follows is left out.",)
    monkeypatch.setattr(sitemaps, "_MOST_ELEMENTS", 100)
    monkeypatch.setattr(sitemaps, "_MOST_URLS", 2)
    sitemap = parse_sitemap(URLSET.encode(), URL)
    assert len(sitemap.urls) == 2
    assert sitemap.warnings == (f"{URL} names more than 2 URLs; what follows is left out.",)
    lines = b"".join(b"https://h.test/%d\n" % n for n in range(3))
    sitemap = parse_sitemap(lines, URL)
    assert len(sitemap.urls) == 2
    assert sitemap.warnings == (f"{URL} names more than 2 URLs; what follows is left out.",)
    assert parse_sitemap(lines[: lines.index(b"https://h.test/2")] + b"\nx", URL).warnings == ()


@given(st.binary(max_size=300))
def test_any_bytes_can_be_parsed(body: bytes) -> None:
    parse_sitemap(body, URL)
    parse_sitemap(b"<urlset><url><loc>" + body, URL)
