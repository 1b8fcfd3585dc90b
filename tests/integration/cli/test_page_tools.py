"""``fetch`` and ``explain`` as people and programs call them (docs/spec/08-shell.md).

Real processes, and a real web server where something is fetched.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli.shell_calls import call_shell
from tests.integration.crawling.small_site import SmallSite, small_site
from tests.integration.indexing.conftest import Workbench, workbench

__all__ = ["workbench"]

NOW = "2026-11-30T12:00:00Z"
URL = "https://www.example.com/a"
HTML = "Content-Type: text/html; charset=UTF-8"
PAGE = (
    '<html lang="en"><title>T</title><meta name="date" content="2024-01-02">'
    '<body><nav><a href="/menu">Menu</a></nav><main><h1>H</h1><p>Some <b>te</b>xt.</main>'
    '<aside class="ad">Buy</aside>'
)
SITE = """\
id: docs
name: Documentation
owner: team@example.com
script: {url: https://www.example.com/indexlist.txt}
masks: [exclude *.tmp, include https://www.example.com/]
extract: {content: [h1], fields: {headline: h1}}
"""
OF_A_PAGE = {
    "kind", "url", "final_url", "redirects", "status", "content_type", "charset", "charset_source",
    "bytes", "robots", "title", "description", "text", "language", "canonical", "links", "date",
    "date_source", "server_date", "etag", "content_digest", "index", "reason", "warnings",
}  # fmt: skip
OF_A_URL = {
    "normalized", "in_index", "sentence", "advice", "generation", "document", "last_fetch",
    "visits", "retry", "removals", "script", "robots", "canonical", "duplicate_of", "class",
    "next_check",
}  # fmt: skip


def answer(*words: str | Path, **options: Any) -> Any:
    """Call the shell for JSON; standard output is one document and nothing else."""
    return json.loads(call_shell(*words, "--format", "json", **options).stdout)


@pytest.fixture
def web() -> Iterator[SmallSite]:
    with small_site() as running:
        yield running


def test_saved_bytes_in_place_of_the_network(tmp_path: Path) -> None:
    packed = gzip.compress(PAGE.encode())
    headers = ("--header", HTML, "--header", "Content-Encoding: gzip", "--header", 'ETag: "1"')
    found = answer("fetch", URL, "--body", "-", *headers, "--now", NOW, given=packed)
    assert found.keys() >= OF_A_PAGE
    assert (found["kind"], found["status"], found["bytes"]) == ("page", 200, len(PAGE))
    assert (found["charset"], found["charset_source"]) == ("utf-8", "header")
    assert found["content_type"] == "text/html"
    assert found["text"] == "H\nSome text."
    assert (found["date"], found["date_source"]) == ("2024-01-02T00:00:00Z", "meta:date")
    assert found["links"] == ["https://www.example.com/menu"]
    assert (found["index"], found["etag"]) == (True, '"1"')

    (tmp_path / "robots.txt").write_text("User-agent: SiteIndexer\nDisallow: /a\n")
    robots = ("--robots", tmp_path / "robots.txt")
    refused = answer("fetch", URL, "--body", "-", *robots, given=PAGE.encode())
    assert refused["robots"]["allowed"] is False
    assert refused["robots"]["rule"] == "Disallow: /a"
    assert (refused["index"], refused["title"]) == (False, "T")

    moved = ("--status", "301", "--header", "Location: /b")
    found = answer("fetch", URL, "--body", "-", *moved)
    assert (found["status"], found["redirects"], found["index"]) == (301, [], False)
    assert found["reason"] == "It redirects to https://www.example.com/b."

    text = call_shell("fetch", URL, "--body", "-", given=PAGE.encode()).stdout
    assert text.startswith(f"{URL} is indexed: ")
    assert "Some text." in text.splitlines()


def test_the_rules_and_selectors_of_a_site(tmp_path: Path) -> None:
    (tmp_path / "docs.yaml").write_text(SITE)
    site = ("--site", "docs", "--sites", tmp_path, "--body", "-")
    found = answer("fetch", URL, *site, given=PAGE.encode())
    assert (found["index"], found["text"]) == (True, "H")
    assert found["fields"] == {"headline": "H"}
    left_out = answer("fetch", "https://www.example.com/x.tmp", *site, given=PAGE.encode())
    assert left_out["reason"] == "The site's rules leave it out (exclude *.tmp)."
    elsewhere = answer("fetch", "https://elsewhere.example/", *site, given=PAGE.encode())
    assert elsewhere["reason"] == "It is on no host of the site."


def test_over_the_network(web: SmallSite) -> None:
    web.file("/robots.txt", b"User-agent: *\nDisallow: /no", "text/plain")
    url = web.redirect("/old", "/new", 302)
    web.page("/new", "text")
    found = answer("fetch", url)
    assert found["redirects"] == [{"url": url, "status": 302}]
    assert (found["status"], found["index"]) == (200, True)

    refused = answer("fetch", web.page("/no"))
    assert (refused["status"], refused["robots"]["allowed"]) == (None, False)

    # A name that leads to this machine is let in only where a person pins it.
    port = web.authority.rpartition(":")[2]
    named = f"http://www.example.com:{port}/new"
    pinned = ("--resolve", f"www.example.com:{port}:127.0.0.1", "--timeout", "5")
    assert answer("fetch", named, *pinned)["title"] == "/new"

    web.file("/map.xml", b"<urlset><url><loc>/new</loc></url></urlset>", "application/xml")
    sitemap = answer("fetch", f"http://{web.authority}/map.xml")
    assert (sitemap["kind"], sitemap["sitemaps"]) == ("sitemap", [])
    assert sitemap["urls"] == [{"url": f"http://{web.authority}/new", "lastmod": None}]


@pytest.mark.parametrize(
    ("words", "status", "code"),
    [
        (("fetch", "mailto:x@example.com"), 2, "url"),
        (("fetch", "http://127.0.0.1:1/", "--timeout", "2"), 3, "unreachable"),
        (("fetch", URL, "--status", "200"), 2, "usage"),
        (("fetch", URL, "--body", "-", "--status", "99"), 2, "usage"),
        (("fetch", URL, "--body", "-", "--header", "nonsense"), 2, "usage"),
        (("fetch", URL, "--resolve", "h:80"), 2, "usage"),
        (("fetch", URL, "--timeout", "0"), 2, "usage"),
        (("fetch", URL, "--body", "/nowhere/to/be/found"), 2, "usage"),
        (("fetch", URL, "--site", "nowhere"), 2, "site-file"),
    ],
)
def test_what_goes_wrong_is_a_document_and_an_exit_status(
    words: tuple[str, ...], status: int, code: str
) -> None:
    assert answer(*words, status=status)["error"]["code"] == code


def test_why_a_url_is_or_is_not_in_the_index(workbench: Workbench, opensearch_url: str) -> None:
    workbench.use_script(
        "date Mon, 23 Nov 2026 11:00:00 GMT",
        "add {web}/en/ nofollow",
        "add {web}/en/visit/guestbook.html nofollow",
    )
    workbench.run()
    sites = str(workbench.collaborators.sites_dir)
    places: dict[str, Any] = {
        "SITE_INDEXER_SITES": sites,
        "SITE_INDEXER_OPENSEARCH_URL": opensearch_url,
    }
    stored = answer("explain", workbench.site, f"{workbench.web.url}/en/?", **places)
    assert stored.keys() >= OF_A_URL
    assert (stored["in_index"], stored["generation"]) == (True, workbench.generation())
    assert stored["normalized"] == stored["document"]["url"] == f"{workbench.web.url}/en/"
    assert stored["last_fetch"]["line"] == 2

    gone = call_shell(
        "explain", workbench.site, f"{workbench.web.url}/en/visit/guestbook.html", **places
    ).stdout
    assert "its server answered 410: there is no such page." in gone
    assert "named by      line 3" in gone

    wrong = answer("explain", workbench.site, "no url", status=2, **places)
    assert wrong["error"]["code"] == "url"
