"""The fetcher against hosts in trouble: repetitions, pauses, and giving up in time."""

from __future__ import annotations

import dataclasses
import time
from typing import TYPE_CHECKING

import pytest

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.politeness import Patience
from site_indexer.crawling.responses import Failure, Request, Response

if TYPE_CHECKING:
    from tests.integration.crawling.hostile_server import Client, HostileServer, Seen

QUICK = Patience(first_pause_s=0.01, longest_pause_s=0.05, rounds=4, closed_s=30.0)
SETTINGS = CrawlSettings(
    site="test",
    user_agent="SiteIndexer/1",
    hosts=(),
    delay_s=0.0,
    timeout_s=5.0,
    retries=2,
    allow_networks=("127.0.0.0/8",),
)


def fetcher(resolve: tuple[str, ...] = (), **changes: object) -> Fetcher:
    settings = dataclasses.replace(SETTINGS, **changes)  # type: ignore[arg-type]
    return Fetcher(settings, resolve=resolve, patience=QUICK, first_retry_s=0.01)


def fetch(*urls: str, **changes: object) -> list[Response]:
    with fetcher(**changes) as one:  # type: ignore[arg-type]
        for tag, url in enumerate(urls):
            one.submit(Request(url), tag)
        found = dict(drain(one))
    return [found[tag] for tag in range(len(urls))]


def drain(one: Fetcher) -> list[tuple[object, Response]]:
    """All that is pending, in the order of finishing."""
    found = []
    while one.pending:
        found += one.poll(10.0)
    return found


def reset(client: Client, _seen: Seen) -> None:
    client.reset()


class TestRepetition:
    def test_what_can_pass_is_tried_again(self, hostile: HostileServer) -> None:
        fine = hostile.reply(b"fine")
        urls = [
            hostile.answer("/500", hostile.reply(status="500 Oops"), fine),
            hostile.answer("/429", hostile.reply(status="429 Slow"), fine),
            hostile.answer("/cut", hostile.reply(b"x", "Connection: close", length=9), fine),
        ]
        responses = fetch(*urls)
        assert [response.body for response in responses] == [b"fine"] * 3
        assert [response.attempts for response in responses] == [2, 2, 2]

    def test_a_connection_that_breaks_is_made_again(self, hostile: HostileServer) -> None:
        (response,) = fetch(hostile.answer("/", reset, hostile.reply(b"fine")))
        assert (response.body, response.attempts) == (b"fine", 2)

    def test_those_that_fail_together_do_not_come_back_together(
        self, hostile: HostileServer
    ) -> None:
        """After the first time, and after the second: give or take a half (4.1)."""
        busy = hostile.reply(status="500 Oops")
        now = 100.0
        with Fetcher(SETTINGS, first_retry_s=8.0, clock=lambda: now) as one:
            for n in range(40):
                one.submit(Request(hostile.answer(f"/{n}", busy)), n)
            for least, most in ((4.0, 12.0), (8.0, 24.0)):
                while len(one._retries) < 40:
                    one.poll(0.0)
                waits = sorted(at - now for at, *_ in one._retries)
                assert least <= waits[0] <= waits[-1] < most
                # By chance 40 of them lie nearer to each other once in ten billion times.
                assert waits[-1] - waits[0] > (most - least) / 2
                assert len(set(waits)) == 40
                now += most
                one.poll(0.0)

    @pytest.mark.parametrize("status", ["500 Oops", "503 Busy", "429 Slow", "408 Late"])
    def test_not_for_ever(self, hostile: HostileServer, status: str) -> None:
        (response,) = fetch(hostile.answer("/", hostile.reply(status=status)))
        assert (response.status, response.attempts) == (int(status[:3]), 3)
        assert response.failure is not None
        assert len(hostile.seen) == 3

    @pytest.mark.parametrize("status", ["403 No", "404 No", "400 No", "501 No", "206 Part"])
    def test_what_stays_as_it_is_is_asked_once(self, hostile: HostileServer, status: str) -> None:
        (response,) = fetch(hostile.answer("/", hostile.reply(status=status)))
        assert (response.attempts, len(hostile.seen)) == (1, 1)

    def test_one_try_where_none_more_are_wanted(self, hostile: HostileServer) -> None:
        url = hostile.answer("/", hostile.reply(b"", "Retry-After: 100", status="503 Busy"))
        (response,) = fetch(url, retries=0)
        assert (response.failure, response.attempts) == (Failure.SERVER_ERROR, 1)
        assert response.header("retry-after") == "100"

    def test_a_body_that_is_too_large_is_not_asked_for_again(self, hostile: HostileServer) -> None:
        (response,) = fetch(hostile.answer("/", hostile.reply(b"x" * 100)), max_bytes=10)
        assert (response.failure, response.attempts) == (Failure.TOO_LARGE, 1)

    def test_brotli_takes_two_requests_and_counts_as_one_attempt(
        self, hostile: HostileServer
    ) -> None:
        body = b"\x0b\x02\x80hello\x03"
        (response,) = fetch(hostile.answer("/", hostile.reply(body, "Content-Encoding: br")))
        assert (response.body, response.attempts, len(hostile.seen)) == (b"hello", 1, 2)


