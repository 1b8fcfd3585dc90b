"""The change set of one plan: what its run found out, until it is published and a week longer."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from opensearchpy.exceptions import NotFoundError

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.building import refresh
from site_indexer.index_store.bulk import Item, bulk_write, delete_item, index_item
from site_indexer.index_store.change_columns import read_columns
from site_indexer.index_store.change_records import (
    UNCHANGED,
    ChangeRecord,
    Kind,
    RemovalRecord,
    removal_item,
    to_page,
    to_removal,
)
from site_indexer.index_store.change_writer import ChangeWriter
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.draft_writer import DraftWriter
from site_indexer.index_store.instants import iso, parse
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
_TO_GO_ON = (
    *_NO_DOCUMENT,
    "document.canonical",
    "document.content_digest",
    "document.links",
)
_TO_PUBLISH = (
    "kind",
    "url",
    "version_ms",
    "action",
    "block",
    "counts_as",
    "line",
    "mask",
    "mask_kind",
    "matched",
    "facts.line",
    "facts.cause",
    "facts.outcome",
    "facts.status",
    "facts.target",
)
_READ_AT_ONCE = 500
_REMOVES: Mapping[str, Any] = {
    "bool": {
        "should": [{"term": {"action": "remove"}}, {"term": {"kind": Kind.REMOVAL.value}}],
        "minimum_should_match": 1,
    }
}


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """Records of pages, removals and completed actions of one plan.

    Rule: docs/spec/05-index-lifecycle.md, *Change sets*. It belongs to one plan, by the digest in
    its name: records of another are never met. All calls raise what ``store_errors`` raises.
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

    def writer(self, draft: DraftWriter | None = None) -> ChangeWriter:
        """A context manager that takes page records and writes them in the background."""
        return ChangeWriter(self.client, self.index, draft)

    def created_at(self) -> dt.datetime:
        """When it was made, by the clock of its run."""
        with store_errors(f"read {self.index}", self.client):
            found = self.client.indices.get_mapping(index=self.index)
        return parse(found[self.index]["mappings"]["_meta"]["created_at"])

    def refresh(self) -> None:
        """Make all that was written before visible to the reads below, which do it themselves."""
        refresh(self.client, self.index)

    def pages(
        self,
        *,
        actions: Sequence[str] = (),
        outcomes: Sequence[str] = (),
        documents: bool = True,
    ) -> Iterator[ChangeRecord]:
        """All page records, or those with these actions or outcomes, in no order, as of now.

        Without ``documents`` they leave them out, which is several times as fast.
        """
        self.refresh()
        filters: list[dict[str, Any]] = [{"term": {"kind": Kind.PAGE.value}}]
        if actions:
            filters.append({"terms": {"action": list(actions)}})
        if outcomes:
            filters.append({"terms": {"outcome": list(outcomes)}})
        source: bool | Sequence[str] = True if documents else _NO_DOCUMENT
        return self._pages(filters, source, _READ_AT_ONCE if documents else scan.PAGE * 5)

    def pages_to_go_on_from(self) -> Iterator[ChangeRecord]:
        """All page records with that of their documents which a crawl has to know."""
        self.refresh()
        return self._pages([{"term": {"kind": Kind.PAGE.value}}], _TO_GO_ON, scan.PAGE)

    def _pages(
        self, filters: Sequence[Mapping[str, Any]], source: bool | Sequence[str], size: int
    ) -> Iterator[ChangeRecord]:
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
        return _in_order([to_removal(hit["_source"]) for hit in hits])

    def complete(self, action: str, counts: Mapping[str, Any]) -> None:
        """Record that an action type has ended, with its counts. Replaces an earlier record."""
        source = {"kind": Kind.COMPLETION.value, "completed": action, "counts": dict(counts)}
        self._write([index_item(_completion_id(action), source)])

    def completions(self) -> dict[str, dict[str, Any]]:
        """The counts of each action type that has ended."""
        self.refresh()
        query = {"term": {"kind": Kind.COMPLETION.value}}
        hits = scan.scan(self.client, self.index, query=query, source=True)
        return {hit["_source"]["completed"]: hit["_source"]["counts"] for hit in hits}

    def delete_completion(self, action: str) -> None:
        """Forget that an action type has ended, as it begins again."""
        self._write([delete_item(_completion_id(action))])

    def note_base(self, generation: str) -> None:
        """Remember that pages are compared with those of a generation."""
        self._write(
            [index_item(f"base-{generation}", {"kind": Kind.BASE.value, "base": generation})]
        )

    def bases(self) -> frozenset[str]:
        """The generations that pages were compared with; several after retries."""
        self.refresh()
        query = {"term": {"kind": Kind.BASE.value}}
        hits = scan.scan(self.client, self.index, query=query, source=("base",))
        return frozenset(hit["_source"]["base"] for hit in hits)

    def put_outcome(self, generation: str, outcome: Mapping[str, Any]) -> None:
        """Keep what publishing as ``generation`` came to, for a publish that dies (JSON-safe)."""
        source = {"kind": Kind.OUTCOME.value, "published": dict(outcome)}
        self._write([index_item(_outcome_id(generation), source)])

    def outcome(self, generation: str) -> dict[str, Any] | None:
        """What :meth:`put_outcome` kept; None without it, or where the change set is gone."""
        try:
            found = scan.get(self.client, self.index, _outcome_id(generation))
        except StoreRefusedError:
            return None
        return None if found is None else dict(found["_source"]["published"])

    def to_publish(self) -> tuple[list[ChangeRecord], list[RemovalRecord]]:
        """All that publishing decides on.

        Page records to write or remove, without documents, and the removals by commands. Of a
        record that writes there are no facts: there may be a million of them.
        """
        self.refresh()
        writes = [{"term": {"kind": Kind.PAGE.value}}, {"term": {"action": "write"}}]
        pages = list(read_columns(self.client, self.index, writes))
        hits = scan.scan(
            self.client,
            self.index,
            query=_REMOVES,
            source=_TO_PUBLISH,
            size=scan.PAGE * 5,
        )
        removals = []
        for hit in hits:
            if hit["_source"]["kind"] == Kind.PAGE.value:
                pages.append(to_page(hit["_id"], hit["_source"]))
            else:
                removals.append(to_removal(hit["_source"]))
        return pages, _in_order(removals)

    def may_remove(self) -> bool:
        """Whether there is any record by which a document may go."""
        self.refresh()
        return scan.count(self.client, self.index, _REMOVES) > 0

    def unchanged(self) -> Iterator[ChangeRecord]:
        """The records, in short, of pages that are as the index has them."""
        filters = [{"term": {"kind": Kind.PAGE.value}}, {"term": {"outcome": UNCHANGED}}]
        hits = scan.scan(
            self.client,
            self.index,
            query={"bool": {"filter": filters}},
            source=_TO_PUBLISH,
            size=scan.PAGE * 5,
        )
        for hit in hits:
            yield to_page(hit["_id"], hit["_source"])

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


def _in_order(removals: list[RemovalRecord]) -> list[RemovalRecord]:
    return sorted(removals, key=lambda removal: (removal.block, removal.line, removal.key))


def _outcome_id(generation: str) -> str:
    return f"outcome-{generation}"


def _completion_id(action: str) -> str:
    return f"completion-{action}"
