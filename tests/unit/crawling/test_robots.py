from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.crawling.robots import RobotsAccess, RobotsCache

PAGE = "https://h.example/page"
ROBOTS = "https://h.example/robots.txt"


def response(
    status: int | None,
    body: bytes = b"",
    *,
    failure: Failure | None = None,
    location: str | None = None,
) -> Response:
    return Response(
        request=Request(ROBOTS),
        status=status,
        headers=(),
        body=body,
        received_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        elapsed_ms=1,
        failure=failure,
        error=failure and f"{ROBOTS}: {failure}",
        location=location,
    )


def after(*responses: Response) -> RobotsCache:
    """A cache that was given these responses, one for each request that it asked for."""
    cache = RobotsCache()
    for one in responses:
        assert cache.needs(PAGE) is not None
        cache.store(PAGE, one)
    return cache


def test_each_origin_is_asked_once() -> None:
    cache = RobotsCache()
    asked = [cache.needs(url) for url in (PAGE, "https://h.example/other", "http://h.example/")]
    asked.append(cache.needs("https://h.example:8443/a?b"))
    urls = [request and request.url for request in asked]
    assert urls == [
        ROBOTS,
        None,
        "http://h.example/robots.txt",
        "https://h.example:8443/robots.txt",
    ]
    assert asked[0] is not None
    assert asked[0].cut_at == 500 * 1024


def test_nothing_is_known_before_the_answer() -> None:
    cache = RobotsCache()
    assert cache.verdict(PAGE).access is RobotsAccess.UNKNOWN
    cache.needs(PAGE)
    assert cache.verdict(PAGE).access is RobotsAccess.UNKNOWN
    assert not cache.verdict(PAGE).allowed


def test_rules_decide_and_say_which() -> None:
    body = b"User-agent: *\nDisallow: /page\nCrawl-delay: 2\nSitemap: /s.xml"
    cache = after(response(200, body))
    refused = cache.verdict(PAGE)
    assert (refused.access, refused.rule) == (RobotsAccess.REFUSED, "Disallow: /page")
    free = cache.verdict("https://h.example/")
    assert (free.access, free.rule) == (RobotsAccess.ALLOWED, None)
    for verdict in (refused, free):
        assert verdict.crawl_delay == 2.0
        assert verdict.sitemaps == ("https://h.example/s.xml",)
    assert cache.needs(PAGE) is None
    assert cache.verdict("http://h.example/page").access is RobotsAccess.UNKNOWN


@pytest.mark.parametrize("status", [204, 400, 401, 403, 404, 410, 451])
def test_4xx_and_no_content_mean_no_limits(status: int) -> None:
    failure = None if status in (404, 410) else Failure.CLIENT_ERROR
    verdict = after(response(status, failure=failure)).verdict(PAGE)
    assert verdict.allowed
    assert str(status) in (verdict.rule or "")


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (500, Failure.SERVER_ERROR),
        (503, Failure.SERVER_ERROR),
        (429, Failure.RATE_LIMITED),
        (None, Failure.TIMEOUT),
        (None, Failure.CONNECTION),
        (None, Failure.DNS),
        (200, Failure.TRUNCATED),
        (206, Failure.PROTOCOL),
        (302, Failure.PROTOCOL),
    ],
)
def test_what_cannot_be_read_means_do_not_crawl_now(status: int | None, failure: Failure) -> None:
    verdict = after(response(status, failure=failure)).verdict(PAGE)
    assert verdict.access is RobotsAccess.WAIT
    assert failure in (verdict.rule or "")


def test_redirects_are_followed_to_other_hosts_too() -> None:
    cache = after(response(301, location="https://www.h.example/robots.txt"))
    assert cache.verdict(PAGE).access is RobotsAccess.UNKNOWN
    hop = cache.needs(PAGE)
    assert hop is not None
    assert hop.url == "https://www.h.example/robots.txt"
    assert cache.needs(PAGE) is None
    cache.store(PAGE, response(200, b"User-agent: *\nDisallow: /page"))
    assert cache.verdict(PAGE).access is RobotsAccess.REFUSED
    assert cache.verdict("https://www.h.example/page").access is RobotsAccess.UNKNOWN


def test_five_redirects_are_followed_and_no_more() -> None:
    redirect = response(302, location=ROBOTS)
    five = after(*[redirect] * 5, response(200, b"User-agent: *\nDisallow: /"))
    assert five.verdict(PAGE).access is RobotsAccess.REFUSED
    six = after(*[redirect] * 6)
    assert six.verdict(PAGE).allowed
    assert six.needs(PAGE) is None
