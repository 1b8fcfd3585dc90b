"""Makes a new generation out of another one: clone, and in the end seal."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opensearchpy.exceptions import RequestError

from site_indexer.errors import RunFailedError, SiteIndexerError, StoreUnreachableError
from site_indexer.index_store.client import StoreClient, error_type, full_error, store_errors
from site_indexer.index_store.generations import Generation, describe, put_meta
from site_indexer.index_store.mappings import generation_body
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.reindexing import copy_all
from site_indexer.index_store.renewing import copy_renewed, is_of_today
from site_indexer.index_store.setup import create_index

log = logging.getLogger(__name__)

_ONE_SECOND = dt.timedelta(seconds=1)
_NAMES_TRIED = 120

# What the new index must not inherit, or not yet: it is written to now, and refreshed once.
_UNSEALED: Mapping[str, Any] = {
    "index.blocks.write": None,
    "index.number_of_replicas": 0,
    "index.auto_expand_replicas": False,
    "index.refresh_interval": "-1",
}


def begin(
    client: StoreClient,
    names: SiteNames,
    base: Generation,
    meta: Mapping[str, Any],
    *,
    at: dt.datetime,
    shards: int,
) -> str:
    """Make an unsealed copy of ``base`` and return its name: ``at``, or the next free second.

    A clone by hard links, or, where mapping, normalization of URLs or the wanted number of shards
    is another, a copy of all documents. It gets ``meta``, with its own name, so pruning finds it if
    nobody lives to finish it.
    Raises StoreFullError, StoreUnreachableError, StoreRefusedError.
    """
    if base.disk_full:
        raise full_error(base.name, f"publish to {names.site}")
    seal_again(client, base)

    def labelled(name: str) -> dict[str, Any]:
        return {**meta, "generation": name}

    if is_of_today(base) and base.shards == shards:
        return clone_as(client, names, base, named=names.generation, meta=labelled, at=at)
    for name in _free_names(names.generation, at):
        body = generation_body(meta=labelled(name), shards=shards, settings=_UNSEALED)
        if create_index(client, name, body):
            with discarded_on_failure(client, names, name):
                if is_of_today(base):
                    copy_all(client, base.name, name)
                else:
                    log.info("Writing all documents of %s anew, for a new version.", base.name)
                    copy_renewed(client, base, name)
            return name
    raise _no_free_name(names, at)


def clone_as(
    client: StoreClient,
    names: SiteNames,
    base: Generation,
    *,
    named: Callable[[dt.datetime], str],
    meta: Callable[[str], Mapping[str, Any]],
    at: dt.datetime,
) -> str:
    """Make an unsealed copy of the sealed ``base`` by hard links, and return its name.

    It is called what ``named`` makes of ``at``, or of the next free second, and gets its ``meta``.
    """
    for name in _free_names(named, at):
        if _clone(client, base.name, name):
            with discarded_on_failure(client, names, name):
                put_meta(client, name, meta(name))
            return name
    raise _no_free_name(names, at)


def _free_names(named: Callable[[dt.datetime], str], at: dt.datetime) -> Iterator[str]:
    return (named(at + attempt * _ONE_SECOND) for attempt in range(_NAMES_TRIED))


def _no_free_name(names: SiteNames, at: dt.datetime) -> RunFailedError:
    return RunFailedError(
        f"No free name for an index of {names.site} was found, from {at:%H:%M:%S} on.",
        hint="Run again in a few minutes.",
    )


def seal_again(client: StoreClient, base: Generation) -> None:
    """A published generation never changes; one that somebody unsealed cannot be cloned either."""
    if not base.sealed:
        log.warning("The generation %s was not sealed against writing; sealing it.", base.name)
        seal(client, base.name)


def seal(client: StoreClient, index: str, *, replicas: int | None = None) -> None:
    """Refuse all writes to ``index`` from now on, and make what was written visible.

    ``replicas``: how many further copies of each shard to keep from now on; not waited for.
    """
    settings: dict[str, Any] = {"index.blocks.write": True}
    if replicas is not None:
        settings["index.number_of_replicas"] = replicas
    with store_errors(f"seal {index}", client):
        client.indices.put_settings(index=index, body=settings)
    refresh(client, index)


def refresh(client: StoreClient, index: str) -> None:
    """Make visible what was written to ``index``."""
    with store_errors(f"refresh {index}", client):
        client.indices.refresh(index=index)


@contextmanager
def discarded_on_failure(client: StoreClient, names: SiteNames, index: str) -> Iterator[None]:
    """Delete the unfinished index ``index`` where the block ends with an error of any kind."""
    finished = False
    try:
        yield
        finished = True
    finally:
        if not finished:
            discard(client, names, index)


def discard(client: StoreClient, names: SiteNames, index: str) -> bool:
    """Delete an unfinished generation if no alias shows it; whether it is gone.

    Best effort, for use while another error is on its way: none is raised.
    """
    try:
        found = describe(client, names, index)
        if found is None:
            return True
        if found.aliases or not (names.is_generation(index) or names.is_draft(index)):
            return False
        with store_errors(f"delete {index}", client):
            client.indices.delete(index=index, params={"ignore_unavailable": "true"})
    except SiteIndexerError as error:
        log.warning("The unfinished index %s could not be deleted: %s", index, error)
        return False
    return True


def _clone(client: StoreClient, base: str, name: str) -> bool:
    """Whether the name was free."""
    with store_errors(f"clone {base}", client):
        try:
            answer = client.indices.clone(
                index=base, target=name, body={"settings": dict(_UNSEALED)}
            )
        except RequestError as error:
            if error_type(error) == "resource_already_exists_exception":
                return False
            raise
    if not answer["shards_acknowledged"]:
        raise StoreUnreachableError(
            f"The copy of {base} did not become ready in time.",
            hint="Is a node of the cluster down, or a disk full? Run again later.",
            index=name,
        )
    return True
