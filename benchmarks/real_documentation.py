"""Index a real folder of HTML, and hold the index against a count that shares no code with it.

    PYTHONPATH=include python benchmarks/real_documentation.py /usr/share/doc/python3.11/html

The folder is served by the standard library's file server (Last-Modified, 304) from ``/docs/``. Its
index script adds the front page and includes ``/docs/``. A second opinion on what is to be indexed
is formed by ``walk``: breadth first from the front page over the files, with html.parser and urllib
alone. Then everything is read again, which must change nothing; and in the end one block deletes,
updates and excludes, which must do exactly that. The exit status is 0 if all of it is so.

Both sides follow the same rules: links of a, area and frame elements, but not those with
rel=nofollow (``Show Source`` in documentation made by Sphinx); fragments are dropped; only this
host; text/html, text/plain, text/markdown and application/pdf are documents; folders redirect to
their index.html, and what is not there is a 404; pages may say noindex or nofollow in robots meta.
"""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import html.parser
import mimetypes
import sys
import tempfile
import threading
import urllib.parse
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import yaml

from local_opensearch import Node
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest, RunResult, RunStatus
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators

SITE = "documentation"
PREFIX = "/docs/"
SCRIPT = "/indexlist.txt"
START = dt.datetime(2026, 1, 1, 12, tzinfo=dt.UTC)
DOCUMENT_TYPES = {"text/html", "text/plain", "text/markdown", "application/pdf"}


# The website


class FileHandler(SimpleHTTPRequestHandler):
    """The folder below ``/docs/``, and the index script."""

    server: Website
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path == SCRIPT:
            body = self.server.script.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            super().do_GET()

    def translate_path(self, path: str) -> str:
        if not path.startswith(PREFIX):
            return str(Path(self.directory) / "there is nothing outside")
        return super().translate_path(path.removeprefix(PREFIX.rstrip("/")))

    def list_directory(self, path: object) -> None:
        self.send_error(404)

    def log_request(self, code: object = "-", size: object = "-") -> None:
        self.server.asked.append((self.path, int(code)))  # type: ignore[call-overload]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet."""


class Website(ThreadingHTTPServer):
    """``asked`` are the requests: target and status."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), functools.partial(FileHandler, directory=str(folder)))
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.front = f"{self.url}{PREFIX}index.html"
        self.script = ""
        self.asked: list[tuple[str, int]] = []

    def pages_asked(self) -> dict[str, int]:
        """Status by URL of what was asked for below ``/docs/``."""
        return {self.url + path: status for path, status in self.asked if path.startswith(PREFIX)}


@contextmanager
def served(folder: Path) -> Iterator[Website]:
    website = Website(folder)
    thread = threading.Thread(target=website.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield website
    finally:
        website.shutdown()
        website.server_close()


# The second opinion


class PageParser(html.parser.HTMLParser):
    """Title, links to follow, and robots directives of one page."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.links: list[str] = []
        self.robots: set[str] = set()
        self.base: str | None = None
        self.title = ""
        self.canonical: str | None = None
        self._in_title = False
        self._in_drawing = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in ("a", "area", "frame"):
            href = values.get("src" if tag == "frame" else "href")
            if href is not None and "nofollow" not in values.get("rel", "").lower().split():
                self.links.append(href)
        elif tag == "meta" and values.get("name", "").lower() in ("robots", "siteindexer"):
            self.robots |= {word.strip().lower() for word in values.get("content", "").split(",")}
        elif tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            raise NotImplementedError("this count knows no meta refresh")
        elif tag == "base":
            self.base = self.base or values.get("href")
        elif tag == "link" and "canonical" in values.get("rel", "").lower().split():
            self.canonical = values.get("href")
        elif tag == "svg":
            self._in_drawing += 1
        elif tag == "title" and not self.title and not self._in_drawing:
            self._in_title = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        elif tag == "svg":
            self._in_drawing -= 1

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data


@dataclass
class Walk:
    """What is to be indexed: title by URL; and what else was linked, by why it is not."""

    titles: dict[str, str] = field(default_factory=dict)
    links: dict[str, set[str]] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)

    def leave_out(self, url: str, why: str) -> None:
        self.others.setdefault(why, []).append(url)


def walk(folder: Path, front: str) -> Walk:
    """Breadth first from the front page over the files; see the module's text for the rules."""
    found = Walk()
    root = front.rpartition("/")[0] + "/"
    seen = {front}
    queue = deque([front])
    while queue:
        url = queue.popleft()
        for target in _visit(found, folder, root, url):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    return found


