"""Works out what a run would do to the index that searchers see, without changing anything.

The brake asks it before publishing, and publishing asks it again in each round.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from site_indexer.index_store import scan
from site_indexer.index_store.change_records import ChangeRecord, RemovalRecord
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.confirmations import Confirmations
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.instants import to_ms
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.newer_block import (
    BaseDocument,
    Decisions,
    Removal,
    Removals,
    decide,
)
from site_indexer.index_store.removals import Effective, RemovalStore, StandingRemoval
from site_indexer.index_store.restoring import (
    Confirmed,
    Restoration,
    confirmed_in,
    restorations,
)
from site_indexer.masks import compile_mask
from site_indexer.urls import document_id

BASE_COLUMNS: Sequence[scan.Column] = (
    "url",
    {"field": "block_date", "format": "epoch_millis"},
    {"field": "fetched_at", "format": "epoch_millis"},
)
"""What :func:`to_base` needs."""

_IDS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class OldestWrite:
    """The oldest block date of a run's writes: only later removals can refuse one of them.

    ``date`` is None where robots write, whom any removal refuses; ``any`` tells whether there are
    writes at all.
    """

    any: bool
    date: dt.datetime | None

    @classmethod
    def of(cls, records: Iterable[ChangeRecord]) -> OldestWrite:
        """That of these records."""
        dates = [record.counts_as for record in records if record.action == "write"]
        known = [date for date in dates if date is not None]
        return cls(bool(dates), min(known) if known and len(known) == len(dates) else None)

    def refusing(self, store: RemovalStore, site: str, target: Target, shown: str) -> Effective:
        """The standing removals that may refuse a write; usually none, as blocks come in order."""
        if self.any:
            return store.effective(site, target, shown, after=self.date)
        return Effective(store.fresh_since(site, target, shown), ())


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run would do to ``base``: see :class:`Decisions`.

    ``documents_after`` counts what is there then, if OpenSearch rejects nothing. ``commands`` are
    the run's removals; ``standing`` those of earlier runs that may refuse a write. ``restored``
    are documents that came to be missing although newer blocks want them.
    """

    base: str
    documents_before: int
    decisions: Decisions
    commands: Sequence[RemovalRecord]
    standing: Sequence[StandingRemoval]
    oldest_write: OldestWrite
    restored: Sequence[Restoration] = ()

    @property
    def empty(self) -> bool:
        """Whether the index would be as before."""
        return self.decisions.empty and not self.restored

    @property
    def documents_after(self) -> int:
        """How many documents there would be."""
        decisions = self.decisions
        came = decisions.created + len(self.restored)
        return self.documents_before - len(decisions.removed) + came


def work_out(
    client: StoreClient,
    names: SiteNames,
    change_set: ChangeSet,
    *,
    base: str,
    base_target: Target,
    fresh_start: bool = False,
    late: Sequence[RemovalRecord] = (),
    confirmed: Sequence[Confirmed] = (),
) -> Changes:
    """What the records of a change set would do to the generation ``base``.

    ``base_target``: the target whose standing removals count for it. With ``fresh_start`` neither
    they nor the block dates on its documents count. ``late`` and ``confirmed`` are removals, and
    documents confirmed by newer blocks, that came to count while the run published.
    """
    records, commands = change_set.to_publish()
    commands += late
    oldest = OldestWrite.of(records)
    counting = Effective(None, ())
    if not fresh_start:
        counting = oldest.refusing(RemovalStore(client), names.site, base_target, base)
    asked = Removals[RemovalRecord](commands)
    refusing = Removals[Removal](counting.removals)
    documents_before = scan.count(client, base)
    stored = _concerned(client, base, records, commands) if documents_before else {}
    if fresh_start:
        stored = {key: replace(each, block_date=None) for key, each in stored.items()}
    else:
        confirmations = Confirmations(client, names.site, base_target, counting.since)
        stored = _dated(stored, confirmations, (asked, refusing), records)
    return Changes(
        base=base,
        documents_before=documents_before,
        decisions=decide(records, stored, asked, refusing),
        commands=commands,
        standing=counting.removals,
        oldest_write=oldest,
        restored=restorations(
            client,
            names,
            [*confirmed_in(change_set, base), *confirmed],
            base=base,
            base_target=base_target,
            commands=commands,
        ),
    )


def _concerned(
    client: StoreClient,
    base: str,
    records: Sequence[ChangeRecord],
    commands: Sequence[RemovalRecord],
) -> dict[str, BaseDocument]:
    """The documents of the base that a record or command names or matches, by id."""
    ids = [record.document_id for record in records]
    ids += [document_id(command.url) for command in commands if command.url is not None]
    found = {each.document_id: each for each in base_documents(client, base, ids)}
    masks = {
        compile_mask(command.mask, command.mask_kind)
        for command in commands
        if command.mask is not None and command.mask_kind is not None
    }
    documents = StoredDocuments(client, base)
    for mask in masks:
        for columns in documents.columns_of_matching(mask, BASE_COLUMNS):
            document = to_base(columns)
            found[document.document_id] = document
    return found


def base_documents(client: StoreClient, base: str, ids: Sequence[str]) -> Iterable[BaseDocument]:
    """Those of these documents that ``base`` has; each id once.

    By search on columns, which is many times as fast as fetching sources.
    """
    for chunk in scan.chunks(sorted(ids), _IDS_AT_ONCE):
        body = {
            "size": len(chunk),
            "query": {"ids": {"values": chunk}},
            "track_total_hits": False,
            "sort": ["_doc"],
            **scan.only_columns(BASE_COLUMNS),
        }
        with store_errors(f"read {base}", client):
            hits = client.search(index=base, body=body)["hits"]["hits"]
        yield from (to_base(hit["fields"]) for hit in hits)


def to_base(columns: Mapping[str, Sequence[Any]]) -> BaseDocument:
    """The document with these columns. Its id is that of its URL."""
    url = columns["url"][0]
    block_date = columns.get("block_date")
    return BaseDocument(
        document_id(url),
        url,
        _instant(block_date[0]) if block_date else None,
        int(columns["fetched_at"][0]),
    )


def _instant(milliseconds: str) -> dt.datetime:
    return dt.datetime.fromtimestamp(int(milliseconds) / 1000, dt.UTC)


def _dated(
    stored: Mapping[str, BaseDocument],
    confirmations: Confirmations,
    removals: Sequence[Removals[RemovalRecord] | Removals[Removal]],
    records: Sequence[ChangeRecord],
) -> dict[str, BaseDocument]:
    """The documents with the block dates that count.

    Those written before a fresh start have none. A newer block that found a page unchanged wrote
    nothing, and shields its document nevertheless.
    """
    found = dict(stored)
    if confirmations.since is not None:
        start = to_ms(confirmations.since)
        found = {
            key: each if each.fetched_ms >= start else replace(each, block_date=None)
            for key, each in found.items()
        }
    gone = {record.document_id for record in records if record.action == "remove"}
    at_risk = [
        key
        for key, each in found.items()
        if key in gone or any(next(asked.matching(each.url), None) for asked in removals)
    ]
    for key, date in confirmations.dates(at_risk).items():
        document = found[key]
        if document.block_date is None or document.block_date < date:
            found[key] = replace(document, block_date=date)
    return found
