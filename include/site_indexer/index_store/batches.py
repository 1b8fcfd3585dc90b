"""From one thread to another in batches: who takes is woken for a batch, not for each thing.

A crawl hands over two things for every page. Were its writers woken each time, Python's lock would
go back and forth with them, for up to a fifth of the crawl's time.
"""

from __future__ import annotations

import threading
from typing import Generic, TypeVar

T = TypeVar("T")


class Batches(Generic[T]):
    """Things on their way; any threads put them in, one takes them out in the same order.

    ``size``: how many make a batch. ``most``: how many may be on their way. ``longest_wait_s``:
    after that long even a few are a batch.
    """

    def __init__(self, *, size: int, most: int, longest_wait_s: float) -> None:
        self._size = size
        self._most = most
        self._longest_wait_s = longest_wait_s
        self._things: list[T] = []
        self._hurried = False
        lock = threading.Lock()
        self._may_take = threading.Condition(lock)
        self._may_put = threading.Condition(lock)

    def put(self, thing: T, *, timeout_s: float = 0.0) -> bool:
        """Put one in; False where there is no room for that many seconds."""
        with self._may_take:
            if not self._has_room() and not self._may_put.wait_for(self._has_room, timeout_s):
                return False
            self._things.append(thing)
            if len(self._things) >= self._size:
                self._may_take.notify()
        return True

    def hurry(self) -> None:
        """Make a batch of what is there now."""
        with self._may_take:
            self._hurried = True
            self._may_take.notify()

    def take(self) -> list[T]:
        """The next batch. Waits for it, for ``longest_wait_s`` at most; it may be empty then."""
        with self._may_take:
            self._may_take.wait_for(self._is_due, self._longest_wait_s)
            batch = self._things[: self._size]
            del self._things[: self._size]
            self._hurried = self._hurried and bool(self._things)
            self._may_put.notify_all()
        return batch

    def _has_room(self) -> bool:
        return len(self._things) < self._most

    def _is_due(self) -> bool:
        return self._hurried or len(self._things) >= self._size
