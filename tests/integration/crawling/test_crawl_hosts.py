"""A site of several hosts: none waits for another (docs/spec/04-crawling.md, 4.2 Politeness)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from site_indexer.crawling.crawl import Crawl
from site_indexer.crawling.frontier import Frontier
from tests.integration.crawling.crawling_case import Case, rule, rules
from tests.integration.crawling.hostile_server import (
    Client,
    Handler,
    HostileServer,
    Seen,
    hostile_server,
)
from tests.integration.crawling.small_site import small_site

if TYPE_CHECKING:
    from site_indexer.crawling.model import PageRecord

SLOW_PAGES = 3_000
FAST_PAGES = 600
"""More of each than are looked up at once."""


class EnoughError(Exception):
    """The fast host is done."""


@pytest.fixture
def fast() -> Iterator[Case]:
    with small_site() as site:
        for n in range(FAST_PAGES):
            site.page(f"/{n}")
        yield Case(site)


@pytest.fixture
def slow() -> Iterator[HostileServer]:
    with hostile_server() as server:
        yield server


def silent(client: Client, _seen: Seen) -> None:
    client.hang()


def crawl_until(
    case: Case, other: HostileServer, links: list[str], enough: Callable[[], bool]
) -> Frontier:
    """Crawl both hosts from a page with these links; returns the frontier as it was by then."""
    case.site.page("/", links=links)
    urls = [f"{case.site.url}/", other.url("/")]
    frontier = Frontier(keep_whole=0)

    def check() -> None:
        if enough():
            raise EnoughError

    crawl = Crawl(
        settings=dataclasses.replace(
            case.settings, hosts=(case.site.authority, other.authority), concurrency=4
        ),
        seeds=[case.seed("/")],
        rules={0: rules(*(rule("include", url) for url in urls))},
        known=case.index,
        sink=case.sink,
        frontier=frontier,
        may_go_on=check,
    )
    with pytest.raises(EnoughError):
        crawl.run()
    return frontier


def links_of(case: Case, slow: HostileServer) -> list[str]:
    """All links to the slow host come first."""
    return [
        *(slow.url(f"/{n}") for n in range(SLOW_PAGES)),
        *(f"{case.site.url}/{n}" for n in range(FAST_PAGES)),
    ]


def on(host: HostileServer, records: dict[str, PageRecord]) -> list[str]:
    return [each.url for each in records.values() if each.url.startswith(host.url("/"))]


@pytest.mark.parametrize(
    "robots",
    [
        HostileServer.reply(b"User-agent: *\nCrawl-delay: 3600\n", "Content-Type: text/plain"),
        silent,
    ],
    ids=["crawl-delay", "no robots.txt comes"],
)
def test_a_host_goes_at_its_own_pace_beside_one_that_is_slow(
    fast: Case, slow: HostileServer, robots: bytes | Handler
) -> None:
    slow.answer("/robots.txt", robots)
    frontier = crawl_until(
        fast,
        slow,
        links_of(fast, slow),
        lambda: len(fast.sink.records) - len(on(slow, fast.sink.records)) > FAST_PAGES,
    )
    assert len(on(slow, fast.sink.records)) <= 1
    assert frontier.queued > SLOW_PAGES - 1_000
    # Of what waits only how a link led to it is kept.
    assert sum(1 for _ in frontier) < 1_000
    assert (
        list(frontier.unanswered())
        == [slow.url(f"/{n}") for n in range(SLOW_PAGES)][len(on(slow, fast.sink.records)) :]
    )


def test_a_host_in_trouble_keeps_no_other_waiting(fast: Case, slow: HostileServer) -> None:
    slow.answer("/robots.txt", slow.reply(status="404 No"))
    slow.instead = slow.reply(b"", "Retry-After: 100", status="429 Slow down")
    slow.instead_after = 1
    crawl_until(
        fast,
        slow,
        links_of(fast, slow),
        lambda: len(fast.sink.records) - len(on(slow, fast.sink.records)) > FAST_PAGES,
    )
    assert len(slow.seen) < 20
