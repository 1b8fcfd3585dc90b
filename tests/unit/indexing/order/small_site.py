"""A website in memory, and a fetcher that answers from it."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from enum import StrEnum

from site_indexer.crawling.responses import Failure, Request, Response

HOST = "https://h.test"
START = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)


class Kind(StrEnum):
    """How a URL answers."""

    PAGE = "page"
    GONE = "gone"
    FAILS = "fails"
    MOVED = "moved"  # for good
    FOUND = "found"  # elsewhere for now


@dataclass(frozen=True)
class Page:
    """What is at one URL. ``links`` are URLs; of a redirect the first one is where it leads."""

    kind: Kind = Kind.PAGE
    links: tuple[str, ...] = ()
    version: int = 1
    noindex: bool = False
    nofollow: bool = False
    own_date: dt.datetime | None = None
    server_date: dt.datetime | None = None

    @property
    def target(self) -> str | None:
        """Where it redirects to, None for anything that is no redirect."""
        moves = self.kind in (Kind.MOVED, Kind.FOUND)
        return self.links[0] if moves and self.links else None

    @property
    def html(self) -> bytes:
        robots = ",".join(
            ["noindex"] * self.noindex + ["nofollow"] * self.nofollow,
        )
        head = f'<meta name="robots" content="{robots}">' if robots else ""
        if self.own_date is not None:
            head += f'<meta name="date" content="{self.own_date.isoformat()}">'
        anchors = "".join(f'<a href="{link}">link</a> ' for link in self.links)
        return f"<title>t</title>{head}<body><p>version {self.version}</p>{anchors}".encode()


Website = Mapping[str, Page]
"""Pages by URL; what is not there is gone."""

NOTHING = Page(Kind.GONE)


class Clock:
    """A millisecond passes whenever it is looked at."""

    def __init__(self) -> None:
        self._now = START

    def __call__(self) -> dt.datetime:
        self._now += dt.timedelta(milliseconds=1)
        return self._now


def answer(page: Page, request: Request, now: dt.datetime) -> Response:
    """What a web server says of a page."""
    if page.kind is Kind.FAILS:
        return Response(
            request, None, (), b"", now, 1, failure=Failure.TIMEOUT, error="no answer in time"
        )
    if page.kind is Kind.GONE:
        return Response(request, 404, (), b"", now, 1)
    if page.kind in (Kind.MOVED, Kind.FOUND):
        status = 301 if page.kind is Kind.MOVED else 302
        return Response(request, status, (), b"", now, 1, location=page.target or f"{HOST}/none")
    etag = f'"{hashlib.sha256(page.html).hexdigest()[:16]}"'
    headers = [("content-type", "text/html; charset=utf-8"), ("etag", etag)]
    if page.server_date is not None:
        headers.append(("last-modified", format_datetime(page.server_date, usegmt=True)))
    if request.etag == etag:
        return Response(request, 304, tuple(headers), b"", now, 1)
    body = b"" if request.method == "HEAD" else page.html
    return Response(request, 200, tuple(headers), body, now, 1)


class SiteFetcher:
    """Does what :class:`site_indexer.crawling.fetcher.Fetcher` does, in memory.

    Answers come one at a time, in an order that is anybody's guess.
    """

    def __init__(self, website: Website, clock: Clock, order: random.Random) -> None:
        self.pending = 0
        self.asked: list[str] = []
        self._website = website
        self._clock = clock
        self._order = order
        self._waiting: list[tuple[object, Request]] = []

    def submit(self, request: Request, tag: object) -> None:
        self.pending += 1
        self._waiting.append((tag, request))
        if request.method == "GET":
            assert request.url not in self.asked, f"{request.url} is fetched twice"
            self.asked.append(request.url)

    def poll(self, timeout: float) -> list[tuple[object, Response]]:
        del timeout
        tag, request = self._waiting.pop(self._order.randrange(len(self._waiting)))
        self.pending -= 1
        page = self._website.get(request.url, NOTHING)
        return [(tag, answer(page, request, self._clock()))]

    def wake_on(self, bell: object) -> None:
        """Nothing waits here."""

    def set_host_delay(self, host: str, seconds: float) -> None:
        """Nothing here takes time."""

    def close(self) -> None:
        """Nothing is open."""
