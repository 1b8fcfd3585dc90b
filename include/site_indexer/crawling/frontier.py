"""Which URLs a crawl knows, which blocks reached them how, and which is asked for next.

Breadth first; a URL is asked for once, whatever number of blocks reach it
(docs/spec/04-crawling.md, 4.8 Deciding). Of a million URLs nearly all wait to be asked for, or are
pages of which nothing more has to be known: both are kept in few bytes
(docs/adr/0010-compact-frontier.md).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum

from site_indexer.crawling.finished import Finished, FinishedKinds
from site_indexer.crawling.judging import Judged
from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.crawling.page_facts import PageFacts
from site_indexer.crawling.url_queue import UrlQueue
from site_indexer.urls import document_id

WrittenState = tuple[Outcome, RecordAction, str | None, int, bool]
"""What the sink holds of a URL: outcome, action, target, block, and whether it is named."""


def written_state(record: PageRecord) -> WrittenState:
    """What a record says that must be written anew once it changes.

    A further block that changes nothing of it is not worth a second record.
    """
    return record.outcome, record.action, record.target, record.block, record.named


_NO_TURNS: frozenset[int] = frozenset()
# Enough for most sites: what is needed again of one that is not kept has to be read back.
_KEPT_WHOLE = 20_000
# Each takes 200 bytes. What the pages of a site have in common, its navigation, is met first.
_MOST_TOLD = 30_000
_DEEPEST = 1 << 32


class Arrival(Enum):
    """What a further reach of a URL changes."""

    NEW_URL = "new-url"  # it is queued
    WAITING = "waiting"  # known, not answered yet: it will be judged for this reach too
    NEWS = "news"  # answered: it has to be judged again
    NOTHING = "nothing"  # nothing that was not known


class Entry:
    """One URL of a crawl. ``order`` counts from 0 as URLs are asked for; -1 before that.

    ``reaches`` are by turn.
    ``facts`` and ``judged`` are None until it answered. ``hops`` is the least number of redirects
    in a row that led here. ``written`` is what the sink holds of it, None if nothing.
    ``is_fresh``: it was asked for by this crawl, not by one whose records this one goes on from.
    ``held`` and ``released`` are turns that wait, or waited, for what is before them. ``indirect``:
    how turns whose commands name the URL itself reached it otherwise as well. ``aside``: reaches
    that make no difference, unless the page may have lost its document by the turn of a newer one.
    """

    __slots__ = (
        "aside", "facts", "held", "hops", "indirect", "is_fresh", "judged", "order",
        "reaches", "released", "url", "written",
    )  # fmt: skip

    def __init__(self, url: str) -> None:
        self.url = url
        self.order = -1
        self.reaches: dict[int, Reach] = {}
        self.hops = 0
        self.facts: PageFacts | None = None
        self.judged: Judged | None = None
        self.written: WrittenState | None = None
        self.is_fresh = False
        self.held: frozenset[int] = _NO_TURNS
        self.released: frozenset[int] = _NO_TURNS
        self.indirect: dict[int, Reach] = {}
        self.aside: dict[tuple[int, bool], Reach] = {}

    @property
    def document_id(self) -> str:
        """The id of the URL's document."""
        return document_id(self.url)

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


Known = Entry | Reach | Finished
"""What is kept of a URL: all; only how a link led to it, until it is asked for; or what is left of
a page that needs nothing more."""


