"""A generation as version 1 of the mapping had it: plain texts, one analyzer for all languages."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from site_indexer.index_store.alias_swap import position, swap
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, to_ms
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.urls.normalization import document_id

_KEYWORD = {"type": "keyword", "ignore_above": 8_191}
_TEXT = {"type": "text", "analyzer": "page"}
_STORED_ONLY = {"type": "keyword", "index": False, "doc_values": False}
_DATE = {"type": "date", "ignore_malformed": True}
_ANALYZER = {
    "type": "custom",
    "tokenizer": "standard",
    "filter": ["cjk_width", "lowercase", "cjk_bigram", "asciifolding"],
}
_PROPERTIES: dict[str, Any] = {
    "url": {"type": "keyword"},
    **dict.fromkeys(("title", "description", "headings", "text"), _TEXT),
    **dict.fromkeys(("site", "language", "content_type", "content_digest", "tier"), _KEYWORD),
    **dict.fromkeys(("date_source", "extractor_version", "aliases"), _KEYWORD),
    **dict.fromkeys(("links", "charset", "etag", "last_modified", "canonical"), _STORED_ONLY),
    **dict.fromkeys(("date", "server_date"), _DATE),
    "nofollow": {"type": "boolean"},
    "fields": {"type": "object", "dynamic": True},
    "bytes": {"type": "long"},
    "fetched_at": {"type": "date"},
    "block_date": {"type": "date"},
}


def show_version_one(
    client: StoreClient,
    names: SiteNames,
    documents: list[Mapping[str, Any]],
    *,
    fetched_at: dt.datetime,
    normalization_version: int = 1,
) -> str:
    """Let live show a generation of version 1 with these documents, each a second after the other.

    Returns its name. The ids are those of the URLs as they stand.
    """
    at = position(client, names, Target.LIVE)
    name = names.generation(fetched_at)
    meta = {
        **at.base.meta,
        "generation": name,
        "mapping_version": 1,
        "normalization_version": normalization_version,
    }
    client.indices.create(
        index=name,
        body={
            "settings": {"number_of_replicas": 0, "index.analysis.analyzer.page": _ANALYZER},
            "mappings": {
                "dynamic": "strict",
                "_meta": meta,
                "dynamic_templates": [{"fields": {"path_match": "fields.*", "mapping": _KEYWORD}}],
                "properties": _PROPERTIES,
            },
        },
    )
    for number, document in enumerate(documents):
        fetched = fetched_at + dt.timedelta(seconds=number)
        client.index(
            index=name,
            id=document_id(document["url"]),
            body={"tier": "full", **document, "fetched_at": iso(fetched)},
            params={"version": str(to_ms(fetched)), "version_type": "external"},
        )
    client.indices.put_settings(index=name, body={"index.blocks.write": True})
    client.indices.refresh(index=name)
    assert swap(client, at, name, names.alias(Target.LIVE))
    return name
