"""The site's answers: documents that hold together, charsets, redirects, links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import quote, urldefrag, urljoin

import pytest

from demo_site.answers import Answer
from demo_site.catalogue import Page, Statement, catalogue
from demo_site.website import Website

BASE = "http://127.0.0.1:8300"
SITE = Website(catalogue(), BASE)
PAGES = list(catalogue().pages.values())
# Linked on purpose though nothing is there.
BROKEN = {"/en/collections/parish-bells.html", "/es/colecciones/campanas.html"}
VOID = {"meta", "link", "base", "br", "img", "input"}


class Outline(HTMLParser):
    """The elements of a document, and whether each is closed where it was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def charset(answer: Answer) -> str:
    stated = re.search(r"charset=([\w-]+)", dict(answer.headers)["Content-Type"])
    if stated is None:
        stated = re.search(r'<meta charset="([\w-]+)"', answer.body[:1024].decode("latin-1"))
    assert stated
    return "windows-1252" if stated[1] == "ISO-8859-1" else stated[1]


def outline(target: str) -> Outline:
    answer = SITE.answer(target)
    parsed = Outline()
    parsed.feed(answer.body.decode(charset(answer)))
    parsed.close()
    return parsed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_is_a_whole_document(page: Page) -> None:
    parsed = outline(page.path)
    assert parsed.open == []
    root = parsed.all("html")[0]
    assert root["lang"] == page.language
    assert root["dir"] == ("rtl" if page.language == "ar" else "ltr")
    for tag in ("title", "main", "footer", "h1"):
        assert len(parsed.all(tag)) == 1
    assert len(parsed.all("nav")) == 2
    names = {str(meta.get("name")) for meta in parsed.all("meta")}
    assert "description" in names
    assert {link["hreflang"] for link in parsed.all("a") if "hreflang" in link} == {
        "en",
        "es",
        "zh",
        "ar",
    }


def internal_links(target: str) -> Iterator[str]:
    parsed = outline(target)
    base = urljoin(BASE + target, next((str(tag["href"]) for tag in parsed.all("base")), ""))
    for link in parsed.all("a"):
        url = urldefrag(urljoin(base, str(link["href"]))).url
        if url.startswith(f"{BASE}/"):
            yield quote(url.removeprefix(BASE), safe="/?&=%-._~+")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_links_lead_somewhere_or_are_meant_to_be_broken(page: Page) -> None:
    for target in internal_links(page.path):
        status = SITE.answer(target).status
        if target in BROKEN:
            assert status == 404
        else:
            assert status in {200, 301, 302, 308, 410}, target


def test_what_is_meant_to_be_broken_is_linked() -> None:
    assert {link for page in PAGES for link in internal_links(page.path)} >= BROKEN


def test_fragments_of_links_are_there() -> None:
    for page in PAGES:
        for link in outline(page.path).all("a"):
            target, fragment = urldefrag(urljoin(BASE + page.path, str(link["href"])))
            if fragment and not page.base_href:
                ids = re.findall(rb'id="(\w+)"', SITE.answer(target.removeprefix(BASE)).body)
                assert fragment.encode() in ids


def test_one_page_in_windows_1252_that_only_the_header_tells() -> None:
    answer = SITE.answer("/es/archivo/cuaderno-de-a%C3%B1o-1987.html")
    assert dict(answer.headers)["Content-Type"] == "text/html; charset=ISO-8859-1"
    assert b"<meta charset" not in answer.body
    text = answer.body.decode("windows-1252")
    assert "“El agua" in text
    assert "90.000 €" in text


def test_one_page_in_gbk_that_only_its_meta_tag_tells() -> None:
    answer = SITE.answer("/zh/archive/tide-story.html")
    assert dict(answer.headers)["Content-Type"] == "text/html"
    assert b'<meta charset="gb2312">' in answer.body[:1024]
    assert "老水手讲潮汐" in answer.body.decode("gbk")
    with pytest.raises(UnicodeDecodeError):
        answer.body.decode("utf-8")


@pytest.mark.parametrize(
    ("path", "status", "location"),
    [
        ("/about", 301, f"{BASE}/en/about/"),
        ("/en/tides", 302, "/en/services/tide-tables.html"),
        ("/en/donate", 308, "/en/about/support.html"),
        ("/old/index.html", 301, f"{BASE}/welcome"),
        ("/welcome", 302, "/en/"),
        ("/en/visit", 301, f"{BASE}/en/visit/"),
        ("/en/loop/a", 302, "/en/loop/b"),
        ("/en/loop/b", 302, "/en/loop/a"),
    ],
)
def test_redirects(path: str, status: int, location: str) -> None:
    answer = SITE.answer(path)
    assert answer.status == status
    assert dict(answer.headers)["Location"] == location


def test_gone_and_never_there() -> None:
    assert SITE.answer("/en/visit/guestbook.html").status == 410
    assert SITE.answer("/en/nothing.html").status == 404
    assert b"<main>" in SITE.answer("/en/nothing.html").body


@pytest.mark.parametrize("spelling", ["c%C3%B3mo", "c%c3%b3mo", "cómo", "%63%C3%B3mo"])
def test_any_spelling_of_a_path_finds_it(spelling: str) -> None:
    assert SITE.answer(f"/es/visita/{spelling}-llegar.html").status == 200


def test_a_query_that_a_page_does_not_know_is_passed_over() -> None:
    plain = SITE.answer("/en/visit/opening-hours.html")
    assert SITE.answer("/en/visit/opening-hours.html?session=8f2a") == plain


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_pages_state_their_date_in_their_own_way(page: Page) -> None:
    text = SITE.answer(page.path).body.decode("latin-1")
    day = page.date.date().isoformat()
    signs = {
        Statement.DATE: f'<meta name="date" content="{day}">',
        Statement.LAST_MODIFIED: f'<meta name="last-modified" content="{day}T',
        Statement.ARTICLE: f'<meta property="article:modified_time" content="{day}T',
        Statement.JSON_LD: f'"dateModified": "{day}T',
    }
    assert [way for way, sign in signs.items() if sign in text] == [
        way for way in signs if way is page.statement
    ]


def test_an_index_page_is_as_new_as_what_it_lists() -> None:
    newest = max(page.date for page in PAGES if page.path.startswith("/en/news/2"))
    assert SITE.answer("/en/news/").last_modified == newest


def test_robots_txt_and_sitemap() -> None:
    robots = SITE.answer("/robots.txt").body.decode()
    assert "Disallow: /private/\n" in robots
    assert f"Sitemap: {BASE}/sitemap.xml\n" in robots
    listed = re.findall(r"<loc>([^<]*)</loc>", SITE.answer("/sitemap.xml").body.decode())
    assert len(listed) > 80
    for url in listed:
        assert SITE.answer(url.removeprefix(BASE)).status == 200


def test_two_servers_give_the_same_bytes() -> None:
    again = Website(catalogue(), BASE)
    for page in PAGES:
        assert again.answer(page.path) == SITE.answer(page.path)
