"""Creates the indexes that everything else relies on being there."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from opensearchpy.exceptions import ConflictError, NotFoundError, RequestError

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store.client import StoreClient, error_type, store_errors
from site_indexer.index_store.mappings import (
    MAPPING_VERSION,
    NORMALIZATION_VERSION,
    generation_body,
    shared_bodies,
)
from site_indexer.index_store.names import STATE_INDEX, SiteNames, Target


def ensure_shared(client: StoreClient) -> None:
    """Create the indexes of all sites together, or add what newer versions map. Idempotent."""
    with store_errors("look up the indexes of all sites", client):
        there = client.indices.get_mapping(index="site-indexer.*")
    for name, body in shared_bodies().items():
        index = f"site-indexer.{name}"
        wanted = body["mappings"]["properties"]
        known = there.get(index, {}).get("mappings", {}).get("properties", {})
        if all(known.get(field) == value for field, value in wanted.items()):
            continue
        if index in there or not create_index(client, index, body):
            with store_errors(f"update the mapping of {index}", client):
                client.indices.put_mapping(index=index, body={"properties": wanted})


def ensure_site(
    client: StoreClient, site: str, now: dt.datetime, *, shards: int = 1, replicas: int = 1
) -> SiteNames:
    """Create what a site's first run needs, and return its names.

    Idempotent, and safe when two do it at once; :func:`ensure_shared` goes before it.

    An empty sealed generation appears together with the live alias in one request, so there is
    always something to swap from, and ``<site>.none`` together with its alias.
    Raises ConfigurationError for an id that no site can have.
    """
    names = SiteNames(site)
    alias = names.alias(Target.LIVE)
    if resolve(client, alias) is not None:
        return names
    ensure_none(client, names, replicas=replicas)
    name = _agreed_name(client, names, now)
    if _other_generations(client, names, name):
        raise _alias_gone(names)
    settings = {"index.number_of_replicas": replicas, "index.blocks.write": True}
    body = generation_body(meta=_empty_meta(names, name, now), shards=shards, settings=settings)
    create_index(client, name, {**body, "aliases": {alias: {}}})
    if resolve(client, alias) is None:
        raise _alias_gone(names)
    return names


def _other_generations(client: StoreClient, names: SiteNames, but: str) -> bool:
    """Whether the site has a generation besides that one, with or without an alias."""
    with store_errors(f"list the generations of {names.site}", client):
        indices = client.indices.get_alias(index=f"{names.site}.g-*")
    return any(names.is_generation(index) and index != but for index in indices)


def _alias_gone(names: SiteNames) -> StoreRefusedError:
    # An empty index in its place would look to searchers as if all had been deleted.
    return StoreRefusedError(
        f"The site {names.site} has been set up, but its alias {names.alias(Target.LIVE)} is gone:"
        " somebody removed it.",
        hint="Roll back to one of the generations that are kept; that puts the alias there.",
        site=names.site,
    )


def _agreed_name(client: StoreClient, names: SiteNames, now: dt.datetime) -> str:
    """The first generation's name. Two that set a site up at once must mean the same index."""
    document_id = f"first-generation:{names.site}"
    wanted = {"kind": "first-generation", "site": names.site, "name": names.generation(now)}
    with store_errors(f"set up {names.site}", client):
        try:
            client.create(index=STATE_INDEX, id=document_id, body=wanted)
        except ConflictError:
            return str(client.get(index=STATE_INDEX, id=document_id)["_source"]["name"])
    return wanted["name"]


def _empty_meta(names: SiteNames, name: str, now: dt.datetime) -> dict[str, Any]:
    return {
        "generation": name,
        "site": names.site,
        "target": Target.LIVE.value,
        "run_id": None,
        "base": None,
        "watermark": None,
        "mapping_version": MAPPING_VERSION,
        "normalization_version": NORMALIZATION_VERSION,
        "published_at": now.astimezone(dt.UTC).isoformat(),
    }


def ensure_none(client: StoreClient, names: SiteNames, *, replicas: int = 1) -> None:
    """Create ``<site>.none``. Its alias is there from the start, and put back by whoever swaps."""
    body = generation_body(
        meta={"site": names.site, "stands_for": "no staged index"},
        shards=1,
        settings={"index.number_of_replicas": replicas, "index.blocks.write": True},
    )
    create_index(client, names.none_index, {**body, "aliases": {names.none_alias: {}}})


def create_index(client: StoreClient, index: str, body: Mapping[str, Any]) -> bool:
    """Create an index; whether it was not there before."""
    with store_errors(f"create the index {index}", client):
        try:
            client.indices.create(index=index, body=body)
        except RequestError as error:
            if error_type(error) == "resource_already_exists_exception":
                return False
            raise
    return True


def resolve(client: StoreClient, alias: str) -> str | None:
    """The one index that an alias shows, or None where there is no such alias.

    Raises StoreRefusedError where it shows several: only a person's hand does that.
    """
    with store_errors(f"look up the alias {alias}", client):
        try:
            shown = client.indices.get_alias(name=alias)
        except NotFoundError:
            return None
    if len(shown) > 1:
        raise StoreRefusedError(
            f"The alias {alias} shows several indexes: {', '.join(sorted(shown))}.",
            hint="Remove it from all but one of them.",
            alias=alias,
        )
    return next(iter(shown), None)
