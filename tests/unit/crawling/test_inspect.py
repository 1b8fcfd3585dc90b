from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from site_indexer.crawling.inspect import Inspector, UnansweredError
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.crawling.single_fetch import Fetch, saved_fetch
from site_indexer.masks import Rule, RuleAction, RuleList, RuleOrigin, compile_mask
from site_indexer.urls.kinds import MaskKind

NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
URL = "https://h.test/a"
HTML = ("Content-Type", "text/html; charset=UTF-8")


def saved(body: str | bytes = b"", *headers: tuple[str, str], status: int = 200) -> Fetch:
    data = body.encode() if isinstance(body, str) else body
    return saved_fetch(body=data, headers=headers, status=status, now=NOW)


def inspect(fetch: Fetch, *, robots: str = "", url: str = URL, **more: Any) -> dict[str, Any]:
    settings = CrawlSettings(site="s", user_agent="SiteIndexer/test", hosts=("h.test",))
    more.setdefault("is_saved", True)
    return Inspector(settings, fetch=fetch, fetch_robots=saved(robots), **more).inspect(url)


def test_a_page() -> None:
    body = (
        '<html lang="en"><title>T</title><meta name="description" content="D">'
        '<meta name="date" content="2024-01-02"><link rel="canonical" href="/a">'
        '<body><p>Text</p><a href="/b">b</a><a rel="nofollow" href="https://else.test/">e</a>'
    )
    found = inspect(
        saved(body, HTML, ("ETag", '"1"'), ("Last-Modified", "Wed, 03 Jan 2024 04:05:06 GMT"))
    )
    assert len(found.pop("content_digest")) == 32
    assert found == {
        "kind": "page",
        "url": URL,
        "final_url": URL,
        "redirects": [],
        "status": 200,
        "content_type": "text/html",
        "charset": "utf-8",
        "charset_source": "header",
        "bytes": len(body),
        "robots": {
            "allowed": True,
            "rule": None,
            "noindex": False,
            "nofollow": False,
            "source": None,
        },
        "title": "T",
        "description": "D",
        "headings": [],
        "text": "Text\nb e",
        "words": {"all": 3, "kept": 3, "main_part": "body", "left_out": {}},
        "language": "en",
        "canonical": URL,
        "links": ["https://h.test/b", "https://else.test/"],
        "anchors": [
            {"url": "https://h.test/b", "text": "b"},
            {"url": "https://else.test/", "text": "e"},
        ],
        "fields": {},
        "date": "2024-01-02T00:00:00Z",
        "date_source": "meta:date",
        "server_date": "2024-01-03T04:05:06Z",
        "etag": '"1"',
        "index": True,
        "reason": "Nothing keeps it from being indexed.",
        "warnings": [],
    }


@pytest.mark.parametrize(
    ("fetch", "reason"),
    [
        (saved("gone", status=404), "It answers 404."),
        (saved("<meta name=robots content=none>", HTML), "noindex (meta robots)"),
        (saved("x", HTML, ("X-Robots-Tag", "noindex")), "noindex (X-Robots-Tag)"),
        (saved("PK", ("Content-Type", "application/zip")), "not indexed"),
        (saved("%PDF", ("Content-Type", "application/pdf")), "unreadable: "),
        (saved("<meta http-equiv=refresh content='3; url=/x'>", HTML), "refreshes to"),
        (saved("oops", status=503), "503"),
        (saved("", ("Location", "/b"), status=301), "It redirects to https://h.test/b."),
    ],
)
def test_why_a_url_is_not_indexed(fetch: Fetch, reason: str) -> None:
    found = inspect(fetch)
    assert found["index"] is False
    assert reason in found["reason"]


def test_links_are_listed_of_nofollow_pages_too() -> None:
    found = inspect(saved('<meta name=robots content=nofollow><a href="/x">x</a>', HTML))
    assert found["links"] == ["https://h.test/x"]
    assert (found["index"], found["robots"]["nofollow"]) == (True, True)


def test_links_are_shown_with_their_texts() -> None:
    found = inspect(
        saved(
            '<base href="/x/"><a href="a"><img src=i alt=" The\n icon "><b></b></a>'
            '<a href="b">  A <b>bo</b>ld<br>word<img alt=no></a>'
            '<a href="c"></a><a href="c"><h2>See</h2>c</a><a href="c">again</a>'
            f'<a href="d">{"long " * 30}</a><a href="#top">top</a><area href="e" alt="East">'
            '<a href="f">open <table><td><a href="g">inside</a></table>',
            HTML,
        )
    )
    texts = {each["url"].rpartition("/")[2]: each["text"] for each in found["anchors"]}
    assert [each["url"] for each in found["anchors"]] == found["links"]
    long = texts.pop("d")
    assert texts == {
        "a": "The icon", "b": "A bold word", "c": "See c", "e": "East", "f": "", "g": "inside",
        "": "top",
    }  # fmt: skip
    assert (len(long), long[-9:]) == (100, "ong lo...")
    assert inspect(saved("text", ("Content-Type", "text/plain")))["anchors"] == []


