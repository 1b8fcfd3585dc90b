"""Looking up what the index holds of the next URLs, while others are fetched and judged."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor

from site_indexer.crawling.frontier import Entry
from site_indexer.crawling.model import KnownPages, StoredPage

Found = tuple[Entry, StoredPage | None]


class LookUp:
    """Asks :class:`KnownPages` in a thread of its own, and answers in the order of asking."""

    def __init__(self, known: KnownPages) -> None:
        self._known = known
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="look-up")
        self._asked: deque[tuple[Sequence[Entry], Future[Mapping[str, StoredPage]]]] = deque()

    @property
    def pending(self) -> int:
        """How many entries are asked for and not given back yet."""
        return sum(len(entries) for entries, _ in self._asked)

    def ask(self, entries: Sequence[Entry]) -> None:
        """Begin to look entries up."""
        ids = [entry.document_id for entry in entries]
        self._asked.append((entries, self._thread.submit(self._known.lookup, ids)))

    def found(self, *, wait: bool) -> list[Found]:
        """What is found by now; with ``wait`` at least the entries asked for first.

        Raises what the look-up raised.
        """
        found: list[Found] = []
        while self._asked and (wait or self._asked[0][1].done()):
            entries, future = self._asked.popleft()
            stored = future.result()
            found += [(entry, stored.get(entry.document_id)) for entry in entries]
            wait = False
        return found

    def close(self) -> None:
        """End the thread; what is asked for is given up."""
        self._asked.clear()
        self._thread.shutdown(wait=True, cancel_futures=True)
