"""Standing removals: what ``delete`` and ``deletemask`` keep out.

Rule: docs/spec/05-index-lifecycle.md, *Standing removals*. A removal is written before the swap,
under the new generation's name, and counts from the very moment the alias shows that generation.
The next publish makes it *standing*: it then counts whatever the alias shows. So a publish that
fails leaves nothing behind that counts.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, bulk_write, delete_item, index_item
from site_indexer.index_store.change_records import RemovalRecord, removal_fields
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import STATE_INDEX, Target
from site_indexer.index_store.stored_urls import url_of_today
from site_indexer.urls.kinds import MaskKind

_REMOVAL = "removal"
_FRESH_START = "fresh-start"
_STANDING = "standing"

AFTER_ALL_BLOCKS = 2**31 - 1
"""The number of a block that is later than any block of a run."""


@dataclass(frozen=True, slots=True)
class StandingRemoval:
    """What a command of an earlier run keeps out, as of its block's date (aware UTC).

    ``recorded_at`` is the start of the run that recorded it.
    """

    line: int
    counts_as: dt.datetime
    recorded_at: dt.datetime
    url: str | None = None
    mask: str | None = None
    mask_kind: MaskKind | None = None

    def as_record(self) -> RemovalRecord:
        """The same as a removal of a run at hand, later than all blocks of that run."""
        return RemovalRecord(
            line=self.line,
            block=AFTER_ALL_BLOCKS,
            counts_as=self.counts_as,
            url=self.url,
            mask=self.mask,
            mask_kind=self.mask_kind,
        )


@dataclass(frozen=True, slots=True)
class Effective:
    """The removals that count, and since when removals and block dates count (None: always)."""

    since: dt.datetime | None
    removals: tuple[StandingRemoval, ...]


@dataclass(frozen=True, slots=True)
class RemovalStore:
    """The removals of all sites, in ``site-indexer.state``. Raises what ``store_errors`` raises.

    ``shown`` is the generation that the target's alias shows.
    """

    client: StoreClient

    def record(
        self,
        site: str,
        target: Target,
        removals: Sequence[RemovalRecord | StandingRemoval],
        *,
        generation: str | None,
        now: dt.datetime,
    ) -> None:
        """Write removals that count once the alias shows ``generation``; at once if that is None.

        ``now`` is the start of the run; a :class:`StandingRemoval` keeps its own.
        """
        prefix = f"removal:{site}:{target.value}:{generation or _STANDING}"
        self._write(
            index_item(
                f"{prefix}:{_as_record(removal).key}",
                {
                    **_head(_REMOVAL, site, target, generation),
                    "counts_as": iso(removal.counts_as),
                    "recorded_at": iso(getattr(removal, "recorded_at", now)),
                    **removal_fields(_as_record(removal)),
                },
            )
            for removal in removals
        )

    def record_fresh_start(
        self, site: str, target: Target, *, generation: str | None, now: dt.datetime
    ) -> None:
        """Write that a run starts afresh: what was recorded before ``now`` counts no more."""
        document_id = f"{_FRESH_START}:{site}:{target.value}:{generation or _STANDING}"
        source = {**_head(_FRESH_START, site, target, generation), "recorded_at": iso(now)}
        self._write([index_item(document_id, source)])

    def fresh_since(self, site: str, target: Target, shown: str | None) -> dt.datetime | None:
        """Since when removals and block dates count, or None if always (Clear Date)."""
        found = self._scan(site, target, [{"term": {"kind": _FRESH_START}}, _counting(shown)])
        return _newest_start(found)

    def effective(
        self,
        site: str,
        target: Target,
        shown: str | None,
        *,
        after: dt.datetime | None = None,
    ) -> Effective:
        """The removals that count; with ``after`` only those of later block dates."""
        removals: list[dict[str, Any]] = [{"term": {"kind": _REMOVAL}}]
        if after is not None:
            removals.append({"range": {"counts_as": {"gt": iso(after)}}})
        starts: dict[str, Any] = {"term": {"kind": _FRESH_START}}
        wanted = [starts, {"bool": {"filter": removals}}]
        found = self._scan(site, target, [_any_of(wanted), _counting(shown)])
        since = _newest_start(found)
        standing = [_standing(each["_source"]) for each in found if _is(each, _REMOVAL)]
        return Effective(
            since, tuple(each for each in standing if since is None or each.recorded_at >= since)
        )

    def take_along(
        self, site: str, source: Target, shown: str | None, target: Target, generation: str
    ) -> None:
        """Have what counts for ``source`` count for ``target`` once that shows ``generation``.

        For a staged index that begins as a copy of live, and for push live.
        """
        counting = self.effective(site, source, shown)
        since = counting.since or dt.datetime.min.replace(tzinfo=dt.UTC)
        if counting.since is not None:
            self.record_fresh_start(site, target, generation=generation, now=since)
        self.record(site, target, counting.removals, generation=generation, now=since)

    def make_standing(self, site: str, target: Target, shown: str) -> None:
        """Make those of the generation shown count for good, before another takes its place."""
        mine: list[dict[str, Any]] = [
            {"term": {"generation": shown}},
            {"term": {"standing": False}},
        ]
        hits = self._scan(site, target, mine)
        # Under one id whatever generation it came with, so that repeated runs leave one.
        self._write(
            index_item(
                hit["_id"].replace(f":{shown}", f":{_STANDING}"),
                {**hit["_source"], "standing": True},
            )
            for hit in hits
        )
        self._write(delete_item(hit["_id"]) for hit in hits)

    def drop_of(self, site: str, target: Target, generation: str) -> None:
        """Forget those of a generation that never came to be."""
        filters: list[dict[str, Any]] = [
            {"term": {"generation": generation}},
            {"term": {"standing": False}},
        ]
        self._delete(site, target, filters)

    def drop_newer(self, site: str, target: Target, than: dt.datetime | None) -> None:
        """Forget those of later block dates (all if None): a roll back undoes their blocks."""
        filters = [] if than is None else [{"range": {"counts_as": {"gt": iso(than)}}}]
        self._delete(site, target, filters)

    def pending(self, site: str, target: Target) -> frozenset[str]:
        """The generations under whose names removals wait to count."""
        hits = self._scan(site, target, [{"term": {"standing": False}}])
        return frozenset(hit["_source"]["generation"] for hit in hits)

    def drop_void(self, site: str, target: Target) -> None:
        """Forget what a fresh start that stands has made void."""
        since = self.fresh_since(site, target, None)
        if since is not None:
            self._delete(site, target, [{"range": {"recorded_at": {"lt": iso(since)}}}])

    def _delete(self, site: str, target: Target, filters: Sequence[dict[str, Any]]) -> None:
        hits = self._scan(site, target, filters)
        self._write(delete_item(hit["_id"]) for hit in hits)

    def _scan(
        self, site: str, target: Target, filters: Sequence[dict[str, Any]]
    ) -> list[dict[str, Any]]:
        mine = [
            {"terms": {"kind": [_REMOVAL, _FRESH_START]}},
            {"term": {"site": site}},
            {"term": {"target": target.value}},
        ]
        query = {"bool": {"filter": [*mine, *filters]}}
        return list(scan.scan(self.client, STATE_INDEX, query=query, source=True, size=5_000))

    def _write(self, items: Iterable[Item]) -> None:
        bulk_write(self.client, STATE_INDEX, items, refresh=True)


def _is(hit: dict[str, Any], kind: str) -> bool:
    return bool(hit["_source"]["kind"] == kind)


def _newest_start(hits: Iterable[dict[str, Any]]) -> dt.datetime | None:
    starts = [parse(hit["_source"]["recorded_at"]) for hit in hits if _is(hit, _FRESH_START)]
    return max(starts, default=None)


def _counting(shown: str | None) -> dict[str, Any]:
    either: list[dict[str, Any]] = [{"term": {"standing": True}}]
    if shown is not None:
        either.append({"term": {"generation": shown}})
    return _any_of(either)


def _any_of(queries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"bool": {"should": list(queries), "minimum_should_match": 1}}


def _head(kind: str, site: str, target: Target, generation: str | None) -> dict[str, Any]:
    return {
        "kind": kind,
        "site": site,
        "target": target.value,
        "generation": generation,
        "standing": generation is None,
    }


def _as_record(removal: RemovalRecord | StandingRemoval) -> RemovalRecord:
    return removal if isinstance(removal, RemovalRecord) else removal.as_record()


def _standing(source: dict[str, Any]) -> StandingRemoval:
    kind, url = source.get("mask_kind"), source.get("url")
    return StandingRemoval(
        line=source["line"],
        counts_as=parse(source["counts_as"]),
        recorded_at=parse(source["recorded_at"]),
        url=url_of_today(url) if url else None,
        mask=source.get("mask"),
        mask_kind=MaskKind(kind) if kind else None,
    )
