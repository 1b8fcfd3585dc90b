"""Which index a run of a target starts from."""

from __future__ import annotations

from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import current
from site_indexer.index_store.names import SiteNames, Target


def base_index(client: StoreClient, names: SiteNames, target: Target) -> str:
    """The generation behind the target's alias; for a first staged run, live's."""
    return current(client, names, target) or current(client, names, Target.LIVE) or names.none_index
