"""An index in memory: the crawl's ports, without OpenSearch."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from site_indexer.crawling.documents import parsed_instant
from site_indexer.crawling.model import PageRecord, RecordAction, StoredPage
from site_indexer.urls import document_id


@dataclass
class MemorySink:
    """A change set: the last record of each URL."""

    records: dict[str, PageRecord] = field(default_factory=dict)
    flushed: bool = False

    def put(self, record: PageRecord) -> None:
        self.records[record.document_id] = record
        self.flushed = False

    def get(self, document_ids: Sequence[str]) -> Mapping[str, PageRecord]:
        return {key: self.records[key] for key in document_ids if key in self.records}

    def flush(self) -> None:
        self.flushed = True

    def of(self, url: str) -> PageRecord:
        return self.records[document_id(url)]


@dataclass
class MemoryIndex:
    """Documents by id, and what publishing a change set makes of them."""

    documents: dict[str, dict[str, Any]] = field(default_factory=dict)

    def lookup(self, document_ids: Sequence[str]) -> Mapping[str, StoredPage]:
        return {
            key: _stored(key, self.documents[key]) for key in document_ids if key in self.documents
        }

    def document(self, document_id: str) -> dict[str, Any] | None:
        return self.documents.get(document_id)

    def stands(self, url: str, block: int, written_by: Sequence[int]) -> bool:
        del block
        return bool(written_by) or document_id(url) in self.documents

    def publish(self, sink: MemorySink) -> None:
        for key, record in sink.records.items():
            if record.action is RecordAction.WRITE:
                assert record.document is not None, record.url
                self.documents[key] = dict(record.document)
            elif record.action is RecordAction.REMOVE:
                self.documents.pop(key, None)

    def by_url(self) -> dict[str, dict[str, Any]]:
        return {document["url"]: document for document in self.documents.values()}

    def comparable(self) -> dict[str, dict[str, Any]]:
        """The documents without what differs between two crawls of the same pages."""
        return {
            url: {name: value for name, value in document.items() if name != "fetched_at"}
            for url, document in self.by_url().items()
        }


def _stored(key: str, document: Mapping[str, Any]) -> StoredPage:
    return StoredPage(
        url=document["url"],
        document_id=key,
        etag=document.get("etag"),
        last_modified=document.get("last_modified"),
        content_digest=document["content_digest"],
        extractor_version=document["extractor_version"],
        links=tuple(document["links"]),
        nofollow=document["nofollow"],
        date=parsed_instant(document.get("date")),
        server_date=parsed_instant(document.get("server_date")),
        aliases=tuple(document["aliases"]),
        fetched_at=parsed_instant(document["fetched_at"]) or dt.datetime.now(dt.UTC),
        canonical=document.get("canonical"),
    )
