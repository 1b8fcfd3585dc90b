from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.politeness import Patience, Politeness, Trouble
from site_indexer.crawling.responses import Failure

NO_ANSWER = Trouble(Failure.CONNECTION, "no answer")
BUSY = Trouble(Failure.RATE_LIMITED, "busy")
PATIENCE = Patience(first_pause_s=1, longest_pause_s=8, rounds=6, closed_s=60)


def polite(
    *, delay_s: float = 0.0, concurrency: int = 4, patience: Patience = PATIENCE
) -> Politeness[str]:
    return Politeness(delay_s=delay_s, concurrency=concurrency, patience=patience)


def take_all(queue: Politeness[str], now: float) -> list[str]:
    found = []
    while (item := queue.take(now)) is not None:
        found.append(item)
    return found


def is_closed(queue: Politeness[str], now: float) -> bool:
    queue.add("h", "asks")
    if list(queue.take_refused(now)):
        return True
    assert queue.take(now + 1000) == "asks"
    queue.finished("h", started=float("-inf"), now=now)
    return False


def fail(queue: Politeness[str], trouble: Trouble, now: float) -> float:
    """Let one request start as soon as it may and end in trouble at once; returns when."""
    queue.add("h", "probe", first=True)
    at = max(now, queue.wake_at() or now)
    assert queue.take(at) == "probe"
    queue.finished("h", started=at, now=at, trouble=trouble)
    return at


def test_items_of_a_host_come_in_order_and_repetitions_first() -> None:
    queue = polite()
    queue.add("h", "a")
    queue.add("h", "b")
    queue.add("h", "again", first=True)
    assert take_all(queue, 0) == ["again", "a", "b"]


def test_no_more_run_than_allowed_to_each_host() -> None:
    queue = polite(concurrency=2)
    for host in ("x", "y"):
        for number in range(3):
            queue.add(host, f"{host}{number}")
    assert sorted(take_all(queue, 0)) == ["x0", "x1", "y0", "y1"]
    assert queue.wake_at() is None
    queue.finished("x", started=0, now=1)
    assert take_all(queue, 1) == ["x2"]


def test_hosts_take_turns() -> None:
    queue = polite(concurrency=9)
    for number in range(3):
        queue.add("x", f"x{number}")
    queue.add("y", "y0")
    assert take_all(queue, 0) == ["x0", "y0", "x1", "x2"]


def test_starts_keep_their_distance() -> None:
    queue = polite(delay_s=2)
    for item in "abc":
        queue.add("h", item)
    assert take_all(queue, 10) == ["a"]
    assert queue.wake_at() == 12
    assert take_all(queue, 11.9) == []
    assert take_all(queue, 12) == ["b"]
    queue.set_delay("h", 5)
    assert queue.wake_at() == 17
    queue.set_delay("h", 0.5)
    assert queue.wake_at() == 14, "the site's own delay is the least"


class TestTrouble:
    def test_one_request_without_answer_is_no_reason_to_pause(self) -> None:
        queue = polite()
        at = fail(queue, NO_ANSWER, 0)
        queue.add("h", "a")
        assert queue.wake_at() == at

    def test_pauses_double_up_to_the_longest(self) -> None:
        queue = polite(patience=Patience(first_pause_s=1, longest_pause_s=8, rounds=99))
        moments = [0.0]
        for _ in range(7):
            moments.append(fail(queue, BUSY, moments[-1]))
        gaps = [later - before for before, later in itertools.pairwise(moments[1:])]
        assert gaps == [1, 2, 4, 8, 8, 8]

    def test_jitter_lengthens_a_pause_by_up_to_a_half(self) -> None:
        queue = polite()
        queue.add("h", "a")
        queue.take(0)
        queue.finished("h", started=0, now=0, trouble=BUSY, jitter=0.5)
        queue.add("h", "b")
        assert queue.wake_at() == 1.25

    def test_a_burst_counts_once(self) -> None:
        queue = polite()
        for item in "abcd":
            queue.add("h", item)
        assert len(take_all(queue, 0)) == 4
        for moment in (1, 2, 3, 4):
            queue.finished("h", started=0, now=moment, trouble=BUSY)
        queue.add("h", "e")
        assert queue.wake_at() == 2

    def test_a_host_in_trouble_is_asked_by_one_at_a_time_until_it_answers(self) -> None:
        queue = polite()
        at = fail(queue, BUSY, 0)
        for item in "abc":
            queue.add("h", item)
        assert take_all(queue, at + 1) == ["a"]
        assert queue.wake_at() is None
        queue.finished("h", started=at + 1, now=at + 2)
        assert take_all(queue, at + 2) == ["b", "c"]

    def test_what_was_under_way_before_does_not_end_it(self) -> None:
        queue = polite()
        queue.add("h", "early")
        queue.take(0)
        fail(queue, BUSY, 1)
        queue.finished("h", started=0, now=1.5)
        queue.add("h", "a")
        assert queue.wake_at() == 2

    def test_a_host_is_closed_after_the_rounds_and_probed_after_a_while(self) -> None:
        queue = polite()
        at = 0.0
        for _ in range(6):
            assert list(queue.take_refused(at)) == []
            at = fail(queue, NO_ANSWER, at)
        queue.add("h", "a")
        queue.add("h", "b")
        assert list(queue.take_refused(at)) == [("a", NO_ANSWER), ("b", NO_ANSWER)]
        assert queue.wake_at() is None
        queue.add("h", "c")
        queue.add("h", "d")
        assert list(queue.take_refused(at + 60)) == []
        assert take_all(queue, at + 60) == ["c"]
        queue.finished("h", started=at + 60, now=at + 61, trouble=NO_ANSWER)
        assert list(queue.take_refused(at + 61)) == [("d", NO_ANSWER)]

    def test_other_hosts_are_not_concerned(self) -> None:
        queue = polite()
        for _ in range(6):
            fail(queue, NO_ANSWER, 100)
        queue.add("other", "a")
        assert list(queue.take_refused(101)) == []
        assert take_all(queue, 101) == ["a"]

    def test_rounds_without_end_do_not_overflow(self) -> None:
        queue = polite(patience=Patience(rounds=10_000, longest_pause_s=1))
        at = 0.0
        for _ in range(2000):
            at = fail(queue, BUSY, at)
        assert at > 0


