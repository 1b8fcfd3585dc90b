"""The generations of a site: which there are, what they say of themselves, which are shown."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opensearchpy.exceptions import NotFoundError

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import parse
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.setup import resolve


@dataclass(frozen=True, slots=True)
class Generation:
    """One concrete index of a site and its ``_meta``.

    ``own``: its ``_meta`` names itself; only such an index is ever pruned. ``current``: the
    targets whose aliases show it. ``aliases``: all that are on it, also those of other products.
    ``disk_full``: OpenSearch has made it read-only. ``created_at`` is OpenSearch's.
    """

    name: str
    meta: Mapping[str, Any] = field(repr=False)
    aliases: tuple[str, ...]
    current: tuple[Target, ...]
    open: bool
    sealed: bool
    disk_full: bool
    shards: int
    created_at: dt.datetime

    @property
    def own(self) -> bool:
        """Whether its ``_meta`` is its own, not that of the index it was cloned from."""
        return self.meta.get("generation") == self.name

    @property
    def published_at(self) -> dt.datetime | None:
        """When it was swapped in; None for one that never was, as far as is recorded."""
        at = self.meta.get("published_at")
        return parse(at) if self.own and at else None

    @property
    def published(self) -> bool:
        """Whether searchers saw it, now or before."""
        return self.own and (self.published_at is not None or bool(self.current))

    @property
    def watermark(self) -> dt.datetime | None:
        """The date of the newest block in it."""
        value = self.meta.get("watermark")
        return parse(value) if value else None

    @property
    def run_id(self) -> str | None:
        """The run that made it."""
        return self.meta.get("run_id")


@dataclass(frozen=True, slots=True)
class GenerationSummary:
    """A published generation as ``site-indexer generations`` lists it.

    ``documents`` is None for a closed one whose ``_meta`` does not say.
    """

    generation: str
    published_at: dt.datetime | None
    current: tuple[Target, ...]
    open: bool
    documents: int | None
    watermark: dt.datetime | None
    run_id: str | None


def list_generations(client: StoreClient, names: SiteNames) -> list[GenerationSummary]:
    """The published generations of a site, newest first."""
    published = [each for each in all_generations(client, names) if each.published]
    return [
        GenerationSummary(
            generation=each.name,
            published_at=each.published_at,
            current=each.current,
            open=each.open,
            documents=each.meta.get("documents", 0),
            watermark=each.watermark,
            run_id=each.run_id,
        )
        for each in published
    ]


def all_generations(client: StoreClient, names: SiteNames) -> list[Generation]:
    """Every index whose whole name is that of a generation of the site, newest first."""
    found = _describe(client, names, f"{names.site}.g-*")
    far = dt.datetime.max.replace(tzinfo=dt.UTC)
    return sorted(found, key=lambda each: (each.published_at or far, each.name), reverse=True)


def describe(client: StoreClient, names: SiteNames, index: str) -> Generation | None:
    """One index, or what an alias shows, as a generation; None where it is not there."""
    found = _describe(client, names, index, any_name=True)
    if len(found) > 1:
        raise StoreRefusedError(
            f"The alias {index} shows several indexes: {', '.join(each.name for each in found)}.",
            hint="Remove it from all but one of them.",
            site=names.site,
        )
    return next(iter(found), None)


def described(client: StoreClient, names: SiteNames, pattern: str) -> list[Generation]:
    """All indexes of a pattern, as if they were generations."""
    return _describe(client, names, pattern, any_name=True)


def current(client: StoreClient, names: SiteNames, target: Target) -> str | None:
    """The generation that a target's alias shows, or None where there is none."""
    return resolve(client, names.alias(target))


def put_meta(client: StoreClient, index: str, meta: Mapping[str, Any]) -> None:
    """Replace the ``_meta`` of an index; sealed ones too."""
    with store_errors(f"label {index}", client):
        client.indices.put_mapping(index=index, body={"_meta": dict(meta)})


def _describe(
    client: StoreClient, names: SiteNames, pattern: str, *, any_name: bool = False
) -> list[Generation]:
    with store_errors(f"list the indexes of {names.site}", client):
        try:
            indices = client.indices.get(
                index=pattern, params={"expand_wildcards": "open,closed", "flat_settings": "true"}
            )
        except NotFoundError:
            return []
    return [
        _generation(names, name, state)
        for name, state in indices.items()
        if any_name or names.is_generation(name)
    ]


def _generation(names: SiteNames, name: str, state: Mapping[str, Any]) -> Generation:
    settings = state["settings"]
    created = int(settings["index.creation_date"])
    targets = tuple(each for each in Target if names.alias(each) in state["aliases"])
    return Generation(
        name=name,
        meta=state["mappings"].get("_meta", {}),
        aliases=tuple(sorted(state["aliases"])),
        current=targets,
        open=settings.get("index.verified_before_close") != "true",
        sealed=settings.get("index.blocks.write") == "true",
        disk_full=settings.get("index.blocks.read_only_allow_delete") == "true",
        shards=int(settings["index.number_of_shards"]),
        created_at=dt.datetime.fromtimestamp(created / 1000, dt.UTC),
    )
