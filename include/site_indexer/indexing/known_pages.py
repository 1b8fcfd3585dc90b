"""The crawl's view of the index that a run starts from."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from site_indexer.crawling.model import StoredPage
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.urls import document_id


class IndexedPages:
    """The KnownPages port on a generation, less what this run's commands remove.

    A page that a block deletes and a block adds again must be written again, so it is not known:
    no validators are sent for it and nothing is compared with it (docs/spec/03-planning.md).
    """

    def __init__(self, documents: StoredDocuments, removals: RunRemovals) -> None:
        self._documents = documents
        self._removals = removals
        # A generation never changes, so that of a new site is not asked for each page.
        self._is_empty = documents.count() == 0

    def lookup(self, document_ids: Sequence[str]) -> Mapping[str, StoredPage]:
        """The stored pages of those ids that exist, by id."""
        if self._is_empty:
            return {}
        found = self._documents.lookup(document_ids)
        return {
            document_id: _stored_page(document_id, source)
            for document_id, source in found.items()
            if not self._removals.any_match(source["url"])
        }

    def document(self, document_id: str) -> dict[str, Any] | None:
        """The whole stored document, or None."""
        source = self._documents.get(document_id)
        if source is None or self._removals.any_match(source["url"]):
            return None
        return source

    def stands(self, url: str, block: int, written_by: Sequence[int]) -> bool:
        """Whether a URL has a document as a block begins to write, of the base or of these."""
        if any(not self._removals.any_between(url, writer, block) for writer in written_by):
            return True
        if self._removals.any_between(url, -1, block):
            return False
        if self._is_empty:
            return False
        return bool(self._documents.lookup([document_id(url)], ("url",)))


def _stored_page(document_id: str, source: Mapping[str, Any]) -> StoredPage:
    return StoredPage(
        url=source["url"],
        document_id=document_id,
        etag=source.get("etag"),
        last_modified=source.get("last_modified"),
        content_digest=source.get("content_digest", ""),
        extractor_version=source.get("extractor_version", ""),
        links=tuple(source.get("links") or ()),
        nofollow=bool(source.get("nofollow", False)),
        date=_instant(source.get("date")),
        server_date=_instant(source.get("server_date")),
        aliases=tuple(source.get("aliases") or ()),
        fetched_at=_instant(source.get("fetched_at")) or dt.datetime.fromtimestamp(0, dt.UTC),
        canonical=source.get("canonical"),
    )


def _instant(text: str | None) -> dt.datetime | None:
    return None if text is None else dt.datetime.fromisoformat(text)
