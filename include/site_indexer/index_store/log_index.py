"""The index ``site-indexer.log``: what of it is searched, and making it."""

from __future__ import annotations

from typing import Any

from opensearchpy.exceptions import NotFoundError

from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.names import LOG_INDEX
from site_indexer.index_store.setup import create_index

LOG_VERSION = 1
"""Raised with every change of the mapping. A log of another version is thrown away."""

_TERM = {"type": "keyword", "doc_values": False, "ignore_above": 8_191}


def log_body() -> dict[str, Any]:
    """The body that creates the index.

    An entry is written once for each page of a crawl, so little of it is indexed: its run, its
    number, its level, and the words of its message and URL. The rest is only given back. Headers,
    one for each run, have the fields that runs are listed by.
    """
    return {
        "settings": {
            "index.number_of_shards": 1,
            "index.auto_expand_replicas": "0-1",
            # Of a log the last seconds may be lost with a machine; a sync for each request is dear.
            "index.translog.durability": "async",
            # Whoever reads it refreshes it first. Each second, as by default, is dear in a crawl.
            "index.refresh_interval": "30s",
            "index.analysis.tokenizer.parts.type": "pattern",
            "index.analysis.tokenizer.parts.pattern": r"[^\p{L}\p{N}]+",
            "index.analysis.analyzer.parts.type": "custom",
            "index.analysis.analyzer.parts.tokenizer": "parts",
            "index.analysis.analyzer.parts.filter": ["lowercase"],
        },
        "mappings": {
            "dynamic": False,
            "_meta": {"version": LOG_VERSION},
            "properties": {
                "run": _TERM,
                "number": {"type": "integer"},
                "level": _TERM,
                "words": {
                    "type": "text",
                    "analyzer": "parts",
                    "norms": False,
                    "index_options": "positions",
                },
                "url": {"type": "keyword", "index": False, "doc_values": False, "copy_to": "words"},
                "message": {
                    "type": "keyword",
                    "index": False,
                    "doc_values": False,
                    "copy_to": "words",
                },
                "site": _TERM,
                "kind": _TERM,
                "target": _TERM,
                "run_id": _TERM,
                "started_at": {"type": "date"},
            },
        },
    }


def ensure_log(client: StoreClient) -> None:
    """Create the index of all logs if it is not there as this version needs it. Idempotent."""
    with store_errors(f"look up {LOG_INDEX}", client):
        try:
            found = client.indices.get_mapping(index=LOG_INDEX)[LOG_INDEX]["mappings"]
        except NotFoundError:
            found = None
        if found is not None and found.get("_meta", {}).get("version") == LOG_VERSION:
            return
        if found is not None:
            client.indices.delete(index=LOG_INDEX, params={"ignore_unavailable": "true"})
    create_index(client, LOG_INDEX, log_body())
