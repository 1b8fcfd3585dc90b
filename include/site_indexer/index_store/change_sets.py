"""The change set of one plan: what its run found out, until it is published and a week longer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from opensearchpy.exceptions import NotFoundError

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, ItemError, bulk_write, delete_item, index_item
from site_indexer.index_store.change_records import (
    ChangeRecord,
    Kind,
    RemovalRecord,
    removal_item,
    to_page,
    to_removal,
)
from site_indexer.index_store.change_writer import ChangeWriter
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import iso
from site_indexer.index_store.mappings import changes_body
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.setup import create_index

__all__ = ["ChangeRecord", "ChangeSet", "ChangeWriter", "RemovalRecord"]

_NO_DOCUMENT = (
    "kind",
    "action",
    "url",
    "version_ms",
    "block",
    "counts_as",
    "facts",
)
_FEW_FACTS = ("url", "version_ms", "action", "block", "counts_as")
_READ_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Records of pages, removals and completed actions of one plan (docs/spec/05, *Change sets*).

    It belongs to one plan, by the digest in its name: records of another are never met. All calls
    raise what ``store_errors`` raises.
    """

    client: StoreClient
    index: str

    @classmethod
    def create(
        cls, client: StoreClient, names: SiteNames, digest: str, now: dt.datetime | None = None
    ) -> Self:
        """The change set of a plan, made if it is not there yet. Idempotent."""
        index = names.changes(digest)
        made = now or dt.datetime.now(dt.UTC)
        meta = {"changes": index, "site": names.site, "digest": digest, "created_at": iso(made)}
        create_index(client, index, changes_body(meta))
        return cls(client, index)

    @classmethod
    def open(cls, client: StoreClient, names: SiteNames, digest: str) -> Self:
        """The change set of a plan. Raises StoreRefusedError where there is none (any more)."""
        index = names.changes(digest)
        with store_errors(f"open {index}", client):
            exists = client.indices.exists(index=index)
        if not exists:
            raise StoreRefusedError(
                f"The change set {index} of site {names.site} is not there (any more).",
                hint="Change sets are kept for 7 days. Run again from the first task.",
                index=index,
                site=names.site,
            )
        return cls(client, index)

    def writer(self) -> ChangeWriter:
        """A context manager that takes page records and writes them in the background."""
        return ChangeWriter(self.client, self.index)

    def refresh(self) -> None:
        """Make all that was written before visible to the reads below, which do it themselves."""
        with store_errors(f"refresh {self.index}", self.client):
            self.client.indices.refresh(index=self.index)

    def pages(
        self, *, actions: Sequence[str] = (), documents: bool = True, facts: bool = True
    ) -> Iterator[ChangeRecord]:
        """All page records, or those with these actions, in no order, as of now.

        Without ``documents`` or ``facts`` they leave them out, which is several times as fast.
        """
        self.refresh()
        filters: list[dict[str, Any]] = [{"term": {"kind": Kind.PAGE.value}}]
        if actions:
            filters.append({"terms": {"action": list(actions)}})
        source: bool | Sequence[str] = True
        if not documents:
            source = _NO_DOCUMENT if facts else _FEW_FACTS
        size = _READ_AT_ONCE if documents else scan.PAGE * 5
        query = {"bool": {"filter": filters}}
        for hit in scan.scan(self.client, self.index, query=query, source=source, size=size):
            yield to_page(hit["_id"], hit["_source"])

    def get(self, document_ids: Sequence[str]) -> dict[str, ChangeRecord]:
        """The whole page records of those ids that are there, by id; needs no refresh."""
        found = scan.by_ids(self.client, self.index, document_ids, source=True)
        return {document_id: to_page(document_id, source) for document_id, source in found}

    def put_removals(self, removals: Sequence[RemovalRecord]) -> None:
        """Write what commands remove; the same again changes nothing."""
        self._write([removal_item(removal) for removal in removals])

    def removals(self) -> list[RemovalRecord]:
        """All removals by commands, oldest block first, then by line."""
        self.refresh()
        query = {"term": {"kind": Kind.REMOVAL.value}}
        hits = scan.scan(self.client, self.index, query=query, source=True)
        found = [to_removal(hit["_source"]) for hit in hits]
        return sorted(found, key=lambda removal: (removal.block, removal.line, removal.key))

    def complete(self, action: str, counts: Mapping[str, Any]) -> None:
        """Record that an action type has ended, with its counts. Replaces an earlier record."""
        source = {"kind": Kind.COMPLETION.value, "action": action, "counts": dict(counts)}
        self._write([index_item(_completion_id(action), source)])

    def completions(self) -> dict[str, dict[str, Any]]:
        """The counts of each action type that has ended."""
        self.refresh()
        query = {"term": {"kind": Kind.COMPLETION.value}}
        hits = scan.scan(self.client, self.index, query=query, source=True)
        return {hit["_source"]["action"]: hit["_source"]["counts"] for hit in hits}

    def delete_completion(self, action: str) -> None:
        """Forget that an action type has ended, as it begins again."""
        self._write([delete_item(_completion_id(action))])

    def put_rejected(self, generation: str, rejected: Sequence[ItemError]) -> None:
        """Keep which documents OpenSearch did not take into a generation, for a publish that died."""
        source = {
            "kind": Kind.OUTCOME.value,
            "rejected": [[each.document_id, each.status, each.reason] for each in rejected],
        }
        self._write([index_item(_outcome_id(generation), source)])

    def rejected(self, generation: str) -> tuple[ItemError, ...]:
        """What :meth:`put_rejected` kept; empty where nothing was kept."""
        found = scan.get(self.client, self.index, _outcome_id(generation))
        return tuple(ItemError(*each) for each in found["_source"]["rejected"]) if found else ()

    def counts(self) -> dict[str, int]:
        """How many page records have which action (``write``, ...) and outcome.

        Keys are ``action:write``, ``outcome:indexed`` and so on, and ``pages`` for all.
        """
        self.refresh()
        body = {
            "size": 0,
            "track_total_hits": True,
            "query": {"term": {"kind": Kind.PAGE.value}},
            "aggs": {
                name: {"terms": {"field": name, "size": 100}} for name in ("action", "outcome")
            },
        }
        with store_errors(f"count {self.index}", self.client):
            answer = self.client.search(index=self.index, body=body)
        counts = {"pages": answer["hits"]["total"]["value"]}
        for name, found in answer["aggregations"].items():
            counts |= {f"{name}:{each['key']}": each["doc_count"] for each in found["buckets"]}
        return counts

    def drop(self) -> None:
        """Delete the change set; that it is gone already is no error."""
        with store_errors(f"delete {self.index}", self.client):
            try:
                self.client.indices.delete(index=self.index)
            except NotFoundError:
                return

    def _write(self, items: Sequence[Item]) -> None:
        outcome = bulk_write(self.client, self.index, items)
        if outcome.errors:
            first = outcome.errors[0]
            raise StoreRefusedError(
                f"OpenSearch refused to write to the change set {self.index}: {first.reason}.",
                index=self.index,
            )


def _outcome_id(generation: str) -> str:
    return f"outcome-{generation}"


def _completion_id(action: str) -> str:
    return f"completion-{action}"
