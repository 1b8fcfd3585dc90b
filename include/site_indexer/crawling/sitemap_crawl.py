"""The sitemaps of a crawl: which are read, and for which blocks their URLs are reached."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings, Reach, Seed
from site_indexer.crawling.responses import Request, Response
from site_indexer.crawling.sitemap_dates import SitemapDates
from site_indexer.crawling.sitemaps import MOST_BYTES, parse_sitemap
from site_indexer.crawling.spreading import Spreader
from site_indexer.index_script.model import Action

logger = logging.getLogger("site_indexer.crawling")

_MOST_SITEMAPS = 1_000


@dataclass(frozen=True, slots=True)
class SitemapTag:
    """A request for a sitemap."""

    url: str


class SitemapCrawl:
    """Reads the sitemaps of a site where a command names one of its entry points.

    ``urls`` are the sitemaps known so far: they are never documents. ``dates`` are what they state
    of pages. ``pending`` counts those that are asked for and not read yet.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        fetcher: Fetcher,
        resolver: LinkResolver,
        spreader: Spreader,
        dates: SitemapDates,
    ) -> None:
        self._fetcher = fetcher
        self._resolver = resolver
        self._spreader = spreader
        self._enabled = settings.sitemaps
        self._stated = settings.sitemap_urls
        self._entry_points = frozenset(
            url
            for point in settings.entry_points
            if (url := resolver.resolve(point, point)) is not None
        )
        self._reaches: dict[int, Reach] = {}
        self.urls: set[str] = set()
        self.dates = dates
        self.pending = 0

    def begin(self, seeds: Iterable[Seed]) -> list[str]:
        """Take the commands that start at entry points; returns the entry points they name."""
        starting: dict[str, None] = {}
        for seed in seeds if self._enabled else ():
            if seed.cause is not Action.ADD or seed.nofollow:
                continue
            if seed.url in self._entry_points:
                starting[seed.url] = None
                self._reaches.setdefault(
                    seed.block,
                    Reach(block=seed.block, depth=0, line=seed.line, cause=seed.cause, named=False),
                )
        for url in starting:
            self.found(self._stated, url)
        return list(starting)

    def found(self, locations: Iterable[str], base: str) -> None:
        """Read the sitemaps that robots.txt, the site file or another sitemap names."""
        for location in locations if self._reaches else ():
            url = self._resolver.resolve(location, base)
            if url is None or url in self.urls:
                continue
            if not self._resolver.is_same_site(url):
                logger.warning("The sitemap %s is on no host of the site; it is not read", url)
            elif len(self.urls) >= _MOST_SITEMAPS:
                logger.warning("More than %d sitemaps; %s is not read", _MOST_SITEMAPS, url)
            else:
                # A page may be smaller than a sitemap; of a larger one its beginning counts.
                self._fetcher.submit(Request(url, cut_at=MOST_BYTES), SitemapTag(url))
                self.pending += 1
            self.urls.add(url)

    def answered(self, tag: SitemapTag, response: Response) -> None:
        """Carry the crawl to the URLs of a sitemap."""
        self.pending -= 1
        if response.failure is None and response.location is not None:
            self.found([response.location], tag.url)
            return
        if response.failure is not None or response.status not in (200, 203):
            logger.warning(
                "The sitemap %s cannot be read: %s",
                tag.url,
                response.error or f"it answered {response.status}",
            )
            return
        sitemap = parse_sitemap(response.body, tag.url)
        for warning in sitemap.warnings:
            logger.warning("%s", warning)
        self.found(sitemap.sitemaps, tag.url)
        urls: dict[str, None] = {}
        for entry in sitemap.urls:
            url = self._resolver.resolve(entry.location, tag.url)
            if url is not None:
                urls[url] = None
                if entry.last_modified is not None:
                    self.dates.note(url, entry.last_modified)
        self._spreader.follow(list(urls), tag.url, list(self._reaches.values()))
