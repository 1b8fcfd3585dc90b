"""Drafts: what the next generation will hold, begun while a crawl still goes on.

A draft is a copy of the base that gets the pages of one change set as they come, so that
publishing has little left to copy. Nobody searches it, and nothing depends on it: publishing clones
it in place of the base only where it proves to be what the base would become
(docs/spec/05-index-lifecycle.md, 5.5 Rounds).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable
from dataclasses import dataclass

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.building import clone_as, discard, seal_again
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import Generation, describe, described, put_meta
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.mappings import MAPPING_VERSION, NORMALIZATION_VERSION
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.renewing import is_of_today
from site_indexer.index_store.retention import CHANGES_KEPT

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """What a draft is of: the pages of the change set ``changes`` on the generation ``base``."""

    names: SiteNames
    changes: str
    base: str
    run_id: str
    shards: int


def begin_draft(client: StoreClient, plan: DraftPlan, now: dt.datetime) -> str | None:
    """A new draft; None where the base cannot be cloned as it is.

    Raises what cloning raises.
    """
    base = describe(client, plan.names, plan.base)
    if base is None or not base.open or not _clonable(base, plan.shards):
        return None
    seal_again(client, base)
    meta = {
        "site": plan.names.site,
        "changes": plan.changes,
        "base": plan.base,
        "run_id": plan.run_id,
        "mapping_version": MAPPING_VERSION,
        "normalization_version": NORMALIZATION_VERSION,
        "started_at": iso(now),
        "complete": False,
    }
    return clone_as(
        client,
        plan.names,
        base,
        named=plan.names.draft,
        meta=lambda name: {**meta, "draft": name},
        at=now,
    )


def find_draft(client: StoreClient, plan: DraftPlan) -> Generation | None:
    """The newest draft that a crawl has completed, if it is of just that."""
    usable = [
        each
        for each in all_drafts(client, plan.names)
        if each.meta["changes"] == plan.changes
        and each.meta["base"] == plan.base
        and each.meta["complete"]
        and _clonable(each, plan.shards)
    ]
    return max(usable, key=lambda each: each.name, default=None)


def mark_draft(client: StoreClient, names: SiteNames, index: str, *, complete: bool) -> None:
    """Note whether all that the change set's crawls have written so far is in the draft."""
    draft = describe(client, names, index)
    if draft is not None:
        put_meta(client, index, {**draft.meta, "complete": complete})


def all_drafts(client: StoreClient, names: SiteNames) -> list[Generation]:
    """Every index whose whole name, and whose ``_meta``, is that of a draft of the site."""
    found = described(client, names, names.all_drafts)
    return [
        each for each in found if names.is_draft(each.name) and each.meta.get("draft") == each.name
    ]


def drop_drafts_of(client: StoreClient, names: SiteNames, *, changes: str) -> None:
    """Delete the drafts of a change set that has been published. Best effort; raises nothing."""
    _drop(client, names, lambda each: each.meta["changes"] == changes)


def prune_drafts(client: StoreClient, names: SiteNames, run_id: str, now: dt.datetime) -> None:
    """Delete those of a run that has ended, or as old as change sets get. Raises nothing."""
    _drop(
        client,
        names,
        lambda each: (
            each.meta["run_id"] == run_id or now - parse(each.meta["started_at"]) >= CHANGES_KEPT
        ),
    )


def _drop(client: StoreClient, names: SiteNames, doomed: Callable[[Generation], bool]) -> None:
    try:
        drafts = all_drafts(client, names)
    except SiteIndexerError as error:
        log.warning("The drafts of %s could not be deleted: %s", names.site, error)
        return
    for each in filter(doomed, drafts):
        discard(client, names, each.name)


def _clonable(index: Generation, shards: int) -> bool:
    return is_of_today(index) and index.shards == shards
