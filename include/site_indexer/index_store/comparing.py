"""What one generation has that another has not, by id."""

from __future__ import annotations

from site_indexer.index_store import scan
from site_indexer.index_store.changes import base_documents
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.names import Target
from site_indexer.index_store.newer_block import (
    BaseDocument,
    Cause,
    Removal,
    Removals,
    RemovedDocument,
)
from site_indexer.index_store.removals import RemovalStore
from site_indexer.urls import document_id


def missing_from(client: StoreClient, other: str, base: str) -> list[BaseDocument]:
    """The documents of ``base`` that ``other`` has not, in the order of their URLs."""
    missing = _ids(client, base) - _ids(client, other)
    found = base_documents(client, base, list(missing))
    return sorted(found, key=lambda document: document.url)


def commanded(
    client: StoreClient, site: str, target: Target, shown: str, documents: list[BaseDocument]
) -> list[RemovedDocument]:
    """Those of ``documents`` that a standing removal of ``target`` has taken away."""
    standing = RemovalStore(client).effective(site, target, shown).removals
    asked = Removals[Removal](standing)
    found = []
    for document in documents:
        fitting = [
            removal
            for removal in asked.matching(document.url)
            if document.block_date is None or removal.counts_as >= document.block_date
        ]
        if fitting:
            newest = max(fitting, key=lambda removal: removal.counts_as)
            cause = Cause.DELETE if newest.mask is None else Cause.DELETEMASK
            found.append(RemovedDocument(document.document_id, document.url, cause, newest.line))
    return found


def _ids(client: StoreClient, index: str) -> set[str]:
    found = scan.columns(client, index, ("url",), query={"match_all": {}})
    return {document_id(columns["url"][0]) for columns in found}