class TestRetryAfter:
    def test_it_is_waited_for_by_all_requests_to_the_host(self, hostile: HostileServer) -> None:
        busy = hostile.reply(b"", "Retry-After: 1", status="429 Slow")
        first = hostile.answer("/first", busy, hostile.reply(b"1"))
        second = hostile.answer("/second", hostile.reply(b"2"))
        responses = fetch(first, second, concurrency=1)
        assert [response.body for response in responses] == [b"1", b"2"]
        assert hostile.paths() == ["/first", "/first", "/second"]
        assert hostile.seen[1].at - hostile.seen[0].at >= 1.0

    def test_other_hosts_do_not_wait(self, hostile: HostileServer) -> None:
        hostile.answer("/busy", hostile.reply(b"", "Retry-After: 1", status="503 Busy"))
        hostile.answer("/fine", hostile.reply(b"x"))
        pins = tuple(f"{name}.example:{hostile.port}:127.0.0.1" for name in "ab")
        with fetcher(resolve=pins, retries=1) as one:
            one.submit(Request(f"http://a.example:{hostile.port}/busy"), "a")
            one.submit(Request(f"http://b.example:{hostile.port}/fine"), "b")
            assert [tag for tag, _ in drain(one)] == ["b", "a"]

    def test_a_longer_one_than_can_be_waited_for_fails_all_at_once(
        self, hostile: HostileServer
    ) -> None:
        busy = hostile.reply(b"", "Retry-After: 86400", status="429 Slow")
        urls = [hostile.answer(f"/{n}", busy) for n in range(20)]
        responses = fetch(*urls, concurrency=1)
        assert {response.failure for response in responses} == {Failure.RATE_LIMITED}
        assert len(hostile.seen) == 1
        assert responses[0].status == 429
        assert "in trouble" in (responses[-1].error or "")