def _visit(found: Walk, folder: Path, root: str, url: str) -> Iterable[str]:
    if not url.startswith(root):
        return ()
    path = folder / urllib.parse.unquote(urllib.parse.urlsplit(url).path[len(PREFIX) :])
    if path.is_dir():
        if not url.endswith("/"):
            found.leave_out(url, "redirect")
            return [f"{url}/"]
        path /= "index.html"
    kind, coding = mimetypes.guess_type(path.name)
    if not path.is_file() or url.endswith(".html/"):
        found.leave_out(url, "not there")
    elif coding is not None or kind not in DOCUMENT_TYPES:
        found.leave_out(url, f"type {coding or kind}")
    elif kind != "text/html":
        found.titles[url] = ""
    else:
        return _visit_page(found, path, url)
    return ()


def _visit_page(found: Walk, path: Path, url: str) -> Iterable[str]:
    parser = PageParser()
    parser.feed(path.read_text(encoding="utf-8"))
    parser.close()
    base = urllib.parse.urljoin(url, parser.base or "")
    if parser.canonical and urllib.parse.urljoin(base, parser.canonical).startswith("http"):
        raise NotImplementedError("this count knows no canonical links")
    resolved = [(href, _resolved(base, href)) for href in parser.links]
    links = [link for href, link in resolved if link != url or "#" not in href]
    if parser.robots & {"noindex", "none"}:
        found.leave_out(url, "noindex")
    else:
        found.titles[url] = " ".join(parser.title.split())
        found.links[url] = {link for link in links if link and link.startswith(_origin(url))}
    if parser.robots & {"nofollow", "none"}:
        return ()
    return [link for link in links if link]


def _resolved(base: str, href: str) -> str | None:
    parts = urllib.parse.urlsplit(urllib.parse.urljoin(base, href.strip()))
    if parts.scheme not in ("http", "https"):
        return None
    path = urllib.parse.quote(parts.path or "/", safe="/%:@!$&'()*+,;=~-._")
    return urllib.parse.urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def _origin(url: str) -> str:
    return "/".join(url.split("/")[:3]) + "/"


# The comparison


class Checks:
    """Says what holds and what does not."""

    def __init__(self) -> None:
        self.failed = 0

    def that(self, holds: bool, words: str) -> None:
        self.failed += not holds
        print(f"  {'ok  ' if holds else 'FAIL'} {words}")

    def same(self, ours: set[str], theirs: set[str], words: str) -> None:
        self.that(ours == theirs, words)
        for sign, difference in (("+", ours - theirs), ("-", theirs - ours)):
            for each in sorted(difference)[:20]:
                print(f"       {sign} {each}")


@dataclass
class Bench:
    """The site, its indexes, and the checks."""

    website: Website
    collaborators: Collaborators
    checks: Checks = field(default_factory=Checks)
    runs: int = 0

    def run(self, **options: bool) -> RunResult:
        self.website.asked.clear()
        self.runs += 1
        now = START + dt.timedelta(minutes=self.runs)
        request = RunRequest(SITE, Target.LIVE, f"shell__{self.runs}", now, **options)
        result = run(self.collaborators, request)
        words = ", ".join(f"{count:,} {name}" for name, count in result.counts.items() if count)
        print(f"  {result.status} in {result.seconds:.1f} s: {words}")
        print(f"  asked: {dict(Counter(self.website.pages_asked().values()))}")
        return result

    def documents(self) -> dict[str, dict[str, object]]:
        alias = SiteNames(SITE).alias(Target.LIVE)
        stored = StoredDocuments(self.collaborators.client, alias)
        return {each["url"]: each for each in stored.all(None, ("url", "title", "links"))}


def first_run(bench: Bench, folder: Path) -> set[str]:
    print("1. A first run indexes what can be reached from the front page")
    front = bench.website.front
    block = ["date Thu, 01 Jan 2026 10:00:00 GMT", f"include {front.rpartition('/')[0]}/"]
    bench.website.script = "\n".join([*block, f"add {front}", ""])
    result = bench.run()
    wanted = walk(folder, front)
    stored = bench.documents()
    checks = bench.checks
    print(f"  {len(stored):,} documents indexed, {len(wanted.titles):,} counted")
    for why, urls in sorted(wanted.others.items()):
        print(f"  linked and no document, {why}: {len(urls)}, such as {urls[0]}")
    checks.that(result.status is RunStatus.PUBLISHED, "it is published")
    checks.same(set(stored), set(wanted.titles), "the index holds these documents and no other")
    common = stored.keys() & wanted.titles.keys()
    titles = {url for url in common if wanted.titles[url] in ("", stored[url]["title"])}
    checks.same(titles, set(common), "their titles are those of the pages")
    links = {url for url in wanted.links if wanted.links[url] == set(_links(stored.get(url)))}
    checks.same(links, set(wanted.links), "their links are those of the pages")
    return set(stored)


