"""Which blocks were processed for a target, as one record in ``site-indexer.state``.

Rule: docs/spec/06-watermark.md, 6.4. The record is bounded, and says from which date on it knows
all, so that nothing is held against a block of a time that it knows nothing of.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from site_indexer.errors import StoreUnreachableError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import Target
from site_indexer.index_store.state import StateStore

MOST_BLOCKS = 5_000
"""How many blocks a record holds; some 80 bytes each. Of more, the newest by date."""

_KIND = "processed-blocks"
_DIGITS = 20
_TRIES = 20


@dataclass(frozen=True, slots=True)
class ProcessedBlock:
    """A block that a run has processed, and when that was recorded (aware UTC).

    ``digest``: the first 20 hex digits of that of its date and commands.
    """

    digest: str
    date: dt.datetime
    at: dt.datetime

    @classmethod
    def of(cls, digest: str, date: dt.datetime, at: dt.datetime) -> ProcessedBlock:
        """The entry of a block by its whole digest."""
        return cls(digest[:_DIGITS], date, at)


@dataclass(frozen=True, slots=True)
class BlockRecord:
    """What was processed for a target.

    ``since``: of blocks dated then or before it does not know all; None where it does from the
    first block on. ``newest``: the latest watermark that a run has left.
    """

    blocks: frozenset[ProcessedBlock] = frozenset()
    since: dt.datetime | None = None
    newest: dt.datetime | None = None

    def knows_after(self, watermark: dt.datetime | None) -> dt.datetime | None:
        """The date after which it knows all, for a run that found that watermark.

        A watermark later than any that a run has left was set by a person, to leave out what is
        older.
        """
        by_hand = watermark is not None and (self.newest is None or watermark > self.newest)
        return later_of(self.since, watermark if by_hand else None)

    def among(self, digests: Iterable[str]) -> frozenset[str]:
        """Those of these whole digests whose blocks are on record."""
        known = {each.digest for each in self.blocks}
        return frozenset(digest for digest in digests if digest[:_DIGITS] in known)

    def bounded(self) -> BlockRecord:
        """The same with the newest blocks only, where there are too many."""
        if len(self.blocks) <= MOST_BLOCKS:
            return self
        by_date = sorted(self.blocks, key=lambda each: each.date, reverse=True)
        since = later_of(self.since, by_date[MOST_BLOCKS].date)
        kept = frozenset(each for each in by_date if since is None or each.date > since)
        return replace(self, blocks=kept, since=since)


def after_run(
    record: BlockRecord | None,
    blocks: Iterable[ProcessedBlock],
    *,
    found: dt.datetime | None,
    left: dt.datetime | None,
    afresh_since: dt.datetime | None = None,
) -> BlockRecord:
    """The record once a run has processed ``blocks``.

    ``found`` is the watermark that the run began with, ``left`` the one that it leaves. A run for
    which every block was new begins the record anew, from what was recorded since ``afresh_since``,
    its start. A record that there was not yet knows of nothing up to ``found``.
    """
    if afresh_since is not None:
        known = record.blocks if record is not None else ()
        base = BlockRecord(frozenset(each for each in known if each.at >= afresh_since))
    elif record is None:
        base = BlockRecord(since=found, newest=found)
    else:
        base = replace(record, since=record.knows_after(found))
    added = {each.digest: each for each in blocks}
    kept = {each for each in base.blocks if each.digest not in added}
    newest = later_of(base.newest, left)
    return BlockRecord(frozenset(kept.union(added.values())), base.since, newest).bounded()


def later_of(one: dt.datetime | None, other: dt.datetime | None) -> dt.datetime | None:
    """The later of two dates, None where there is none."""
    return max((each for each in (one, other) if each is not None), default=None)


@dataclass(frozen=True, slots=True)
class BlockRecordStore:
    """The records of all targets. All calls raise what ``store_errors`` raises."""

    client: StoreClient

    def read(self, site: str, target: Target) -> BlockRecord | None:
        """The record of a target, or None where there is none."""
        seen = StateStore(self.client).read(_key(site, target))
        return None if seen is None else _from_source(seen.value)

    def update(
        self,
        site: str,
        target: Target,
        change: Callable[[BlockRecord | None], BlockRecord | None],
    ) -> None:
        """Replace a record by what ``change`` makes of it; None: there is to be none."""
        store, key = StateStore(self.client), _key(site, target)
        for _ in range(_TRIES):
            seen = store.read(key)
            before = None if seen is None else _from_source(seen.value)
            after = change(before)
            if after == before:
                return
            if after is None:
                done = store.remove(key, seen, refresh=False)
            else:
                done = store.replace(key, _source(site, target, after), seen, refresh=False)
            if done:
                return
        raise StoreUnreachableError(
            f"The record of blocks of {site} ({target.value}) is written by others all the time.",
            hint="Run again later.",
            site=site,
        )

    def hand_over(self, site: str, source: Target, target: Target) -> None:
        """Let ``target`` have the record of ``source``, whose index it takes over."""
        record = self.read(site, source)
        self.update(site, target, lambda _: record)

    def forget(self, site: str, target: Target) -> None:
        """Forget the record of a target."""
        self.update(site, target, lambda _: None)


def _key(site: str, target: Target) -> str:
    return f"{_KIND}:{site}:{target.value}"


def _source(site: str, target: Target, record: BlockRecord) -> dict[str, Any]:
    blocks = sorted(record.blocks, key=lambda each: (each.date, each.digest))
    return {
        "kind": _KIND,
        "site": site,
        "target": target.value,
        "since": record.since and iso(record.since),
        "newest": record.newest and iso(record.newest),
        "blocks": [[each.digest, iso(each.date), iso(each.at)] for each in blocks],
    }


def _from_source(source: Any) -> BlockRecord:  # noqa: ANN401 - a stored document
    return BlockRecord(
        blocks=frozenset(
            ProcessedBlock(digest, parse(date), parse(at)) for digest, date, at in source["blocks"]
        ),
        since=source["since"] and parse(source["since"]),
        newest=source["newest"] and parse(source["newest"]),
    )
