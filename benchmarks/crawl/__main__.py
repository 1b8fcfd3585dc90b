"""Crawls the same sites with this product and with what people use else, and compares.

    PYTHONPATH=include python benchmarks/crawl [--pages 2000] [--rounds 1]

README.md beside this file says what is measured and what is needed.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from contestants import CRAWLERS, ENGINE, SCRAPY, Grounds, Job
from environment import python_of_crawlers
from measuring import Measured, measure
from nginx import served
from report import Results, tables
from store import Store
from website import Site, documentation_site, made_up_site

from local_opensearch import Node

ROOT = Path(__file__).parents[2]
_HEAP_MB = 1024
_WARMING_UP = ("requests and lxml, threads", ENGINE, ENGINE, ENGINE)
_UNCHANGED_TO_WARM_UP = 2


@dataclass
class Comparison:
    """One site, crawled by one crawler after the other."""

    grounds: Grounds
    store: Store
    site: Site
    results: Results
    expected: frozenset[str] = field(default=frozenset())

    def warm_up(self) -> None:
        """Crawl for nothing, so that the node has compiled what each of them needs.

        The other crawlers ask of it what the loop asks. This product asks for more.
        """
        for name in _WARMING_UP:
            self.store.clear()
            self._measured(f"Warming up, {name}", self.grounds.job(name, self.site))
        for _ in range(_UNCHANGED_TO_WARM_UP):
            again = self.grounds.engine(self.site, again=True)
            self._measured(f"Warming up, {ENGINE}, all unchanged", again)

    def round(self, crawlers: Sequence[str], *, unchanged: bool) -> None:
        """Crawl with each once, so that what else the machine does hits all of them."""
        for name in crawlers:
            self.store.clear()
            self._crawl(name, self.grounds.job(name, self.site))
            if unchanged and name == ENGINE:
                again = self.grounds.engine(self.site, again=True)
                self._recrawl(name, again)
        if unchanged and SCRAPY in crawlers:
            self.store.clear()
            job = self.grounds.cached_scrapy(self.site)
            shutil.rmtree(self.grounds.home / "cache" / self.site.name, ignore_errors=True)
            self._measured("Scrapy, filling its cache", job)
            self._recrawl(SCRAPY, job)

    def _crawl(self, name: str, job: Job) -> None:
        measured = self._measured(name, job)
        self.results.full.setdefault(name, []).append(measured)

    def _recrawl(self, name: str, job: Job) -> None:
        measured = self._measured(f"{name}, all unchanged", job)
        # Scrapy counts robots.txt and its like, too.
        if int(str(measured.said["unchanged"])) < len(self.expected):
            raise SystemExit(
                f"{name} got {measured.said['unchanged']} answers 304"
                f" for {len(self.expected)} pages."
            )
        self.results.unchanged.setdefault(name, []).append(measured)

    def _measured(self, words: str, job: Job) -> Measured:
        log = self.grounds.home / f"{words.replace(' ', '-').replace(',', '')}.log"
        measured = measure(
            job.command,
            environment={"PYTHONPATH": str(ROOT / "include")} if "engine.py" in str(job) else {},
            log=log,
            opensearch=self.store.processes,
            server=self.grounds.website.processes,
        )
        self._check(words, self.store.urls(job.index))
        pages = len(self.expected)
        print(
            f"  {words}: {pages:,} pages in {measured.seconds:.1f} s,"
            f" {pages / measured.seconds:,.0f} pages/s; CPU s: crawler {measured.crawler_cpu:.1f},"
            f" OpenSearch {measured.opensearch_cpu:.1f} (compiling"
            f" {measured.opensearch_compiling:.1f}), server {measured.server_cpu:.1f};"
            f" {measured.peak_memory / 2**20:.0f} MB",
            flush=True,
        )
        return measured

    def _check(self, words: str, found: frozenset[str]) -> None:
        """Raise SystemExit unless this index holds the same URLs as all others."""
        if not self.expected:
            paths = self.site.paths
            self.expected = frozenset(self.grounds.website.url + path for path in paths) or found
            self.results.documents = len(self.expected)
        if found != self.expected:
            raise SystemExit(
                f"{words} indexed other pages than expected:"
                f" {len(found - self.expected)} too many, such as"
                f" {sorted(found - self.expected)[:5]}, {len(self.expected - found)} too few, such"
                f" as {sorted(self.expected - found)[:5]}."
            )


def compare(options: argparse.Namespace, sites: Sequence[Site]) -> list[Results]:
    """All rounds on all sites."""
    home: Path = options.home
    python = python_of_crawlers(home)
    found = []
    with (
        served(sites, home) as website,
        Node(home / "opensearch", http_port=0, heap_mb=_HEAP_MB) as node,
    ):
        store = Store(node)
        grounds = Grounds(home, python, website, node.url)
        for site in sites:
            print(site.title, flush=True)
            comparison = Comparison(grounds, store, site, Results(site.title))
            comparison.warm_up()
            for _ in range(options.rounds):
                comparison.round(options.crawlers, unchanged=not options.full_only)
                time.sleep(1)
            found.append(comparison.results)
    return found


def main() -> None:
    names = [ENGINE, *CRAWLERS]
    parser = argparse.ArgumentParser(prog="benchmarks/crawl", description=__doc__)
    parser.add_argument("--pages", type=int, default=20_000, help="of the made up site")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sites", nargs="+", default=["pages", "documentation"])
    parser.add_argument("--crawlers", nargs="+", choices=names, default=names)
    parser.add_argument("--full-only", action="store_true", help="no crawl of unchanged pages")
    parser.add_argument("--home", type=Path, default=ROOT / ".state" / "benchmark-crawl")
    parser.add_argument("--write", type=Path, help="put the tables into this file, too")
    options = parser.parse_args()
    options.home = options.home.resolve()
    options.home.mkdir(parents=True, exist_ok=True)
    sites = [made_up_site(options.home, options.pages)]
    documentation = documentation_site()
    if documentation is None and "documentation" in options.sites:
        print("The package python3.11-doc is not installed, so its pages are left out.")
    elif documentation is not None:
        sites.append(documentation)
    found = compare(options, [site for site in sites if site.name in options.sites])
    words = tables(found, "PYTHONPATH=include python benchmarks/crawl " + " ".join(sys.argv[1:]))
    print(words)
    if options.write is not None:
        options.write.parent.mkdir(parents=True, exist_ok=True)
        options.write.write_text(words)


if __name__ == "__main__":
    main()
