"""The crawlers that are compared, and how each is started."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import yaml
from nginx import Website
from website import Site

HERE = Path(__file__).parent
ENGINE = "site-indexer"
SCRAPY = "Scrapy as documented"
CRAWLERS = {
    SCRAPY: "scrapy_documented.py",
    "Scrapy tuned by hand": "scrapy_by_hand.py",
    "requests and lxml, threads": "thread_loop.py",
}
TARGETS = {SCRAPY: 8.0, "Scrapy tuned by hand": 3.0, "requests and lxml, threads": 2.0}
"""How many times as fast as each of them a full crawl is meant to be."""

RECRAWL_TARGET = 40.0
"""The same for a crawl that finds all unchanged, against Scrapy with its HTTP cache."""

_OTHER_INDEX = "other-crawler"


@dataclass(frozen=True, slots=True)
class Job:
    """One crawl to measure; ``index`` is where its documents are afterwards."""

    command: tuple[str | Path, ...]
    index: str


@dataclass(frozen=True, slots=True)
class Grounds:
    """What all crawlers work with; ``python`` is the interpreter of the others."""

    home: Path
    python: Path
    website: Website
    opensearch: str

    def job(self, name: str, site: Site) -> Job:
        """A crawl from nothing."""
        return self.engine(site) if name == ENGINE else self._other(CRAWLERS[name], site)

    def engine(self, site: Site, *, again: bool = False) -> Job:
        """This product; ``again``: it goes through its whole script once more."""
        name = f"benchmark-{site.name}"
        sites = self.home / "sites"
        sites.mkdir(exist_ok=True)
        front = self.website.url + site.front
        lines = [
            "date Thu, 01 Jan 2026 10:00:00 GMT",
            f"include {self.website.url}{site.prefix}",
            f"add {front}",
        ]
        definition = {
            "id": name,
            "name": site.title,
            "owner": "team@example.com",
            "script": {"url": self.website.put(f"{name}.list", "\n".join([*lines, ""]))},
            "crawl": {
                "delay": "0s",
                "concurrency": 8,
                "max_pages": 2_000_000,
                "max_depth": 100,
                "allow_networks": ["127.0.0.0/8"],
            },
            "index": {"replicas": 0},
        }
        (sites / f"{name}.yaml").write_text(yaml.safe_dump(definition))
        command = (
            *(sys.executable, HERE / "engine.py", "--site", name, "--sites-dir", sites),
            *("--opensearch", self.opensearch),
            *(("--again",) if again else ()),
        )
        return Job(command, f"{name}.live")

    def cached_scrapy(self, site: Site) -> Job:
        """Scrapy with its HTTP cache: the first time it fills it."""
        cache = self.home / "cache" / site.name
        return self._other(CRAWLERS[SCRAPY], site, "--cache", str(cache))

    def _other(self, script: str, site: Site, *more: str) -> Job:
        command = (
            *(self.python, HERE / "crawlers" / script),
            *("--front", self.website.url + site.front),
            *("--prefix", self.website.url + site.prefix),
            *("--opensearch", self.opensearch, "--index", _OTHER_INDEX),
            *more,
        )
        return Job(command, _OTHER_INDEX)


OTHER_INDEX_BODY = {
    "settings": {"index.number_of_shards": 1, "index.number_of_replicas": 0},
    "mappings": {
        "properties": {
            "url": {"type": "keyword"},
            "title": {"type": "text"},
            "description": {"type": "text"},
            "text": {"type": "text"},
            "last_modified": {"type": "keyword"},
        }
    },
}
"""The index of the other crawlers: the same fields searchable, nothing more."""


def other_index() -> str:
    """The name of that index."""
    return _OTHER_INDEX