class TestRetryAfter:
    def asked(self, seconds: float, failure: Failure = Failure.RATE_LIMITED) -> Trouble:
        return Trouble(failure, "busy", seconds)

    def test_it_is_the_pause(self) -> None:
        queue = polite()
        at = fail(queue, self.asked(17), 0)
        queue.add("h", "a")
        assert queue.wake_at() == at + 17

    def test_a_shorter_one_later_does_not_cut_the_pause(self) -> None:
        queue = polite()
        for item in "ab":
            queue.add("h", item)
        take_all(queue, 5)
        queue.finished("h", started=5, now=5, trouble=self.asked(17))
        queue.finished("h", started=5, now=5, trouble=self.asked(1))
        queue.add("h", "c")
        assert queue.wake_at() == 22

    def test_a_long_one_with_429_closes_the_host_until_then(self) -> None:
        queue = polite()
        at = fail(queue, self.asked(3600), 0)
        assert is_closed(queue, at + 3599)
        assert not is_closed(queue, at + 3600)
        assert not queue.can_wait_for(self.asked(3600))
        assert queue.can_wait_for(self.asked(120))

    def test_a_long_one_with_503_may_be_about_one_page(self) -> None:
        queue = polite()
        at = 0.0
        for _ in range(2):
            at = fail(queue, self.asked(3600, Failure.SERVER_ERROR), at)
            assert not is_closed(queue, at)
        at = fail(queue, self.asked(3600, Failure.SERVER_ERROR), at)
        assert is_closed(queue, at + 3599)


@given(
    st.lists(
        st.tuples(
            st.sampled_from("xyz"),
            st.sampled_from([None, NO_ANSWER, BUSY, Trouble(Failure.SERVER_ERROR, "", 3.0)]),
            st.floats(0, 3),
        ),
        min_size=1,
        max_size=60,
    ),
    st.floats(0, 2),
    st.integers(1, 3),
)
def test_every_item_comes_out_once_and_never_too_soon(
    steps: list[tuple[str, Trouble | None, float]], delay_s: float, concurrency: int
) -> None:
    queue = polite(delay_s=delay_s, concurrency=concurrency)
    for number, (host, _, _) in enumerate(steps):
        queue.add(host, f"{host}{number}")
    now = 0.0
    out: list[str] = []
    running: list[tuple[str, float]] = []
    last_start: dict[str, float] = {}
    while len(out) < len(steps):
        out += [item for item, _ in queue.take_refused(now)]
        while (item := queue.take(now)) is not None:
            host = item[0]
            assert now - last_start.get(host, -10) >= delay_s - 1e-9
            last_start[host] = now
            running.append((item, now))
            assert sum(one[0] == host for one, _ in running) <= concurrency
        wake_at = queue.wake_at()
        if running:
            item, started = running.pop(0)
            _, trouble, takes = steps[int(item[1:])]
            now += takes
            queue.finished(item[0], started=started, now=now, trouble=trouble)
            out.append(item)
        elif wake_at is not None:
            now = max(now, wake_at)
    assert sorted(out) == sorted(f"{host}{number}" for number, (host, _, _) in enumerate(steps))


@pytest.mark.parametrize(
    ("failure", "overloaded"),
    [
        (Failure.RATE_LIMITED, True),
        (Failure.SERVER_ERROR, True),
        (Failure.CONNECTION, False),
    ],
)
def test_a_host_that_answered_is_overloaded(failure: Failure, overloaded: bool) -> None:
    assert Trouble(failure, "").overloaded is overloaded
