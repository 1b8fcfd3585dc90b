"""Which requests go out next: what the index holds is looked up, robots.txt asked, HEAD or GET.

Hosts have queues of their own, so that a slow host keeps no other waiting
(docs/spec/04-crawling.md, 4.8 Deciding and 4.10 Limits).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from site_indexer.crawling.answer_reader import page_request
from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.frontier import Entry, Frontier
from site_indexer.crawling.looking_up import LookUp
from site_indexer.crawling.model import CrawlSettings, KnownPages, StoredPage
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.responses import Failure, Response
from site_indexer.crawling.robots import RobotsAccess, RobotsCache, RobotsVerdict
from site_indexer.urls import host_of
from site_indexer.values import value_object

logger = logging.getLogger("site_indexer.crawling")

_LOOKED_UP_AT_ONCE = 250
# Enough to keep all connections of a host busy, and few enough to stop soon at a limit.
_WAITING_PER_CONNECTION = 4


@value_object
class PageTag:
    """A request for a page; ``head``: only its server date is asked for."""

    entry: Entry
    stored: StoredPage | None
    head: bool = False


@dataclass(frozen=True, slots=True)
class RobotsTag:
    """A request for the robots.txt that governs ``url``."""

    url: str


class Dispatcher:
    """Takes URLs from the frontier and submits their requests."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        fetcher: Fetcher,
        known: KnownPages,
        *,
        head_first: Callable[[Entry], bool],
        now: Callable[[], dt.datetime],
    ) -> None:
        """``head_first`` says of which entries the server's date is to be asked first."""
        self._obey = settings.obey_robots
        self._delay_s = settings.delay_s
        self._window = max(1, settings.concurrency) * _WAITING_PER_CONNECTION
        self._frontier = frontier
        self._fetcher = fetcher
        self._look_up = LookUp(known)
        self._head_first = head_first
        self._now = now
        self._ready: dict[str, deque[PageTag]] = {}
        self._out: dict[str, int] = {}
        self._awaiting_robots: dict[str, list[PageTag]] = {}
        self._delayed: set[str] = set()
        self.robots = RobotsCache()
        self.submitted = 0
        """How many pages were asked for, each counted once."""

    @property
    def waiting(self) -> int:
        """How many URLs are taken from the frontier and not asked for yet."""
        return self._look_up.pending + self._admitted

    @property
    def _admitted(self) -> int:
        return sum(map(len, self._ready.values())) + sum(map(len, self._awaiting_robots.values()))

    def _takes_more(self, host: str) -> bool:
        """Whether further URLs of a host are to be looked up: each has some in store, and no more.

        So one that is slow neither keeps others waiting nor fills the memory with entries.
        """
        admitted = len(self._ready.get(host, ()))
        for origin, waiting in self._awaiting_robots.items():
            if host_of(origin) == host:
                admitted += len(waiting)
        return admitted < max(self._window, _LOOKED_UP_AT_ONCE)

    def fill(self, budget: int) -> list[tuple[Entry, PageFacts]]:
        """Submit what may go out, ``budget`` pages at most; returns what needs no request."""
        refused: list[tuple[Entry, PageFacts]] = []
        if not self._look_up.pending:
            entries = self._frontier.take(min(_LOOKED_UP_AT_ONCE, budget), self._takes_more)
            if entries:
                self._look_up.ask(entries)
        idle = not (self._admitted or self._fetcher.pending)
        for entry, stored in self._look_up.found(wait=idle):
            self._admit(PageTag(entry, stored), refused)
        for host, queue in self._ready.items():
            while queue and budget > 0 and self._out.get(host, 0) < self._window:
                self._submit(queue.popleft(), host)
                budget -= 1
        return refused

    def close(self) -> None:
        """Give up what is looked up."""
        self._look_up.close()

    def answered(self, tag: PageTag) -> None:
        """Note that the request of a tag is over."""
        host = host_of(tag.entry.url)
        self._out[host] -= 1

    def ask_for_page(self, tag: PageTag) -> None:
        """Submit the GET after a HEAD that did not decide."""
        self._out[host_of(tag.entry.url)] += 1
        self._fetcher.submit(
            page_request(tag.entry.url, tag.stored), PageTag(tag.entry, tag.stored)
        )

    def robots_answered(self, tag: RobotsTag, response: Response) -> list[tuple[Entry, PageFacts]]:
        """Take a robots.txt; returns the URLs that it forbids of those that waited for it."""
        refused: list[tuple[Entry, PageFacts]] = []
        self.robots.store(tag.url, response)
        if self.ask_robots(tag.url):
            return refused
        for waiting in self._awaiting_robots.pop(_origin_of(tag.url), []):
            self._admit(waiting, refused)
        return refused

    def ask_robots(self, url: str) -> bool:
        """Ask for the robots.txt that governs a URL; False if it is known or under way."""
        request = self.robots.needs(url)
        if request is None:
            return False
        self._fetcher.submit(request, RobotsTag(url))
        return True

    def verdict(self, url: str) -> RobotsVerdict:
        """What robots.txt says of a URL; where that is unknown it is asked for.

        A delay that it asks for is kept from then on.
        """
        if not self._obey:
            return RobotsVerdict(RobotsAccess.ALLOWED)
        verdict = self.robots.verdict(url)
        if verdict.access is RobotsAccess.UNKNOWN:
            self.ask_robots(url)
        elif verdict.access is RobotsAccess.ALLOWED and verdict.crawl_delay is not None:
            self._keep_delay(host_of(url), verdict.crawl_delay)
        return verdict

    def _admit(self, tag: PageTag, refused: list[tuple[Entry, PageFacts]]) -> None:
        """Queue a URL at its host, or wait for the host's robots.txt, or refuse it."""
        url = tag.entry.url
        verdict = self.verdict(url)
        if verdict.access is RobotsAccess.UNKNOWN:
            self._awaiting_robots.setdefault(_origin_of(url), []).append(tag)
        elif verdict.access is RobotsAccess.ALLOWED:
            self._ready.setdefault(host_of(url), deque()).append(tag)
        else:
            refused.append((tag.entry, self._refusal(tag, verdict.access, verdict.rule)))

    def _keep_delay(self, host: str, seconds: float) -> None:
        if host in self._delayed:
            return
        self._delayed.add(host)
        self._fetcher.set_host_delay(host, seconds)
        if seconds > self._delay_s:
            logger.info(
                "robots.txt of %s asks for %g s between two requests; it gets them", host, seconds
            )

    def _refusal(self, tag: PageTag, access: RobotsAccess, rule: str | None) -> PageFacts:
        stored = tag.stored is not None
        aliases = tag.stored.aliases if tag.stored is not None else ()
        url = tag.entry.url
        if access is RobotsAccess.REFUSED:
            return PageFacts(
                Answer.REFUSED,
                fetched_at=self._now(),
                stored=stored,
                aliases=aliases,
                error=f"{url}: robots.txt forbids it ({rule}).",
            )
        return PageFacts(
            Answer.FAILED,
            fetched_at=self._now(),
            stored=stored,
            aliases=aliases,
            failure=Failure.ROBOTS_UNREACHABLE,
            error=f"{url}: not asked for, as {rule}.",
        )

    def _submit(self, tag: PageTag, host: str) -> None:
        self._out[host] = self._out.get(host, 0) + 1
        self.submitted += 1
        if self._head_first(tag.entry):
            head = PageTag(tag.entry, tag.stored, head=True)
            self._fetcher.submit(page_request(tag.entry.url, None, method="HEAD"), head)
        else:
            self._fetcher.submit(page_request(tag.entry.url, tag.stored), tag)


def _origin_of(url: str) -> str:
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}"