def test_robots_txt() -> None:
    found = inspect(saved("<p>x", HTML), robots="User-agent: *\nDisallow: /a")
    assert found["robots"]["allowed"] is False
    assert found["robots"]["rule"] == "Disallow: /a"
    assert found["text"] == "x"
    assert (found["index"], found["reason"]) == (False, "robots.txt forbids it (Disallow: /a).")


def test_what_robots_txt_forbids_is_not_asked_for() -> None:
    settings = CrawlSettings(site="s", user_agent="SiteIndexer/test", hosts=("h.test",))

    def never(request: Request) -> Response:
        raise AssertionError(request.url)

    robots = saved("User-agent: *\nDisallow: /")
    found = Inspector(settings, fetch=never, fetch_robots=robots).inspect(URL)
    assert found["status"] is None
    assert (found["index"], found["robots"]["allowed"]) == (False, False)


def test_redirects_are_followed_and_named() -> None:
    chain = {
        URL: saved("", ("Location", "/b"), status=301),
        "https://h.test/b": saved("", ("Location", "https://else.test/c"), status=302),
        "https://else.test/c": saved("<title>C</title>", HTML),
    }

    def fetch(request: Request) -> Response:
        return chain[request.url](request)

    found = inspect(fetch, is_saved=False)
    assert found["redirects"] == [
        {"url": URL, "status": 301},
        {"url": "https://h.test/b", "status": 302},
    ]
    assert (found["final_url"], found["title"], found["index"]) == (
        "https://else.test/c",
        "C",
        True,
    )

    stopped = inspect(fetch, is_saved=False, stay_on_site=True)
    assert stopped["final_url"] == "https://h.test/b"
    assert "on no host of the site" in stopped["reason"]


def test_a_loop_of_redirects_ends() -> None:
    found = inspect(saved("", ("Location", "/a"), status=301), is_saved=False)
    assert found["reason"] == f"It redirects in a loop, back to {URL}."


def test_the_rules_of_a_site() -> None:
    def rules(action: str) -> RuleList:
        mask = compile_mask("https://h.test/", MaskKind.PREFIX)
        rule = Rule(RuleAction(action), mask, RuleOrigin.SITE, f"{action} https://h.test/")
        return RuleList([rule], now=NOW, zone=dt.UTC)

    page = saved("<p>x", HTML)
    assert inspect(page, rules=rules("include"))["index"] is True
    left_out = inspect(page, rules=rules("exclude"))
    assert left_out["reason"] == "The site's rules leave it out (exclude https://h.test/)."
    elsewhere = inspect(page, rules=rules("include"), stay_on_site=True, url="https://else.test/")
    assert elsewhere["reason"] == "It is on no host of the site."
    nothing = inspect(page, rules=RuleList([], now=NOW, zone=dt.UTC))
    assert nothing["reason"] == "No rule of the site lets it in."


def test_a_canonical_is_named_as_the_place_to_be_stored() -> None:
    found = inspect(saved("<link rel=canonical href=/c>", HTML))
    assert (found["canonical"], found["index"]) == ("https://h.test/c", True)
    assert "https://h.test/c as its original" in found["reason"]


def test_a_sitemap() -> None:
    body = (
        '<?xml version="1.0"?><!-- made by hand --><urlset><url><loc>HTTPS://h.test/%7ex</loc>'
        "<lastmod>2024-03-01</lastmod></url><url><loc>mailto:x</loc></url></urlset>"
    )
    found = inspect(saved(body, ("Content-Type", "application/xml")))
    assert found["kind"] == "sitemap"
    assert found["urls"] == [{"url": "https://h.test/~x", "lastmod": "2024-03-01T00:00:00Z"}]
    assert found["sitemaps"] == []


def test_a_server_that_does_not_answer() -> None:
    def silent(request: Request) -> Response:
        return Response(
            request, None, (), b"", NOW, 0, failure=Failure.TIMEOUT, error=f"{request.url}: late"
        )

    with pytest.raises(UnansweredError, match="late") as raised:
        inspect(silent)
    assert raised.value.exit_status == 3
