"""Brings back what an older block removed although a newer one had found it unchanged.

Rule: docs/spec/05-index-lifecycle.md, 5.6, *Found unchanged*. Such a block writes nothing. If the
removal is published between its crawl and its own end, the document is missing from the base, and
only an earlier generation has it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from site_indexer.errors import RunFailedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, index_item
from site_indexer.index_store.change_records import RemovalRecord
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.confirmations import Confirmations
from site_indexer.index_store.generations import describe
from site_indexer.index_store.instants import iso, parse, to_ms
from site_indexer.index_store.language_fields import by_language
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.newer_block import Cause, Removal, Removals, RemovedDocument
from site_indexer.index_store.removals import AFTER_ALL_BLOCKS, RemovalStore


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A document that a block found unchanged.

    ``block`` is its number in the run at hand (``AFTER_ALL_BLOCKS`` for one of another run) and
    ``counts_as`` its date (aware); ``seen_in`` are the generations that may hold the document.
    """

    document_id: str
    url: str
    block: int
    counts_as: dt.datetime
    seen_in: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Restoration:
    """A document to take from the generation ``source``, and the block date that it gets."""

    document_id: str
    source: str
    date: dt.datetime


def confirmed_in(change_set: ChangeSet, base: str) -> list[Confirmed]:
    """What a run found unchanged, if it crawled with another base than ``base``."""
    seen_in = tuple(change_set.bases() - {base})
    if not seen_in:
        return []
    return [
        Confirmed(record.document_id, record.url, record.block, record.counts_as, seen_in)
        for record in change_set.unchanged()
        if record.block is not None and record.counts_as is not None
    ]


def confirmed_late(
    confirmations: Confirmations,
    removed: Iterable[RemovedDocument],
    commands: Sequence[RemovalRecord],
    base: str,
) -> list[Confirmed]:
    """Of what commands removed from ``base``: what newer blocks have confirmed since.

    Their runs ended without changes, so they moved no alias, and the swap did not notice them.
    """
    urls = {each.document_id: each.url for each in removed if each.cause is not Cause.PAGE}
    asked = Removals[RemovalRecord](commands)
    return [
        Confirmed(key, urls[key], AFTER_ALL_BLOCKS, date, (base,))
        for key, date in confirmations.dates(list(urls)).items()
        if all(command.counts_as < date for command in asked.matching(urls[key]))
    ]


def restorations(
    client: StoreClient,
    names: SiteNames,
    confirmed: Sequence[Confirmed],
    *,
    base: str,
    base_target: Target,
    commands: Sequence[RemovalRecord],
) -> tuple[Restoration, ...]:
    """What has to come back to ``base``: confirmed documents that only older removals took away.

    What went without a removal that stands was found gone by the page itself, and stays away.
    Raises RunFailedError where no generation has such a document any more.
    """
    there = scan.by_ids(client, base, [each.document_id for each in confirmed], source=("url",))
    present = {key for key, _ in there}
    missing = [each for each in confirmed if each.document_id not in present]
    if not missing:
        return ()
    standing = RemovalStore(client).effective(names.site, base_target, base).removals
    against = Removals[Removal](standing)
    own = Removals[RemovalRecord](commands)
    wanted = {each.document_id: each for each in missing if _comes_back(each, against, own)}
    return tuple(_located(client, names, wanted))


def restored_items(client: StoreClient, restorations: Sequence[Restoration]) -> Iterator[Item]:
    """The writes that bring documents back, with the versions that they had."""
    dates = {each.document_id: each.date for each in restorations}
    for source in sorted({each.source for each in restorations}):
        ids = [each.document_id for each in restorations if each.source == source]
        for key, document in scan.by_ids(client, source, ids, source=True):
            fetched = to_ms(parse(document["fetched_at"]))
            dated = {**document, "block_date": iso(dates[key])}
            yield index_item(key, by_language(dated), version=fetched)


def _comes_back(
    confirmed: Confirmed, standing: Removals[Removal], own: Removals[RemovalRecord]
) -> bool:
    if any(
        confirmed.block < command.block < AFTER_ALL_BLOCKS
        for command in own.matching(confirmed.url)
    ):
        return False
    removals = list(standing.matching(confirmed.url))
    return bool(removals) and all(each.counts_as <= confirmed.counts_as for each in removals)


def _located(
    client: StoreClient, names: SiteNames, wanted: dict[str, Confirmed]
) -> Iterator[Restoration]:
    generations = sorted({name for each in wanted.values() for name in each.seen_in}, reverse=True)
    for name in generations:
        ids = [key for key, each in wanted.items() if name in each.seen_in]
        for key in _held(client, names, name, ids):
            yield Restoration(key, name, wanted.pop(key).counts_as)
    if wanted:
        first = next(iter(wanted.values()))
        raise RunFailedError(
            f"An older block has removed {len(wanted)} documents that this run found unchanged, the"
            f" first of them {first.url}, and no generation that had them"
            f" ({', '.join(generations)}) is open any more.",
            hint="Run again from the first task: these pages are then read anew.",
            site=names.site,
        )


def _held(
    client: StoreClient, names: SiteNames, generation: str, ids: Collection[str]
) -> list[str]:
    found = describe(client, names, generation) if ids else None
    if found is None or not found.open:
        return []
    return [key for key, _ in scan.by_ids(client, generation, list(ids), source=("url",))]