class Frontier:
    """All URLs of a crawl, and the queue of those not asked for yet.

    Up to ``keep_whole`` entries of pages that are done stay as they are; see :meth:`finish`.
    """

    def __init__(self, keep_whole: int = _KEPT_WHOLE) -> None:
        self._known: dict[str, Known] = {}
        self._queue = UrlQueue()
        self._asked = 0
        self._may_stay = keep_whole
        self._kinds = FinishedKinds()
        self._told: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._known)

    def __contains__(self, url: str) -> bool:
        return url in self._known

    def __iter__(self) -> Iterator[Entry]:
        """The entries; not the URLs that were never asked for, nor those that are finished."""
        return (known for known in self._known.values() if isinstance(known, Entry))

    @property
    def queued(self) -> int:
        """How many URLs wait to be asked for."""
        return len(self._queue)

    @property
    def known(self) -> Mapping[str, Known]:
        """What is known of each URL."""
        return self._known

    @property
    def finished(self) -> Sequence[Finished]:
        """What is left of finished pages: each kind once, with how many pages it stands for."""
        return self._kinds.all

    def finished_urls(self) -> Iterator[tuple[str, Finished]]:
        """The finished pages themselves."""
        return ((url, known) for url, known in self._known.items() if isinstance(known, Finished))

    def unanswered(self) -> Iterator[str]:
        """The URLs without an answer."""
        for url, known in self._known.items():
            if isinstance(known, Reach) or (isinstance(known, Entry) and known.facts is None):
                yield url

    def get(self, url: str) -> Entry | None:
        """The entry of a URL; None if it is not known, or finished."""
        known = self._known.get(url)
        if isinstance(known, Reach):
            return self._as_entry(url, known)
        return known if isinstance(known, Entry) else None

    def take(
        self, most: int, takes_more: Callable[[str], bool] = lambda _host: True
    ) -> list[Entry]:
        """Up to so many entries of the queue, the one that was reached first first.

        Those of a host that takes no more for now stay in it.
        """
        return [self._next(url) for url in self._queue.take(most, takes_more)]

    def put_back(self, entry: Entry) -> None:
        """Queue an entry (again), behind all others."""
        self._queue.append(entry.url)

    def restore(self, record: PageRecord, facts: PageFacts) -> Entry:
        """Take over what an earlier crawl of the same run found out about a URL.

        So too for a finished page of which more has to be known.
        """
        before = self._known.get(record.url)
        self._told.pop(record.url, None)
        entry = self._add(record.url)
        entry.facts = facts
        entry.reaches = {reach.turn: reach for reach in record.reaches}
        entry.written = written_state(record)
        if isinstance(before, Finished):
            before.pages -= 1
            entry.is_fresh = before.is_fresh
        return entry

    def untold(self, links: Sequence[str], reach: Reach) -> Sequence[str]:
        """The links that :meth:`note_told` does not say of that they tell this reach nothing new.

        Most links of a page are to pages that others have led to before.
        """
        get = self._told.get
        nearest = reach.turn * _DEEPEST
        farthest = nearest + reach.depth
        return [url for url in links if not nearest <= get(url, -1) <= farthest]

    def note_told(self, url: str, known: Reach) -> None:
        """Note that a further link tells a URL's known reach nothing new, unless it is nearer.

        This holds until another reach comes to the URL.
        """
        if len(self._told) < _MOST_TOLD:
            self._told[url] = known.turn * _DEEPEST + known.depth

    def reopen(self, url: str) -> None:
        """Have a finished page asked for again."""
        finished = self._known[url]
        self._told.pop(url, None)
        entry = self._add(url)
        if isinstance(finished, Finished):
            finished.pages -= 1
            entry.reaches = dict(finished.reaches)
        self._queue.append(url)

    def finish(self, entry: Entry) -> None:
        """Keep of a page only what tells whether a further link says anything new of it.

        Its record must be in the sink, and nothing else may ever depend on the page but what finds
        it by its URL: that has it restored then. Its reaches have their verdicts.
        """
        if self._may_stay:
            self._may_stay -= 1
        elif entry.written is not None and entry.facts is not None:
            reaches = entry.reaches.values() if entry.judged is None else entry.judged.reaches
            outcome, action, *_ = entry.written
            self._known[entry.url] = self._kinds.of(
                reaches,
                outcome,
                action,
                named=entry.is_named,
                stored=entry.facts.stored,
                not_modified=entry.facts.not_modified,
                is_fresh=entry.is_fresh,
            )

    def add(self, url: str, reach: Reach) -> None:
        """Queue a URL that is not known yet, and that a link leads to."""
        self._known[url] = reach
        self._queue.append(url)

    def reach(self, url: str, reach: Reach, *, hops: int = 0) -> tuple[Arrival, Entry]:
        """Note that a block reaches a URL in one of its turns, and queue the URL if it is new.

        Not for finished pages, which have to be restored first.
        """
        self._told.pop(url, None)
        entry = self.get(url)
        if entry is None:
            entry = self._add(url)
            entry.reaches[reach.turn] = reach
            entry.hops = hops
            self._queue.append(url)
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
        return self.get(url) or self._add(url)

    def _next(self, url: str) -> Entry:
        entry = self.get(url)
        if entry is None:
            raise ValueError(f"{url} waits in the queue and is not known")
        if entry.order < 0:
            entry.order = self._asked
            self._asked += 1
        return entry

    def _as_entry(self, url: str, reach: Reach) -> Entry:
        entry = self._add(url)
        entry.reaches[reach.turn] = reach
        return entry

    def _add(self, url: str) -> Entry:
        entry = self._known[url] = Entry(url)
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
