"""What a person's query finds (docs/spec/05-index-lifecycle.md, 5.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from opensearchpy.exceptions import TransportError

from site_indexer.index_store.client import StoreClient, error_type, store_errors
from site_indexer.index_store.language_fields import ANALYZED, plain

LONGEST_HIGHLIGHTED = 900_000
"""Characters of a text that are looked through for highlights; OpenSearch allows a million."""

# Those of every language that is there, each by its own analyzer. Those without a language are in
# generations of version 1 of the mapping, which are shown until the next publish.
_SEARCHED = [
    *("title.*^3", "headings.*^2", "description.*", "text.*", "url_words"),
    *("title^3", "headings^2", "description", "text"),
]
_WHOLE: Mapping[str, Any] = {"number_of_fragments": 0}
_FRAGMENTS: Mapping[str, Any] = {}
_HIGHLIGHTED: Mapping[str, Mapping[str, Any]] = {
    form: _WHOLE if field == "title" else _FRAGMENTS
    for field in ANALYZED
    for form in (f"{field}.*", field)
}


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


def search(client: StoreClient, index: str, query: str, size: int) -> SearchResult:
    """The best documents for a person's query; supplemental results come after full ones.

    Words are all needed unless ``|`` stands between them; ``"..."`` is a phrase, ``-word`` must
    not occur. Any text is a query: what makes no sense as one is taken as words, and of more words
    than OpenSearch takes the first ones count. Raises what ``store_errors`` raises.
    """
    with store_errors(f"search {index}", client):
        while True:
            try:
                found = client.search(index=index, body=_body(query, size))["hits"]
            except TransportError as error:
                words = query.split()
                if error_type(error) != "too_many_nested_clauses" or len(words) < 2:
                    raise
                query = " ".join(words[: len(words) // 2])
            else:
                return SearchResult(found["total"]["value"], tuple(map(_hit, found["hits"])))


def _body(query: str, size: int) -> dict[str, Any]:
    return {
        "size": size,
        "track_total_hits": True,
        "query": {
            "simple_query_string": {
                "query": query,
                "fields": _SEARCHED,
                "default_operator": "and",
                "flags": "AND|OR|NOT|PHRASE|PREFIX|PRECEDENCE|WHITESPACE",
                "lenient": True,
            }
        },
        "_source": ["url", "title", "tier"],
        # Of the two tiers "full" is first in the alphabet, too.
        "sort": [{"tier": {"order": "asc", "missing": "_first"}}, "_score", {"url": "asc"}],
        "track_scores": True,
        "highlight": {"max_analyzer_offset": LONGEST_HIGHLIGHTED, "fields": _HIGHLIGHTED},
    }


def _hit(hit: Mapping[str, Any]) -> SearchHit:
    source = plain(hit["_source"])
    return SearchHit(
        url=source["url"],
        title=source.get("title"),
        tier=source.get("tier", "full"),
        score=hit["_score"],
        highlights={
            field.partition(".")[0]: tuple(fragments)
            for field, fragments in hit.get("highlight", {}).items()
        },
    )
