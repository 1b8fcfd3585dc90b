"""The expectation, checked by walking the site block by block as the script asks.

The walk is written from docs/spec/01-script-language.md (Rules, Pages, Order) and shares no code
with the indexer or with the expectation: rules are plain conditions on paths, pages are read with
lxml. It does what the demo site needs and no more.
"""

from __future__ import annotations

import http.client
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from urllib.parse import quote, urldefrag, urljoin

import pytest
from lxml import html

from demo_site.expected import Expectation, after_run
from demo_site.server import RunningSite, running

CUT_OFF = date(2004, 12, 31)


@dataclass(frozen=True)
class Let:
    """A rule's answer for one page."""

    pass_: bool
    nofollow: bool = False
    noindex: bool = False


IN, OUT = Let(pass_=True), Let(pass_=False)


@dataclass
class Seen:
    """One fetched page: where it was stored, what it links to."""

    path: str
    status: int
    headers: http.client.HTTPMessage
    tree: html.HtmlElement | None

    def metas(self, name: str) -> list[str]:
        if self.tree is None:
            return []
        return [str(found) for found in self.tree.xpath(f"//meta[@name='{name}']/@content")]

    @property
    def robots(self) -> str:
        return ",".join([*self.metas("robots"), self.headers.get("X-Robots-Tag", "")])

    @property
    def server_date(self) -> date:
        return parsedate_to_datetime(self.headers["Last-Modified"]).date()

    @property
    def own_date(self) -> date:
        if self.tree is not None:
            found = [
                *self.metas("date"),
                *self.metas("last-modified"),
                *self.tree.xpath("//meta[@property='article:modified_time']/@content"),
                *re.findall(r'"dateModified": "([^"]*)"', str(html.tostring(self.tree))),
            ]
            if found:
                return datetime.fromisoformat(str(found[0])).date()
        return self.server_date


@dataclass
class Walk:
    """The documents that the blocks leave behind: stored path -> aliases."""

    site: RunningSite
    stored: dict[str, set[str]] = field(default_factory=dict)
    titles: dict[str, tuple[str, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=30)

    def crawl(
        self, starts: list[str], rule: Callable[[Seen | str], Let], follow: bool = True
    ) -> None:
        waiting, known = list(starts), set(starts)
        while waiting:
            asked = waiting.pop(0)
            for link in self.visit(asked, rule):
                if follow and link not in known and not link.endswith(".zip"):
                    known.add(link)
                    waiting.append(link)

    def visit(self, asked: str, rule: Callable[[Seen | str], Let]) -> list[str]:
        """Store one page if it may be, and return the links that may be followed."""
        if not rule(asked).pass_ or asked.startswith("/private/"):
            return []
        page, way = self.final(asked)
        if page is None or page.status != 200 or not rule(page.path).pass_:
            return []
        let = rule(page)
        if not let.pass_:
            return []
        if not let.noindex and "noindex" not in page.robots:
            self.store(page, way, rule)
        if let.nofollow or "nofollow" in page.robots:
            return []
        return list(self.links(page))

    def store(self, page: Seen, way: list[str], rule: Callable[[Seen | str], Let]) -> None:
        path, names = page.path, set(way)
        canonical = self.canonical(page)
        if canonical and canonical != path and rule(canonical).pass_:
            named = self.fetch(canonical)
            back = self.canonical(named) if named.status == 200 else None
            if named.status == 200 and back in {None, canonical, path}:
                # Of a pair that name each other the first met stays.
                first = next((one for one in (path, canonical) if one in self.stored), canonical)
                names |= {path, canonical} if back == path else {path}
                path = first
                page = named
        self.stored.setdefault(path, set()).update(names - {path})
        if page.tree is not None:
            self.titles[path] = (page.tree.findtext("head/title"), page.tree.get("lang"))

    def final(self, path: str) -> tuple[Seen | None, list[str]]:
        way: list[str] = []
        while path not in way:
            way.append(path)
            page = self.fetch(path)
            target = page.headers.get("Location")
            if page.status == 200:
                target = next((to for seconds, to in self.refreshes(page) if seconds <= 10), None)
                if target is None:
                    return page, way[:-1]
            elif page.status not in {301, 302, 308}:
                return page, way[:-1]
            there = self.own(urljoin(self.site.url + path, str(target)))
            if there is None:
                return None, way
            path = there
        return None, way

    def refreshes(self, page: Seen) -> list[tuple[int, str]]:
        contents = (
            page.tree.xpath("//meta[@http-equiv='refresh']/@content")
            if page.tree is not None
            else []
        )
        pairs = [re.fullmatch(r"(\d+); url=(.*)", str(content)) for content in contents]
        return [(int(pair[1]), pair[2]) for pair in pairs if pair]

    def links(self, page: Seen) -> Iterator[str]:
        if page.tree is None:
            return
        base = next(iter(page.tree.xpath("//base/@href")), "")
        hrefs = [
            str(link.get("href")) for link in page.tree.iter("a") if link.get("rel") != "nofollow"
        ]
        hrefs += [to for seconds, to in self.refreshes(page) if seconds > 10]
        for href in hrefs:
            own = self.own(urljoin(urljoin(self.site.url + page.path, str(base)), href))
            if own is not None:
                yield own

    def canonical(self, page: Seen) -> str | None:
        if page.tree is None:
            return None
        named = page.tree.xpath("//link[@rel='canonical']/@href")
        return self.own(str(named[0])) if named else None

    def own(self, url: str) -> str | None:
        if not url.startswith(f"{self.site.url}/"):
            return None
        path = urldefrag(url).url.removeprefix(self.site.url)
        return quote(path, safe="/?&=%-._~+")

    def fetch(self, path: str) -> Seen:
        self.connection.request("GET", path)
        response = self.connection.getresponse()
        body = response.read()
        content_type = response.headers.get("Content-Type", "")
        tree = None
        if content_type.startswith("text/html") and response.status == 200:
            stated = re.search(r"charset=([\w-]+)", content_type)
            tree = html.fromstring(body, parser=html.HTMLParser(encoding=stated and stated[1]))
        return Seen(path, response.status, response.headers, tree)


def english(page: Seen | str) -> Let:
    path = page if isinstance(page, str) else page.path
    if path.startswith(("/es/", "/zh/", "/ar/")) or path.endswith(".csv") or "?session=" in path:
        return OUT
    if path.startswith("/en/archive/") and isinstance(page, Seen) and page.own_date <= CUT_OFF:
        return OUT
    if path.startswith("/en/topics/"):
        return Let(pass_=True, noindex=True)
    return Let(pass_=True, nofollow=path.startswith("/en/calendar"))


def spanish(page: Seen | str) -> Let:
    path = page if isinstance(page, str) else page.path
    old = isinstance(page, Seen) and page.server_date <= CUT_OFF
    if path.startswith("/es/archivo/") and old:
        return OUT
    return IN if path.startswith("/es/") else OUT


def below(folder: str) -> Callable[[Seen | str], Let]:
    def rule(page: Seen | str) -> Let:
        path = page if isinstance(page, str) else page.path
        return IN if path.startswith(folder) else OUT

    return rule


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Walk, Expectation]]:
    with running(tmp_path_factory.mktemp("state")) as site:
        walk = Walk(site)
        walk.connection.request("GET", "/sitemap.xml")
        sitemap = walk.connection.getresponse().read().decode()
        listed = [str(walk.own(url)) for url in re.findall(r"<loc>([^<]*)</loc>", sitemap)]
        walk.crawl(["/", *listed], english)
        walk.crawl(["/es/"], spanish)
        walk.crawl(["/zh/"], below("/zh/"))
        walk.crawl(["/ar/"], below("/ar/"))
        for path in list(walk.stored):
            if path == "/en/news/2018-summer-programme.html" or path.endswith("-draft.html"):
                del walk.stored[path]
        walk.crawl(["/en/visit/night-tours.html", "/en/news/"], lambda page: IN, follow=False)
        yield walk, after_run(site.url)


