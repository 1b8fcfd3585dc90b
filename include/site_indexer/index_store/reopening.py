"""Opens a generation that was closed, and waits until it can be searched."""

from __future__ import annotations

from opensearchpy.exceptions import TransportError

from site_indexer.errors import StoreUnreachableError
from site_indexer.index_store.client import StoreClient, store_errors

READY_WITHIN_S = 60


def open_generation(client: StoreClient, index: str) -> None:
    """Open an index and wait for all its shards; one that is open is waited for as well.

    Raises StoreUnreachableError where a shard does not come up in time.
    """
    with store_errors(f"open {index}", client):
        client.indices.open(index=index)
        try:
            health = client.cluster.health(
                index=index,
                params={
                    "wait_for_status": "yellow",
                    "wait_for_no_initializing_shards": "true",
                    "timeout": f"{READY_WITHIN_S}s",
                },
                request_timeout=READY_WITHIN_S + 5,
            )
        except TransportError as error:
            if error.status_code != 408:
                raise
            health = {"timed_out": True}
    if health["timed_out"]:
        raise StoreUnreachableError(
            f"The generation {index} was opened, but not all its shards came up within"
            f" {READY_WITHIN_S} seconds.",
            hint="Is a node of the cluster down? Try again later.",
            index=index,
        )
