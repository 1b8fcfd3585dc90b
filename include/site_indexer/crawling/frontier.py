"""Which URLs a crawl knows, which blocks reached them how, and which is asked for next.

Breadth first; a URL is asked for once, whatever number of blocks reach it
(docs/spec/04-crawling.md, 4.8 Deciding).
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping
from enum import Enum

from site_indexer.crawling.judging import Judged
from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.crawling.page_facts import PageFacts
from site_indexer.urls import document_id

WrittenState = tuple[Outcome, RecordAction, str | None, int, bool]
"""What the sink holds of a URL: outcome, action, target, block, and whether it is named."""


def written_state(record: PageRecord) -> WrittenState:
    """What a record says that must be written anew once it changes.

    A further block that changes nothing of it is not worth a second record.
    """
    return record.outcome, record.action, record.target, record.block, record.named


_NO_TURNS: frozenset[int] = frozenset()


class Arrival(Enum):
    """What a further reach of a URL changes."""

    NEW_URL = "new-url"  # it is queued
    WAITING = "waiting"  # known, not answered yet: it will be judged for this reach too
    NEWS = "news"  # answered: it has to be judged again
    NOTHING = "nothing"  # nothing that was not known


class Entry:
    """One URL of a crawl. ``order`` counts from 0 as URLs become known.

    ``reaches`` are by turn.
    ``facts`` and ``judged`` are None until it answered. ``hops`` is the least number of redirects
    in a row that led here. ``written`` is what the sink holds of it, None if nothing.
    ``is_fresh``: it was asked for by this crawl, not by one whose records this one goes on from.
    ``held`` and ``released`` are turns that wait, or waited, for what is before them. ``indirect``:
    how turns whose commands name the URL itself reached it otherwise as well.
    """

    __slots__ = (
        "document_id", "facts", "held", "hops", "indirect", "is_fresh", "judged", "order",
        "reaches", "released", "url", "written",
    )  # fmt: skip

    def __init__(self, url: str, document_id: str, order: int) -> None:
        self.url = url
        self.document_id = document_id
        self.order = order
        self.reaches: dict[int, Reach] = {}
        self.hops = 0
        self.facts: PageFacts | None = None
        self.judged: Judged | None = None
        self.written: WrittenState | None = None
        self.is_fresh = False
        self.held: frozenset[int] = _NO_TURNS
        self.released: frozenset[int] = _NO_TURNS
        self.indirect: dict[int, Reach] = {}

    def note_indirect(self, reach: Reach) -> None:
        """Keep how a turn that names the URL reached it in another way."""
        known = self.indirect.get(reach.turn)
        if known is None:
            self.indirect[reach.turn] = reach
        elif known.nofollow or known.noindex:
            self.indirect[reach.turn] = merged_reach(known, reach)

    @property
    def is_named(self) -> bool:
        """Whether a command names the URL, or one that redirects to it."""
        return any(reach.named for reach in self.reaches.values())


class Frontier:
    """All entries of a crawl, and the queue of those not asked for yet."""

    def __init__(self) -> None:
        self._entries: dict[str, Entry] = {}
        self._queue: deque[Entry] = deque()

    def __len__(self) -> int:
        return len(self._entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._entries.values())

    @property
    def queued(self) -> int:
        """How many URLs wait to be asked for."""
        return len(self._queue)

    @property
    def entries(self) -> Mapping[str, Entry]:
        """All entries, by URL."""
        return self._entries

    def get(self, url: str) -> Entry | None:
        """The entry of a URL that is known, or None."""
        return self._entries.get(url)

    def take(self, most: int) -> list[Entry]:
        """Up to so many entries of the queue, the one that was reached first first."""
        return [self._queue.popleft() for _ in range(min(most, len(self._queue)))]

    def put_back(self, entry: Entry) -> None:
        """Queue an entry (again), behind all others."""
        self._queue.append(entry)

    def waiting(self) -> Iterator[Entry]:
        """The queue, without taking from it."""
        return iter(self._queue)

    def restore(self, record: PageRecord, facts: PageFacts) -> Entry:
        """Take over what an earlier crawl of the same run found out about a URL."""
        entry = self._add(record.url, record.document_id)
        entry.facts = facts
        entry.reaches = {reach.turn: reach for reach in record.reaches}
        entry.written = written_state(record)
        return entry

    def reach(self, url: str, reach: Reach, *, hops: int = 0) -> tuple[Arrival, Entry]:
        """Note that a block reaches a URL in one of its turns, and queue the URL if it is new."""
        entry = self._entries.get(url)
        if entry is None:
            entry = self._add(url, document_id(url))
            entry.reaches[reach.turn] = reach
            entry.hops = hops
            self._queue.append(entry)
            return Arrival.NEW_URL, entry
        entry.hops = min(entry.hops, hops)
        known = entry.reaches.get(reach.turn)
        merged = reach if known is None else merged_reach(known, reach)
        if known is not None and known.is_direct != reach.is_direct:
            entry.note_indirect(known if reach.is_direct else reach)
        if merged == known:
            return Arrival.NOTHING, entry
        entry.reaches[reach.turn] = merged
        return (Arrival.WAITING if entry.facts is None else Arrival.NEWS), entry

    def add_unqueued(self, url: str) -> Entry:
        """The entry of a URL that is known without being asked for."""
        return self._entries.get(url) or self._add(url, document_id(url))

    def _add(self, url: str, url_id: str) -> Entry:
        entry = Entry(url, url_id, len(self._entries))
        self._entries[url] = entry
        return entry


def merged_reach(known: Reach, further: Reach) -> Reach:
    """Both reaches of one turn as one: named if one is, the nearer depth.

    The flags of commands that name the URL itself add up, and go before all others. Flags that
    came with a redirect hold only where every other way here has them too: what was reached
    without them may have been followed before they came.
    """
    first, second = (further, known) if _rank(further) < _rank(known) else (known, further)
    if second.is_direct:
        flags = (first.nofollow or second.nofollow, first.noindex or second.noindex)
    elif first.is_direct:
        flags = (first.nofollow, first.noindex)
    else:
        flags = (first.nofollow and second.nofollow, first.noindex and second.noindex)
    depth = min(first.depth, second.depth)
    if (depth, *flags) == (first.depth, first.nofollow, first.noindex):
        return first
    return dataclasses.replace(first, depth=depth, nofollow=flags[0], noindex=flags[1])


def _rank(reach: Reach) -> int:
    return 0 if reach.is_direct else 1 if reach.named else 2
