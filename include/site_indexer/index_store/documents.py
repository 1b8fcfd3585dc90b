"""Reads the documents of an index: for crawls, for masks, for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from site_indexer.index_store import scan
from site_indexer.index_store.client import StoreClient, store_errors

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

LONGEST_HIGHLIGHTED = 900_000
"""Characters of a text that are looked through for highlights; OpenSearch allows a million."""

_MATCHED_FIELDS = ["title^3", "headings^2", "description", "text"]


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
class SearchHit:
    """One result. ``highlights`` are fragments by field, with ``<em>`` around what was found."""

    url: str
    title: str | None
    tier: str
    score: float
    highlights: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The first hits of a search, and how many there are in all."""

    total: int
    hits: tuple[SearchHit, ...]


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
        return dict(scan.by_ids(self.client, self.index, document_ids, source=fields))

    def get(self, document_id: str) -> dict[str, Any] | None:
        """A whole document, or None."""
        found = scan.get(self.client, self.index, document_id)
        return None if found is None else dict(found["_source"])

    def matching(self, mask: UrlMask) -> Iterator[tuple[str, str]]:
        """Id and URL of every document that a mask matches, in no order."""
        for document_id, source in self.fields_of_matching(mask, ("url",)):
            yield document_id, source["url"]

    def fields_of_matching(
        self, mask: UrlMask, fields: Sequence[str]
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        """Id and fields (``url`` must be among them) of every document that a mask matches."""
        query = _narrowed(mask)
        for hit in scan.scan(self.client, self.index, query=query, source=fields, size=5_000):
            if mask.matches(hit["_source"]["url"]):
                yield hit["_id"], hit["_source"]

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
                source = hit["_source"]
                if mask is None or mask.matches(source["url"]):
                    yield {field: source.get(field) for field in fields}
            if len(hits) < scan.PAGE:
                return
            body["search_after"] = hits[-1]["sort"]

    def search(self, query: str, size: int = 10) -> SearchResult:
        """The best documents for a person's query; supplemental results come after full ones.

        Words are all needed unless ``|`` stands between them; ``"..."`` is a phrase, ``-word``
        must not occur. Any text is a query: what makes no sense as one is taken as words.
        """
        body = {
            "size": size,
            "track_total_hits": True,
            "query": {
                "bool": {
                    "must": {
                        "simple_query_string": {
                            "query": query,
                            "fields": _MATCHED_FIELDS,
                            "default_operator": "and",
                            "flags": "AND|OR|NOT|PHRASE|PREFIX|PRECEDENCE|WHITESPACE",
                            "lenient": True,
                        }
                    }
                }
            },
            "_source": ["url", "title", "tier"],
            # Of the two tiers "full" is first in the alphabet, too.
            "sort": [{"tier": {"order": "asc", "missing": "_first"}}, "_score", {"url": "asc"}],
            "track_scores": True,
            "highlight": {
                "max_analyzer_offset": LONGEST_HIGHLIGHTED,
                "fields": {
                    "title": {"number_of_fragments": 0},
                    "headings": {},
                    "description": {},
                    "text": {},
                },
            },
        }
        with store_errors(f"search {self.index}", self.client):
            found = self.client.search(index=self.index, body=body)["hits"]
        return SearchResult(found["total"]["value"], tuple(map(_hit, found["hits"])))

    def _one_index(self) -> str:
        """The index behind an alias, so that all pages of a long list come from the same one."""
        with store_errors(f"look up {self.index}", self.client):
            indices = self.client.indices.get_alias(index=self.index)
        return next(iter(indices), self.index) if len(indices) == 1 else self.index


def _narrowed(mask: UrlMask) -> dict[str, Any]:
    if not mask.literal_prefix:
        return {"match_all": {}}
    return {"prefix": {"url": mask.literal_prefix}}


def _hit(hit: Mapping[str, Any]) -> SearchHit:
    source = hit["_source"]
    highlights = hit.get("highlight", {})
    return SearchHit(
        url=source["url"],
        title=source.get("title"),
        tier=source.get("tier", "full"),
        score=hit["_score"],
        highlights={field: tuple(fragments) for field, fragments in highlights.items()},
    )
