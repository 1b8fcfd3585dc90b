"""Things go from thread to thread in batches, in their order, and none is lost."""

from __future__ import annotations

import threading
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from site_indexer.index_store.batches import Batches

LONG_S = 3_600.0


def test_a_batch_is_taken_once_it_is_full() -> None:
    batches: Batches[int] = Batches(size=3, most=10, longest_wait_s=LONG_S)
    for number in range(7):
        assert batches.put(number)
    assert (batches.take(), batches.take()) == ([0, 1, 2], [3, 4, 5])


def test_a_few_are_taken_in_a_hurry_and_what_comes_then_is_not() -> None:
    batches: Batches[int] = Batches(size=3, most=10, longest_wait_s=0.001)
    for number in range(4):
        batches.put(number)
    batches.hurry()
    assert (batches.take(), batches.take(), batches.take()) == ([0, 1, 2], [3], [])


def test_a_few_are_taken_after_a_while() -> None:
    batches: Batches[int] = Batches(size=3, most=10, longest_wait_s=0.001)
    batches.put(1)
    assert batches.take() == [1]


def test_there_is_room_for_so_many() -> None:
    batches: Batches[int] = Batches(size=2, most=2, longest_wait_s=LONG_S)
    assert batches.put(1)
    assert batches.put(2)
    assert not batches.put(3)
    batches.take()
    assert batches.put(3)


def test_who_waits_for_room_is_woken() -> None:
    batches: Batches[int] = Batches(size=1, most=1, longest_wait_s=LONG_S)
    batches.put(1)
    put: list[bool] = []
    waiting = threading.Thread(target=lambda: put.append(batches.put(2, timeout_s=LONG_S)))
    waiting.start()
    assert batches.take() == [1]
    waiting.join()
    assert put == [True]
    assert batches.take() == [2]


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 5), st.integers(1, 8), st.lists(st.integers(0, 200), min_size=1, max_size=4))
def test_all_arrive_once_and_in_the_order_of_their_thread(
    size: int, more: int, counts: list[int]
) -> None:
    batches: Batches[tuple[int, int]] = Batches(size=size, most=size + more, longest_wait_s=0.001)
    putting = [
        threading.Thread(
            target=lambda who=who, count=count: [
                batches.put((who, number), timeout_s=LONG_S) for number in range(count)
            ]
        )
        for who, count in enumerate(counts)
    ]
    for thread in putting:
        thread.start()
    taken: list[tuple[int, int]] = []
    deadline = time.monotonic() + 60
    while len(taken) < sum(counts) and time.monotonic() < deadline:
        taken += batches.take()
    for thread in putting:
        thread.join()
    for who, count in enumerate(counts):
        assert [number for one, number in taken if one == who] == list(range(count))
    assert len(taken) == sum(counts)
