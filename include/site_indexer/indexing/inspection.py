"""Use cases that only look: search, documents, generations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from site_indexer.index_store import generations as store_generations
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso
from site_indexer.masks.mask import compile_mask
from site_indexer.urls.kinds import MaskKind

LISTED = ("url", "title", "date", "content_digest", "tier")


def search(
    collaborators: Collaborators, site: str, query: str, *, target: Target, size: int
) -> dict[str, Any]:
    """Search a target: ``{"total", "hits": [{"url", "title", "tier", "score", "highlights"}]}``."""
    definition = collaborators.definition(site)
    documents = StoredDocuments(collaborators.client, SiteNames(definition.id).alias(target))
    return asdict(documents.search(query, size))


def documents(
    collaborators: Collaborators, site: str, *, target: Target, mask: str | None
) -> Iterator[dict[str, Any]]:
    """The documents of a target in the order of their URLs; none where it has no index."""
    names = SiteNames(collaborators.definition(site).id)
    index = store_generations.current(collaborators.client, names, target)
    if index is None:
        return
    compiled = None
    if mask is not None:
        compiled = compile_mask(mask, MaskKind.WILDCARD if "*" in mask else MaskKind.PREFIX)
    yield from StoredDocuments(collaborators.client, index).all(compiled, LISTED)


def generations(collaborators: Collaborators, site: str) -> list[dict[str, Any]]:
    """The generations of a site, newest first, as the shell prints them."""
    names = SiteNames(collaborators.definition(site).id)
    return [
        {
            "generation": generation.generation,
            "published_at": iso(generation.published_at),
            "current": [target.value for target in generation.current],
            "open": generation.open,
            "documents": generation.documents,
            "watermark": iso(generation.watermark),
            "run_id": generation.run_id,
        }
        for generation in store_generations.list_generations(collaborators.client, names)
    ]
