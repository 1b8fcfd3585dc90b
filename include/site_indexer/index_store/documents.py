"""Reads the documents of an index: for crawls, for masks, for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from site_indexer.index_store import scan
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.language_fields import plain
from site_indexer.index_store.searching import SearchResult, search

CRAWL_FIELDS = (
    "url",
    "etag",
    "last_modified",
    "content_digest",
    "extractor_version",
    "links",
    "nofollow",
    "date",
    "server_date",
    "aliases",
    "canonical",
    "fetched_at",
)
"""What a crawl needs to know of a stored page."""

LISTED_FIELDS = ("url", "title", "date", "content_digest", "tier")
"""What ``site-indexer documents`` prints (docs/spec/08-shell.md)."""


class UrlMask(Protocol):
    """A mask as :mod:`site_indexer.masks` compiles it."""

    @property
    def literal_prefix(self) -> str:
        """What every URL that matches starts with, as far as is known."""
        ...

    def matches(self, url: str) -> bool:
        """Whether the mask matches a normalized URL."""
        ...


@dataclass(frozen=True, slots=True)
class StoredDocuments:
    """The documents of an index or of what an alias shows.

    All calls raise what ``store_errors`` raises. A sealed index never changes, so several calls
    agree with each other if ``index`` is a generation rather than an alias.
    """

    client: StoreClient
    index: str

    def lookup(
        self, document_ids: Sequence[str], fields: Sequence[str] = CRAWL_FIELDS
    ) -> dict[str, dict[str, Any]]:
        """Those fields of the documents of these ids that are there, by id."""
        found = scan.by_ids(self.client, self.index, document_ids, source=fields)
        return {key: plain(source) for key, source in found}

    def get(self, document_id: str) -> dict[str, Any] | None:
        """A whole document, or None."""
        found = scan.get(self.client, self.index, document_id)
        return None if found is None else plain(found["_source"])

    def matching(self, mask: UrlMask) -> Iterator[str]:
        """The URL of every document that a mask matches, in no order."""
        for columns in self.columns_of_matching(mask, ("url",)):
            yield columns["url"][0]

    def columns_of_matching(
        self, mask: UrlMask, wanted: Sequence[scan.Column]
    ) -> Iterator[dict[str, list[Any]]]:
        """Columns (``url`` must be among them) of every document that a mask matches."""
        query = _narrowed(mask)
        for columns in scan.columns(self.client, self.index, wanted, query=query):
            if mask.matches(columns["url"][0]):
                yield columns

    def stored_under_alias(self, url: str) -> str | None:
        """The URL of the document that has ``url`` as an alias, or None."""
        query = {"term": {"aliases": url}}
        found = scan.scan(self.client, self.index, query=query, source=("url",), size=1)
        return next((hit["_source"]["url"] for hit in found), None)

    def count(self) -> int:
        """How many documents there are."""
        return scan.count(self.client, self.index)

    def all(
        self, mask: UrlMask | None = None, fields: Sequence[str] = LISTED_FIELDS
    ) -> Iterator[dict[str, Any]]:
        """Those fields of every document, or of those a mask matches, sorted by URL.

        ``url`` must be among the fields. A field that a document lacks is None.
        """
        query = {"match_all": {}} if mask is None else _narrowed(mask)
        body: dict[str, Any] = {
            "size": scan.PAGE,
            "query": query,
            "_source": list(fields),
            "sort": [{"url": "asc"}],
            "track_total_hits": False,
        }
        index = self._one_index()
        while True:
            with store_errors(f"read {index}", self.client):
                hits = self.client.search(index=index, body=body)["hits"]["hits"]
            for hit in hits:
                source = plain(hit["_source"])
                if mask is None or mask.matches(source["url"]):
                    yield {field: source.get(field) for field in fields}
            if len(hits) < scan.PAGE:
                return
            body["search_after"] = hits[-1]["sort"]

    def search(self, query: str, size: int = 10) -> SearchResult:
        """The best documents for a person's query: see :func:`.searching.search`."""
        return search(self.client, self.index, query, size)

    def _one_index(self) -> str:
        """The index behind an alias, so that all pages of a long list come from the same one."""
        with store_errors(f"look up {self.index}", self.client):
            indices = self.client.indices.get_alias(index=self.index)
        return next(iter(indices), self.index) if len(indices) == 1 else self.index


def _narrowed(mask: UrlMask) -> dict[str, Any]:
    if not mask.literal_prefix:
        return {"match_all": {}}
    return {"prefix": {"url": mask.literal_prefix}}