def _links(document: dict[str, object] | None) -> list[str]:
    links = (document or {}).get("links")
    return links if isinstance(links, list) else []


def second_run(bench: Bench, stored: set[str]) -> None:
    print("2. Clear Date: everything is read again, and nothing has changed")
    before = current_generation(bench)
    result = bench.run(clear_date=True)
    asked = bench.website.pages_asked()
    checks = bench.checks
    checks.that(result.status is RunStatus.UNCHANGED, "the run says that nothing changed")
    checks.that(current_generation(bench) == before, f"searchers see {before} as before")
    unchanged = {url for url, status in asked.items() if status == 304}
    checks.same(unchanged, stored, "each document was asked for and answered 304")
    checks.that(set(bench.documents()) == stored, "the documents are as before")


def parts_of(stored: set[str], front: str) -> list[str]:
    """The starts of many URLs: the two largest folders, or names that begin alike in flat ones."""
    top = front.rpartition("/")[0] + "/"
    folders = Counter(url.rpartition("/")[0] + "/" for url in stored)
    del folders[top]
    if len(folders) < 2:
        folders = Counter(url[: len(top) + 4] for url in stored - {front})
    return [folder for folder, _ in folders.most_common(2)]


def shortest_choice(urls: list[str], *, longer_than: int) -> str:
    """The shortest start of a URL in the middle that not all of them have."""
    middle = urls[len(urls) // 2]
    starts = (middle[:length] for length in range(longer_than + 1, len(middle) + 1))
    return next(s for s in starts if not all(url.startswith(s) for url in urls))


def third_run(bench: Bench, stored: set[str]) -> None:
    print("3. A block deletes, updates and excludes, and does exactly that")
    updated, removed = parts_of(stored, bench.website.front)
    in_updated = sorted(url for url in stored if url.startswith(updated))
    excluded = shortest_choice(in_updated, longer_than=len(updated))
    others = {url for url in stored if not url.startswith((updated, removed))}
    deleted = sorted(others - {bench.website.front})[:2]
    lines = [
        f"exclude {excluded}",
        f"delete {' '.join(deleted)}",
        f"deletemask {removed}",
        f"update {updated} nofollow",
    ]
    for line in lines:
        print(f"  > {line}")
    bench.website.script += "\n".join(["", "date Fri, 02 Jan 2026 10:00:00 GMT", *lines, ""])
    result = bench.run()
    after = set(bench.documents())
    by_mask = {url for url in stored if url.startswith(removed)}
    wanted = {url for url in in_updated if not url.startswith(excluded)}
    left = set(in_updated) - wanted
    checks = bench.checks
    checks.that(result.status is RunStatus.PUBLISHED, "it is published")
    checks.same(
        stored - after,
        by_mask | set(deleted),
        f"{len(deleted)} deleted documents and the {len(by_mask)} below {removed} are gone",
    )
    checks.that(after <= stored, f"{len(after):,} documents stay, and none came")
    asked = bench.website.pages_asked()
    checks.same(set(asked), wanted, f"the {len(wanted)} others below {updated} were asked for")
    checks.that(set(asked.values()) == {304}, "all of them answered 304")
    checks.that(left <= after, f"the {len(left)} excluded ones were not, and stay")


def current_generation(bench: Bench) -> str:
    alias = SiteNames(SITE).alias(Target.LIVE)
    (name,) = bench.collaborators.client.indices.get_alias(name=alias)
    return str(name)


def write_site(folder: Path, website: Website) -> None:
    definition = {
        "id": SITE,
        "name": "Real documentation",
        "owner": "team@example.com",
        "script": {"url": f"{website.url}{SCRIPT}"},
        "entry_points": [website.front],
        "crawl": {"delay": "0s", "concurrency": 8, "allow_networks": ["127.0.0.0/8"]},
        "index": {"replicas": 0},
    }
    (folder / f"{SITE}.yaml").write_text(yaml.safe_dump(definition))


def main() -> int:
    parser = argparse.ArgumentParser(description="Index a real folder of HTML and check the index.")
    parser.add_argument("folder", type=Path, help="a folder with an index.html")
    folder = parser.parse_args().folder.resolve()
    with tempfile.TemporaryDirectory() as name, served(folder) as website:
        home = Path(name)
        write_site(home, website)
        with Node(home / "opensearch", http_port=0, heap_mb=512) as node:
            settings = Settings.from_environment({}, sites_dir=home, opensearch_url=node.url)
            bench = Bench(website, build_collaborators(settings=settings))
            stored = first_run(bench, folder)
            second_run(bench, stored)
            third_run(bench, stored)
    print("All true." if not bench.checks.failed else f"{bench.checks.failed} are not true.")
    return int(bench.checks.failed > 0)


if __name__ == "__main__":
    sys.exit(main())
