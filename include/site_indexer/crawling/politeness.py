"""Which request may start when, per host (docs/spec/04-crawling.md, 4.2 Politeness).

No clock and no I/O: every call is given the time, in seconds of any monotonic clock. Hosts are
authorities (``host`` or ``host:port``). Items are whatever the caller queues.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from site_indexer.crawling.responses import Failure

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to bear with a host in trouble; seconds and counts.

    A host is in trouble when requests that started after the last trouble end without any answer,
    or with 429 or 503. Each such round doubles the pause; after ``rounds`` of them, by
    ``different_items`` or more, the host is closed for ``closed_s``: what is queued for it fails at
    once. A Retry-After up to
    ``longest_retry_after_s`` is the pause; a longer one closes the host until then: at once for
    429, which is about this client, in the third round for others, where one page may be meant;
    until then the pause is ``long_retry_after_pause_s``.
    """

    first_pause_s: float = 1.0
    longest_pause_s: float = 30.0
    rounds: int = 6
    different_items: int = 3
    closed_s: float = 60.0
    longest_retry_after_s: float = 120.0
    long_retry_after_pause_s: float = 120.0
    rounds_of_long_retry_after: int = 3

    def with_pauses(self, factor: float) -> Patience:
        """The same with pauses so many times as long."""
        return dataclasses.replace(
            self,
            first_pause_s=self.first_pause_s * factor,
            longest_pause_s=self.longest_pause_s * factor,
            long_retry_after_pause_s=self.long_retry_after_pause_s * factor,
        )


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an exchange speaks against asking this host on; ``retry_after_s`` where it was told."""

    failure: Failure
    message: str
    retry_after_s: float | None = None

    @property
    def overloaded(self) -> bool:
        """Whether the host answered, and asked for fewer requests; else it did not answer."""
        return self.failure in (Failure.RATE_LIMITED, Failure.SERVER_ERROR)


@dataclass(slots=True)
class _Host(Generic[T]):
    delay_s: float
    queue: deque[T] = field(default_factory=deque)
    running: int = 0
    last_start: float = float("-inf")
    paused_until: float = float("-inf")
    closed_until: float = float("-inf")
    rounds: int = 0
    trouble_at: float = float("-inf")
    trouble: Trouble | None = None
    troubled: set[object] = field(default_factory=set)

    def limit(self, concurrency: int) -> int:
        # A host in trouble is asked by one request at a time until it answers well.
        return 1 if self.rounds else concurrency

    def next_start(self) -> float:
        return max(self.last_start + self.delay_s, self.paused_until)


class Politeness(Generic[T]):
    """Queues per host, and the rule that says which queued item may start at a time."""

    def __init__(
        self, *, delay_s: float, concurrency: int, patience: Patience | None = None
    ) -> None:
        """``delay_s`` lies between two starts to one host, ``concurrency`` are under way to it."""
        self._delay_s = delay_s
        self._concurrency = max(1, concurrency)
        self._patience = patience or Patience()
        self._hosts: dict[str, _Host[T]] = {}
        self._waiting: dict[str, _Host[T]] = {}

    def add(self, host: str, item: T, *, first: bool = False) -> None:
        """Queue an item; ``first`` puts it before all others of its host (a repetition).

        Not while the host is in trouble that may be that of this item alone: then the others come
        first, as they tell whether it is.
        """
        state = self._state(host)
        may_be_its_own = (
            state.trouble is not None and state.trouble.failure is not Failure.RATE_LIMITED
        )
        if first and not may_be_its_own:
            state.queue.appendleft(item)
        else:
            state.queue.append(item)
        self._waiting[host] = state

    def take(self, now: float) -> T | None:
        """The next item that may start now, which then counts as started; hosts take turns."""
        for host, state in self._waiting.items():  # noqa: B007 - the host found is used below
            if state.running < state.limit(self._concurrency) and state.next_start() <= now:
                break
        else:
            return None
        del self._waiting[host]
        item = state.queue.popleft()
        if state.queue:
            self._waiting[host] = state
        state.running += 1
        state.last_start = now
        return item

    def take_refused(self, now: float) -> Iterator[tuple[T, Trouble]]:
        """All queued items of hosts that are closed now, each with the trouble that closed it."""
        for host, state in list(self._waiting.items()):
            if state.closed_until <= now or state.trouble is None:
                continue
            del self._waiting[host]
            while state.queue:
                yield state.queue.popleft(), state.trouble

    def wake_at(self) -> float | None:
        """When the next queued item may start if nothing ends before, or None."""
        moments = [
            state.next_start()
            for state in self._waiting.values()
            if state.running < state.limit(self._concurrency)
        ]
        return min(moments, default=None)

    def finished(
        self,
        host: str,
        *,
        started: float,
        now: float,
        trouble: Trouble | None = None,
        jitter: float = 0.0,
        item: object = None,
    ) -> None:
        """Tell how a started item ended. ``jitter`` in [0, 1) lengthens a pause up to a half.

        ``item`` is the same in repetitions; None is no repetition.
        """
        state = self._state(host)
        state.running -= 1
        if started < state.trouble_at:
            return  # it was under way already when the trouble came, and adds nothing to it
        if trouble is None:
            state.rounds = 0
            state.trouble = None
            state.troubled.clear()
            state.closed_until = float("-inf")
        else:
            state.troubled.add(object() if item is None else item)
            self._worsen(state, now, trouble, jitter)

    def can_wait_for(self, trouble: Trouble) -> bool:
        """Whether the wait that was asked for, if any, is one that a repetition waits."""
        asked = trouble.retry_after_s
        return asked is None or asked <= self._patience.longest_retry_after_s

    def set_delay(self, host: str, seconds: float) -> None:
        """Raise the delay of a host (robots Crawl-delay); it never falls below the site's own."""
        self._state(host).delay_s = max(self._delay_s, seconds)

    def _state(self, host: str) -> _Host[T]:
        state = self._hosts.get(host)
        if state is None:
            state = self._hosts[host] = _Host(self._delay_s)
        return state

    def _worsen(self, state: _Host[T], now: float, trouble: Trouble, jitter: float) -> None:
        patience = self._patience
        state.rounds += 1
        state.trouble_at = now
        state.trouble = trouble
        asked = trouble.retry_after_s
        if asked is not None and not self.can_wait_for(trouble):
            pause = patience.long_retry_after_pause_s
            if (
                trouble.failure is Failure.RATE_LIMITED
                or state.rounds >= patience.rounds_of_long_retry_after
            ):
                state.closed_until = now + asked
        elif asked is not None:
            pause = asked
        else:
            pause = self._pause(state.rounds, overloaded=trouble.overloaded) * (1 + jitter / 2)
        state.paused_until = max(state.paused_until, now + pause)
        if state.rounds >= patience.rounds and len(state.troubled) >= patience.different_items:
            state.closed_until = max(state.closed_until, now + patience.closed_s)

    def _pause(self, rounds: int, *, overloaded: bool) -> float:
        # One request without an answer is the network's ordinary noise: no pause for it.
        doublings = rounds - 1 if overloaded else rounds - 2
        if doublings < 0:
            return 0.0
        return float(
            min(
                self._patience.longest_pause_s,
                self._patience.first_pause_s * 2.0 ** min(doublings, 30),
            )
        )