class TestHostsInTrouble:
    def test_a_storm_of_429_ends_soon(self, hostile: HostileServer) -> None:
        busy = hostile.reply(status="429 Slow")
        urls = [hostile.answer(f"/{n}", busy) for n in range(200)]
        responses = fetch(*urls)
        assert {response.failure for response in responses} == {Failure.RATE_LIMITED}
        assert len(hostile.seen) < 20

    def test_a_host_that_is_down_costs_a_few_tries_not_one_for_each_url(
        self, hostile: HostileServer
    ) -> None:
        urls = [hostile.answer(f"/{n}", reset) for n in range(200)]
        responses = fetch(*urls)
        assert {response.failure for response in responses} == {Failure.CONNECTION}
        assert sum(response.attempts for response in responses) < 40

    def test_a_host_that_comes_back_is_crawled_on(self, hostile: HostileServer) -> None:
        fine = hostile.reply(b"fine")
        urls = [hostile.answer("/0", reset, reset, fine)]
        urls += [hostile.answer(f"/{n}", fine) for n in range(1, 30)]
        assert [response.failure for response in fetch(*urls)] == [None] * 30

    def test_a_broken_page_among_good_ones_is_no_trouble(self, hostile: HostileServer) -> None:
        urls = [
            hostile.answer(
                f"/{n}", hostile.reply(b"x") if n % 4 else hostile.reply(status="500 No")
            )
            for n in range(60)
        ]
        responses = fetch(*urls)
        assert sum(response.failure is None for response in responses) == 45
        assert {r.attempts for r in responses if r.failure is not None} == {3}

    @pytest.mark.parametrize("concurrency", [1, 4])
    def test_pages_that_are_never_there_close_no_host_that_answers_others(
        self, hostile: HostileServer, concurrency: int
    ) -> None:
        busy, fine = hostile.reply(status="503 Busy"), hostile.reply(b"x")
        urls = [hostile.answer(f"/busy{n}", busy) for n in range(2)]
        urls += [hostile.answer(f"/{n}", fine) for n in range(20)]
        responses = fetch(*urls, concurrency=concurrency)
        assert [response.failure for response in responses[2:]] == [None] * 20
        assert {response.attempts for response in responses[:2]} == {3}

    def test_nor_do_two_that_are_all_there_is_to_ask(self, hostile: HostileServer) -> None:
        busy = hostile.reply(status="503 Busy")
        with fetcher() as one:
            for number in range(2):
                one.submit(Request(hostile.answer(f"/{number}", busy)), number)
            assert {response.attempts for _, response in drain(one)} == {3}
            one.submit(Request(hostile.answer("/found", hostile.reply(b"x"))), "found")
            assert [response.body for _, response in drain(one)] == [b"x"]


class TestPoliteness:
    def test_starts_keep_their_distance(self, hostile: HostileServer) -> None:
        urls = [hostile.answer(f"/{n}", hostile.reply(b"x")) for n in range(5)]
        before = time.monotonic()
        fetch(*urls, delay_s=0.05)
        assert time.monotonic() - before >= 0.2

    def test_robots_can_lengthen_the_distance(self, hostile: HostileServer) -> None:
        urls = [hostile.answer(f"/{n}", hostile.reply(b"x")) for n in range(3)]
        with fetcher() as one:
            one.set_host_delay(hostile.authority, 0.1)
            before = time.monotonic()
            for url in urls:
                one.submit(Request(url), url)
            drain(one)
        assert time.monotonic() - before >= 0.2

    def test_no_more_are_under_way_than_the_site_allows(self, hostile: HostileServer) -> None:
        def slow(client: Client, _seen: Seen) -> None:
            client.stopped.wait(0.02)
            client.send(hostile.reply(b"x"))

        fetch(*[hostile.answer(f"/{n}", slow) for n in range(12)], concurrency=3)
        assert 1 <= hostile.most_at_once <= 3


class TestPolling:
    def test_nothing_pending_returns_at_once(self) -> None:
        with fetcher() as one:
            assert one.poll(60.0) == []

    def test_responses_come_as_they_finish(self, hostile: HostileServer) -> None:
        def slow(client: Client, _seen: Seen) -> None:
            while len(hostile.seen) < 2 and not client.stopped.wait(0.005):
                pass
            client.stopped.wait(0.05)
            client.send(hostile.reply(b"slow"))

        with fetcher() as one:
            one.submit(Request(hostile.answer("/slow", slow)), "slow")
            one.submit(Request(hostile.answer("/quick", hostile.reply(b"quick"))), "quick")
            assert one.pending == 2
            assert [tag for tag, _ in drain(one)] == ["quick", "slow"]
            assert one.pending == 0

    def test_it_waits_no_longer_than_it_is_told(self, hostile: HostileServer) -> None:
        with fetcher() as one:
            one.submit(Request(hostile.answer("/", lambda client, _: client.hang())), "a")
            assert one.poll(0.05) == []
            assert one.pending == 1

    def test_closing_gives_up_what_is_under_way(self, hostile: HostileServer) -> None:
        one = fetcher()
        for number in range(9):
            one.submit(Request(hostile.answer("/", lambda client, _: client.hang())), number)
        one.poll(0.05)
        one.close()
        assert one.pending == 0
