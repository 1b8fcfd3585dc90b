"""One request at a time, from the network or from saved bytes, for looking at single URLs."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol

from site_indexer.crawling.content_coding import Body, BodyError
from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.http_status import failure_of_status
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.politeness import Patience
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.crawling.robots import RobotsCache, RobotsVerdict
from site_indexer.errors import UrlError
from site_indexer.urls import normalize

_POLL_S = 0.5
_MOST_BYTES = 10 * 2**20
_IMPATIENT = Patience(
    rounds=1, closed_s=0.0, longest_retry_after_s=0.0, long_retry_after_pause_s=0.0
)


class Fetch(Protocol):
    """Makes one request and returns what came."""

    def __call__(self, request: Request) -> Response:
        """The response; one with a failure and without a status where none came."""
        ...


@contextmanager
def network_fetch(
    settings: CrawlSettings, *, resolve: Iterable[str] = (), local_hosts: Iterable[str] = ()
) -> Iterator[Fetch]:
    """Requests over the network, each tried as often as ``settings.retries`` says.

    ``resolve`` and ``local_hosts`` are those of :class:`~site_indexer.crawling.fetcher.Fetcher`.
    A Retry-After is not waited for.
    """
    with Fetcher(
        settings, resolve=resolve, local_hosts=local_hosts, patience=_IMPATIENT
    ) as fetcher:

        def fetch(request: Request) -> Response:
            fetcher.submit(request, request)
            while True:
                for _, response in fetcher.poll(_POLL_S):
                    return response

        yield fetch


def saved_fetch(
    *,
    body: bytes,
    headers: Iterable[tuple[str, str]] = (),
    status: int = 200,
    now: dt.datetime,
    max_bytes: int = _MOST_BYTES,
) -> Fetch:
    """The same saved answer to any request. Header names may be in any case.

    ``body`` is as it came: a Content-Encoding in the headers is undone. A larger one than
    ``max_bytes``, or one that is not in its coding, is the failure that it is over the network.
    """
    pairs = tuple((name.strip().lower(), value.strip()) for name, value in headers)
    decoded, spoilt = _decoded(body, pairs, max_bytes)

    def fetch(request: Request) -> Response:
        location = _location(request.url, pairs) if 300 <= status < 400 else None
        problem = failure_of_status(status, located=location is not None) or spoilt
        return Response(
            request=request,
            status=status,
            headers=pairs,
            body=decoded,
            received_at=now,
            elapsed_ms=0,
            failure=problem[0] if problem is not None else None,
            error=f"{request.url}: {problem[1]}" if problem is not None else None,
            location=location,
        )

    return fetch


def verdict_on(url: str, cache: RobotsCache, fetch: Fetch) -> RobotsVerdict:
    """What robots.txt says of a normalized URL; asked for unless the cache knows it."""
    while (request := cache.needs(url)) is not None:
        cache.store(url, fetch(request))
    return cache.verdict(url)


def _decoded(
    data: bytes, headers: Iterable[tuple[str, str]], max_bytes: int
) -> tuple[bytes, tuple[Failure, str] | None]:
    """The body without its content codings, and what is wrong with it."""
    coding = ",".join(value for name, value in headers if name == "content-encoding")
    try:
        body = Body(coding, max_bytes=max_bytes)
        body.feed(data)
        return body.close(), None
    except BodyError as error:
        return b"", (error.failure, error.message)


def _location(url: str, headers: Iterable[tuple[str, str]]) -> str | None:
    value = next((value for name, value in headers if name == "location"), None)
    if not value:
        return None
    try:
        return normalize(value, url)
    except UrlError:
        return None