def test_the_walk_stores_what_is_expected(walked: tuple[Walk, Expectation]) -> None:
    walk, expectation = walked
    assert expectation.problems(walk.site.url + path for path in walk.stored) == []
    assert len(walk.stored) == expectation.count


def test_the_walk_finds_the_aliases(walked: tuple[Walk, Expectation]) -> None:
    walk, expectation = walked
    base = walk.site.url
    for url, document in expectation.documents.items():
        assert {base + path for path in walk.stored[url.removeprefix(base)]} == document.aliases
    for group in expectation.one_of:
        (stored,) = group & {base + path for path in walk.stored}
        assert {base + path for path in walk.stored[stored.removeprefix(base)]} == group - {stored}


def test_titles_and_languages(walked: tuple[Walk, Expectation]) -> None:
    walk, expectation = walked
    for path, (title, language) in walk.titles.items():
        document = expectation.documents.get(walk.site.url + path)
        if document is not None:
            assert (title, language) == (document.title, document.language)


def test_what_is_left_out_was_met(walked: tuple[Walk, Expectation]) -> None:
    """The list names no page that a crawl could never have come upon by a link."""
    walk, expectation = walked
    met = set()
    for path in list(walk.stored):
        met |= {walk.site.url + link for link in walk.links(walk.fetch(path))}
    unmet = expectation.left_out.keys() - met
    by_design = {
        "/en/members/forum.html": "rel=nofollow, which links() passes over",
        "/en/topics/animals.html": "linked from a page that is not stored",
        "/en/topics/instruments.html": "linked from a page that is not stored",
        "/en/loop/b": "a step of a loop",
    }
    assert {url.removeprefix(walk.site.url) for url in unmet} == set(by_design)


def test_without_the_sitemap_a_page_would_be_missing(tmp_path: Path) -> None:
    """The guard above can fail: a crawl that passes over the sitemap is found out."""
    with running(tmp_path) as site:
        walk = Walk(site)
        walk.crawl(["/"], english)
        problems = after_run(site.url).problems(site.url + path for path in walk.stored)
        english_missing = [line for line in problems if line.startswith(f"missing: {site.url}/en/")]
        assert english_missing == [
            f"missing: {site.url}/en/archive/2007-eclipse.html",
            f"missing: {site.url}/en/visit/night-tours.html",
        ]
