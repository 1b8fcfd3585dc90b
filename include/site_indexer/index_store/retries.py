"""The retry list of each target, in ``site-indexer.state`` (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from site_indexer.index_store import scan
from site_indexer.index_store.bulk import bulk_write, delete_item, index_item
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import STATE_INDEX, Target

_ENTRY = "retry"
_BLOCK = "retry-block"


@dataclass(frozen=True, slots=True)
class RetryEntry:
    """A page that could not be fetched and is tried again by each run of its target.

    ``line`` named it, in the block of the digest ``block``; ``counts_as`` (aware) is that block's
    date. ``since`` is the start of the run that failed first, ``failure`` the last one's word.
    """

    url: str
    document_id: str
    line: int
    block: str
    counts_as: dt.datetime
    since: dt.datetime
    tries: int
    failure: str
    nofollow: bool = False
    noindex: bool = False


@dataclass(frozen=True, slots=True)
class RetryStore:
    """The retry lists of all sites. Raises what ``store_errors`` raises.

    Blocks are the caller's, JSON-safe, by their digests: many pages have one in common.
    """

    client: StoreClient

    def entries(self, site: str, target: Target) -> list[RetryEntry]:
        """The list of a target, longest waiting first; empty also before anything was written."""
        if not self._is_set_up():
            return []
        found = [_entry(source) for source in self._all(_ENTRY, site, target)]
        return sorted(found, key=lambda entry: (entry.since, entry.url))

    def blocks(self, site: str, target: Target) -> dict[str, Mapping[str, Any]]:
        """The blocks of a target's entries, by digest."""
        return {source["digest"]: source["block"] for source in self._all(_BLOCK, site, target)}

    def put(
        self,
        site: str,
        target: Target,
        entries: Iterable[RetryEntry],
        blocks: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Add entries and their blocks, in place of those of the same pages."""
        head = {"site": site, "target": target.value}
        items = [
            index_item(
                _key(_BLOCK, site, target, digest),
                {**head, "kind": _BLOCK, "digest": digest, "block": block},
            )
            for digest, block in blocks.items()
        ]
        # An entry without its block could not be tried, so blocks go first.
        items += [
            index_item(
                _key(_ENTRY, site, target, entry.document_id),
                {
                    **head,
                    **asdict(entry),
                    "kind": _ENTRY,
                    "counts_as": iso(entry.counts_as),
                    "since": iso(entry.since),
                },
            )
            for entry in entries
        ]
        bulk_write(self.client, STATE_INDEX, items, refresh=True)

    def remove(self, site: str, target: Target, document_ids: Collection[str]) -> None:
        """Take pages off the list, and forget the blocks that no other page has."""
        if not document_ids:
            return
        left = {
            entry.block
            for entry in self.entries(site, target)
            if entry.document_id not in document_ids
        }
        idle = self.blocks(site, target).keys() - left
        keys = [_key(_ENTRY, site, target, each) for each in document_ids]
        keys += [_key(_BLOCK, site, target, digest) for digest in idle]
        bulk_write(self.client, STATE_INDEX, map(delete_item, keys), refresh=True)

    def take_along(self, site: str, source: Target, target: Target) -> None:
        """Give ``target`` the list of ``source`` in place of its own."""
        entries, blocks = self.entries(site, source), self.blocks(site, source)
        kept = {entry.document_id for entry in entries}
        self.put(site, target, entries, blocks)
        stale = {each.document_id for each in self.entries(site, target)} - kept
        self.remove(site, target, stale)

    def clear(self, site: str, target: Target) -> None:
        """Forget the whole list of a target."""
        self.remove(site, target, {each.document_id for each in self.entries(site, target)})

    def _is_set_up(self) -> bool:
        with store_errors("look up the retry lists", self.client):
            return bool(self.client.indices.exists(index=STATE_INDEX))

    def _all(self, kind: str, site: str, target: Target) -> list[dict[str, Any]]:
        terms = {"kind": kind, "site": site, "target": target.value}
        query = {"bool": {"filter": [{"term": {name: value}} for name, value in terms.items()]}}
        hits = scan.scan(self.client, STATE_INDEX, query=query, source=True)
        return [hit["_source"] for hit in hits]


def _key(kind: str, site: str, target: Target, last: str) -> str:
    return f"{kind}:{site}:{target.value}:{last}"


def _entry(source: Mapping[str, Any]) -> RetryEntry:
    return RetryEntry(
        url=source["url"],
        document_id=source["document_id"],
        line=source["line"],
        block=source["block"],
        counts_as=parse(source["counts_as"]),
        since=parse(source["since"]),
        tries=source["tries"],
        failure=source["failure"],
        nofollow=source["nofollow"],
        noindex=source["noindex"],
    )
