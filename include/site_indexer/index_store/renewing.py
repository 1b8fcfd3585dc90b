"""Copies a generation of an earlier version as today's version would have written it.

Rule: docs/spec/05-index-lifecycle.md, 5.4. The documents pass through this process, as neither
today's form nor ids can be told by the server; that is done once for each new version.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, bulk_write, index_item
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import Generation
from site_indexer.index_store.instants import parse, to_ms
from site_indexer.index_store.language_fields import by_language
from site_indexer.index_store.mappings import MAPPING_VERSION, NORMALIZATION_VERSION
from site_indexer.index_store.stored_urls import url_of_today
from site_indexer.urls import document_id

_BATCH = 500
_URLS = ("url", "canonical")
_LISTS_OF_URLS = ("aliases", "links")


def is_of_today(generation: Generation) -> bool:
    """Whether its documents have today's form and ids."""
    return generation.meta.get("mapping_version") == MAPPING_VERSION and has_ids_of_today(
        generation
    )


def has_ids_of_today(generation: Generation) -> bool:
    """Whether its documents have the ids that today's normalization of URLs gives them."""
    return generation.meta.get("normalization_version") == NORMALIZATION_VERSION


def copy_renewed(client: StoreClient, source: Generation, index: str) -> None:
    """Write all documents of ``source`` to ``index`` in today's form, with their versions.

    Where URLs are normalized in another way today, so are all that a document holds, and it gets
    their id; of documents that come to be one the one that was fetched last stays. Raises
    StoreRefusedError where OpenSearch rejects one: none must be lost.
    """
    hits = scan.scan(client, source.name, query={"match_all": {}}, source=True, size=_BATCH)
    outcome = bulk_write(client, index, _items(hits, new_ids=not has_ids_of_today(source)))
    if outcome.errors:
        first = outcome.errors[0]
        raise StoreRefusedError(
            f"The documents of {source.name} do not all fit the new mapping, e.g."
            f" {first.document_id}: {first.reason}.",
            index=source.name,
        )


def _items(hits: Iterator[dict[str, Any]], *, new_ids: bool) -> Iterator[Item]:
    for hit in hits:
        document, key = hit["_source"], hit["_id"]
        if new_ids:
            document = _with_urls_of_today(document)
            key = document_id(document["url"])
        fetched = to_ms(parse(document["fetched_at"]))
        yield index_item(key, by_language(document), version=fetched)


def _with_urls_of_today(document: Mapping[str, Any]) -> dict[str, Any]:
    found = dict(document)
    for field in _URLS:
        if field in found:
            found[field] = url_of_today(found[field])
    for field in _LISTS_OF_URLS:
        if field in found:
            found[field] = list(dict.fromkeys(map(url_of_today, found[field])))
    return found
