"""The sitemaps of a crawl: which are read, and for which blocks their URLs are reached."""

from __future__ import annotations

import logging
from collections import Counter, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings, Reach, Seed
from site_indexer.crawling.responses import Request, Response
from site_indexer.crawling.robots import RobotsAccess, RobotsVerdict
from site_indexer.crawling.sitemap_dates import SitemapDates
from site_indexer.crawling.sitemaps import MOST_BYTES, parse_sitemap
from site_indexer.crawling.spreading import Spreader
from site_indexer.index_script.model import Action
from site_indexer.urls import host_of

logger = logging.getLogger("site_indexer.crawling")

_MOST_SITEMAPS = 1_000


@dataclass(frozen=True, slots=True)
class SitemapTag:
    """A request for a sitemap."""

    url: str


class SitemapCrawl:
    """Reads the sitemaps of a site where a command names one of its entry points.

    ``urls`` are the sitemaps known so far: they are never documents. ``dates`` are what they state
    of pages.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        fetcher: Fetcher,
        resolver: LinkResolver,
        spreader: Spreader,
        *,
        dates: SitemapDates,
        verdict: Callable[[str], RobotsVerdict],
    ) -> None:
        """``verdict`` says what robots.txt has on a URL, and asks for it where that is unknown."""
        self._fetcher = fetcher
        self._resolver = resolver
        self._spreader = spreader
        self._verdict = verdict
        self._most_out = max(1, settings.concurrency)
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
        self._waiting: deque[str] = deque()
        self._out: Counter[str] = Counter()
        self._has_news = False
        self._too_many = 0
        self._not_asked: list[str] = []

    @property
    def pending(self) -> int:
        """How many are known, to be read, and not read yet."""
        return len(self._waiting) + self._out.total()

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
        """Take the sitemaps that robots.txt, the site file or another sitemap names.

        To be called for each robots.txt that has come: others may wait for it.
        """
        self._has_news = True
        elsewhere: list[str] = []
        for location in locations if self._reaches else ():
            url = self._resolver.resolve(location, base)
            if url is None or url in self.urls:
                continue
            if not self._resolver.is_same_site(url):
                elsewhere.append(url)
            elif len(self.urls) >= _MOST_SITEMAPS:
                self._too_many += 1
            else:
                self._waiting.append(url)
                self.urls.add(url)
        if elsewhere:
            logger.warning(
                "The sitemap %s%s is on no host of the site; it is not read",
                elsewhere[0],
                f" (and {len(elsewhere) - 1} more that {base} names)" if elsewhere[1:] else "",
            )

    def ask(self, *, may_ask: bool) -> None:
        """Ask for those that robots.txt lets be read, a few of a host at once.

        Not ``may_ask``: a limit of the crawl is reached, so they are given up.
        """
        if may_ask and not self._has_news:
            return
        self._has_news = False
        for _ in range(len(self._waiting)):
            url = self._waiting.popleft()
            host = host_of(url)
            if not may_ask:
                self._not_asked.append(url)
            elif self._out[host] >= self._most_out or not self._asked(url, host):
                self._waiting.append(url)

    def _asked(self, url: str, host: str) -> bool:
        """Ask for a sitemap, or give it up; False where robots.txt is not known yet."""
        verdict = self._verdict(url)
        if verdict.access is RobotsAccess.ALLOWED:
            # A page may be smaller than a sitemap; of a larger one its beginning counts.
            self._fetcher.submit(Request(url, cut_at=MOST_BYTES), SitemapTag(url))
            self._out[host] += 1
        elif verdict.access is RobotsAccess.REFUSED:
            logger.warning(
                "The sitemap %s is not read: robots.txt forbids it (%s)", url, verdict.rule
            )
        elif verdict.access is RobotsAccess.WAIT:
            logger.warning("The sitemap %s is not read, as %s", url, verdict.rule)
        return verdict.access is not RobotsAccess.UNKNOWN

    def report(self) -> None:
        """Say at the end of a crawl what was too much of it."""
        if self._too_many:
            logger.warning(
                "More than %d sitemaps are named; %d times another one is, which is not read",
                _MOST_SITEMAPS,
                self._too_many,
            )
        if self._not_asked:
            logger.warning(
                "A limit of the crawl is reached: %d sitemaps are not read, the first is %s",
                len(self._not_asked),
                self._not_asked[0],
            )

    def answered(self, tag: SitemapTag, response: Response) -> None:
        """Carry the crawl to the URLs of a sitemap."""
        self._out[host_of(tag.url)] -= 1
        self._has_news = True
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
