from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.url_queue import UrlQueue
from site_indexer.urls import host_of


def url(host: str, number: int) -> str:
    return f"https://{host}.test/{number}"


def queue_of(*urls: str) -> UrlQueue:
    queue = UrlQueue()
    for each in urls:
        queue.append(each)
    return queue


def only(*hosts: str) -> Callable[[str], bool]:
    return lambda host: host.removesuffix(".test") in hosts


def test_what_arrived_first_is_taken_first_whatever_its_host() -> None:
    urls = [url(host, n) for n in range(3) for host in "ab"]
    queue = queue_of(*urls)
    assert queue.take(4, only("a", "b")) + queue.take(4, only("a", "b")) == urls


def test_those_of_a_host_that_takes_no_more_stand_aside_in_their_order() -> None:
    queue = queue_of(*(url("a", n) for n in range(3)), url("b", 0))
    assert queue.take(9, only("b")) == [url("b", 0)]
    queue.append(url("a", 3))
    assert len(queue) == 4
    assert queue.take(2, only("a")) == [url("a", 0), url("a", 1)]
    assert queue.take(9, only("a")) == [url("a", 2), url("a", 3)]
    assert len(queue) == 0


def test_of_hosts_that_stood_aside_each_has_its_turn() -> None:
    queue = queue_of(*(url(host, n) for host in "ab" for n in range(4)))
    assert queue.take(9, only()) == []
    taken = [queue.take(2, only("a", "b")) for _ in range(4)]
    assert [{host_of(each)[0] for each in batch} for batch in taken] == [{"a"}, {"b"}, {"a"}, {"b"}]


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(0, 4), st.sets(st.sampled_from("abc"))),
        max_size=30,
    )
)
def test_each_is_taken_once_and_those_of_a_host_in_their_order(
    steps: list[tuple[str, int, set[str]]],
) -> None:
    queue, added, taken = UrlQueue(), [], []
    for number, (host, most, open_hosts) in enumerate(steps):
        queue.append(url(host, number))
        added.append(url(host, number))
        batch = queue.take(most, only(*open_hosts))
        assert len(batch) <= most
        assert {host_of(each)[0] for each in batch} <= open_hosts
        taken += batch
        assert len(queue) == len(added) - len(taken)
    taken += queue.take(len(added), only("a", "b", "c"))
    for host in "abc":
        assert [each for each in taken if host_of(each)[0] == host] == [
            each for each in added if host_of(each)[0] == host
        ]
