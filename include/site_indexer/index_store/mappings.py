"""Mappings and settings of all indexes (docs/spec/05-index-lifecycle.md, *Documents*)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from site_indexer.index_store.analysis import GENERAL, LANGUAGE_ANALYZERS, analysis_settings

MAPPING_VERSION = 2
"""Raised with every change of a generation's mapping or analysis.

A publish whose base has another version copies all documents into a new index; otherwise it clones.
"""

NORMALIZATION_VERSION = 1
"""Raised when the normalized form of URLs changes, as document ids come from it."""

LONGEST_URL_BYTES = 32_766
"""The longest term that Lucene takes; OpenSearch rejects a document with a longer URL."""

LONGEST_KEYWORD = 8_191
"""Characters of a keyword that are indexed: with four bytes each they just fit a term."""

_KEYWORD = {"type": "keyword", "ignore_above": LONGEST_KEYWORD}
_STORED_ONLY = {"type": "keyword", "index": False, "doc_values": False}
_DATE = {"type": "date", "ignore_malformed": True}
# Has a field for each analyzer that is in use; see language_fields.
_BY_LANGUAGE = {"type": "object", "dynamic": True}

DOCUMENT_PROPERTIES: Mapping[str, Mapping[str, Any]] = {
    "url": {"type": "keyword"},
    "url_words": {"type": "text", "analyzer": GENERAL},
    "host": _KEYWORD,
    "site": _KEYWORD,
    "title": _BY_LANGUAGE,
    "description": _BY_LANGUAGE,
    "headings": _BY_LANGUAGE,
    "text": _BY_LANGUAGE,
    "language": _KEYWORD,
    "links": _STORED_ONLY,
    "content_type": _KEYWORD,
    "charset": _STORED_ONLY,
    "date": _DATE,
    "date_source": _KEYWORD,
    "server_date": _DATE,
    "etag": _STORED_ONLY,
    "last_modified": _STORED_ONLY,
    "content_digest": _KEYWORD,
    "extractor_version": _KEYWORD,
    "nofollow": {"type": "boolean"},
    "aliases": _KEYWORD,
    "canonical": _STORED_ONLY,
    "fields": {"type": "object", "dynamic": True},
    "bytes": {"type": "long"},
    "fetched_at": {"type": "date"},
    "block_date": {"type": "date"},
    "tier": _KEYWORD,
}
"""Every field that a document may have; one with another field is rejected (dynamic: strict)."""


def generation_body(
    *, meta: Mapping[str, Any], shards: int, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """The body that creates a generation. ``settings`` are further index settings.

    A field for the texts of a language appears with the first document in that language: a query
    asks all of them that are there, and most sites have one or two.
    """
    return {
        "settings": {
            "index.number_of_shards": shards,
            "index.analysis": analysis_settings(),
            **settings,
        },
        "mappings": {
            "dynamic": "strict",
            "_meta": dict(meta),
            "dynamic_templates": [
                # A site names its own fields; a value of any length must not reject the document.
                {"fields": {"path_match": "fields.*", "mapping": _KEYWORD}},
                *(
                    {
                        f"texts_{name}": {
                            "path_match": f"*.{name}",
                            "mapping": {"type": "text", "analyzer": name},
                        }
                    }
                    for name in (*LANGUAGE_ANALYZERS, GENERAL)
                ),
            ],
            "properties": {name: dict(field) for name, field in DOCUMENT_PROPERTIES.items()},
        },
    }


def changes_body(meta: Mapping[str, Any]) -> dict[str, Any]:
    """The body that creates a change set: sources, and the few keywords that publishing asks."""
    return {
        "settings": {
            "index.number_of_shards": 1,
            "index.auto_expand_replicas": "0-1",
            # Refreshed by whoever reads it.
            "index.refresh_interval": "-1",
        },
        "mappings": {
            "dynamic": False,
            "_meta": dict(meta),
            "properties": {
                "kind": {"type": "keyword"},
                "action": {"type": "keyword"},
                "document_id": {"type": "keyword"},
                "outcome": {"type": "keyword"},
                "text_digest": {"type": "keyword"},
                "block": {"type": "integer"},
                "counts_as": {"type": "date"},
                "url": {"type": "keyword", "index": False, "ignore_above": LONGEST_KEYWORD},
                "version_ms": {"type": "long", "index": False},
                "facts": {
                    "properties": {
                        "named": {"type": "boolean", "index": False},
                        "status": {"type": "integer", "index": False},
                        "bytes": {"type": "long", "index": False},
                        "not_modified": {"type": "boolean", "index": False},
                    }
                },
            },
        },
    }


def shared_bodies() -> dict[str, dict[str, Any]]:
    """The bodies that create the indexes of all sites together, by the part after the dot."""
    keyword = _KEYWORD
    date = {"type": "date"}
    number = {"type": "long"}
    return {
        "state": _shared(
            {
                "kind": keyword,
                "site": keyword,
                "target": keyword,
                "generation": keyword,
                "standing": {"type": "boolean"},
                "counts_as": date,
                "recorded_at": date,
            }
        ),
        "urls": _shared(
            {
                "site": keyword,
                "url": keyword,
                "host": keyword,
                "class": keyword,
                "status": {"type": "integer"},
                "content_type": keyword,
                "language": keyword,
                "first_seen": date,
                "changed_at": date,
                "checked_at": date,
                "next_check": date,
                "inbound": number,
                "depth": {"type": "integer"},
                "failures": {"type": "integer"},
            }
        ),
    }


def reject_reason(document: Mapping[str, Any]) -> str | None:
    """Why OpenSearch would reject this document for good, or None where no reason is known."""
    url = document.get("url")
    if not isinstance(url, str) or not url:
        return "it has no URL"
    size = len(url.encode("utf-8", "surrogatepass"))
    if size > LONGEST_URL_BYTES:
        return f"its URL has {size:,} bytes; OpenSearch can index at most {LONGEST_URL_BYTES:,}"
    unknown = sorted(document.keys() - DOCUMENT_PROPERTIES.keys())
    if unknown:
        return f"it has fields that the mapping does not know: {', '.join(unknown)}"
    return None


def _shared(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "settings": {"index.number_of_shards": 1, "index.auto_expand_replicas": "0-1"},
        "mappings": {"dynamic": False, "properties": dict(properties)},
    }
