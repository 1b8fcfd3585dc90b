"""Prunes what nobody needs any more (docs/spec/05-index-lifecycle.md, *Retention*).

Nothing is deleted by a pattern: only an index whose whole name fits, whose ``_meta`` is its own and
that holds no alias.
"""

from __future__ import annotations

import datetime as dt
import itertools
import logging
from collections.abc import Iterable, Sequence

from opensearchpy.exceptions import NotFoundError

from site_indexer.index_store import scan
from site_indexer.index_store.alias_swap import delete_unless_moved, shown_now
from site_indexer.index_store.bulk import bulk_write, delete_item
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.confirmations import ended_key
from site_indexer.index_store.generations import Generation, all_generations, describe
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import STATE_INDEX, SiteNames, Target
from site_indexer.index_store.reindex_task import written_to
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.reopening import open_generation

UNFINISHED_AFTER = dt.timedelta(hours=1)
CLOSED_AFTER = dt.timedelta(minutes=30)
CHANGES_KEPT = dt.timedelta(days=7)
CHAIN_REACHES = dt.timedelta(days=3, hours=12)
CHAIN_STEP = dt.timedelta(days=1)
"""So there is one of 1, 2 and 3 days ago, each within half a day."""

log = logging.getLogger(__name__)


def prune(client: StoreClient, site: str, *, keep: int, now: dt.datetime) -> list[str]:
    """Delete what a site no longer needs; returns the names of the deleted indexes.

    Stay: what any alias is on, the live generation that a staged index began from, the newest
    ``keep`` others, and a chain of live's through the last days. What stays is closed 30 minutes
    after its successor was published. Unfinished generations go after an hour, change sets and
    plans after 7 days. Best called after a publish; safe while others publish.
    """
    names = SiteNames(site)
    removals = RemovalStore(client)
    # Read before the generations: whoever publishes now makes the generation first.
    pending = [(target, name) for target in Target for name in removals.pending(site, target)]
    generations = all_generations(client, names)
    published = [each for each in generations if each.published]
    kept = kept_names(published, keep=keep, now=now)
    doomed = [each for each in published if each.name not in kept]
    stale = [each for each in generations if is_stale(each, now)]
    if stale:
        # A very large publish takes longer than that.
        busy = set(written_to(client).values())
        stale = [each for each in stale if each.name not in busy]
    deleted = [each.name for each in (*doomed, *stale) if _delete(client, names, each.name)]
    for each in closable(published, now):
        if each.name not in deleted:
            _close(client, names, each.name)
    existing = {each.name for each in generations}.difference(deleted)
    for target, name in pending:
        if name not in existing:
            removals.drop_of(site, target, name)
    for target in Target:
        removals.drop_void(site, target)
    _prune_plans(client, now)
    return deleted + _prune_change_sets(client, names, now)


def kept_names(published: Sequence[Generation], *, keep: int, now: dt.datetime) -> frozenset[str]:
    """Which of the published generations stay. They come newest first.

    Those of staged are counted by themselves, so that they take no place of live's.
    """
    begun_from = {each.meta.get("base_live") for each in published if each.current}
    bound = {each.name for each in published if each.aliases or each.name in begun_from}
    others = [each for each in published if each.name not in bound]
    staged = [each for each in others if each.meta.get("target") == Target.STAGED.value]
    others = [each for each in others if each not in staged]
    kept = bound | {each.name for each in (*others[:keep], *staged[:keep])}
    return frozenset(kept | {each.name for each in _chain(others, now)})


def _chain(generations: Sequence[Generation], now: dt.datetime) -> list[Generation]:
    """One generation from each of the last days. They come newest first.

    From the oldest of the last three and a half days on, the next is the newest that is not more
    than a day younger, or else the next younger there is. So the links stay the same while they
    grow older, however often a site publishes; and since any two steps are more than a day there
    are at most eight.
    """
    recent = [each for each in reversed(generations) if _age(each, now) <= CHAIN_REACHES]
    chain = recent[:1]
    for each, younger in itertools.pairwise(recent[1:]):
        if _age(chain[-1], now) - _age(younger, now) > CHAIN_STEP:
            chain.append(each)
    return chain + recent[1:][-1:]


def closable(published: Sequence[Generation], now: dt.datetime) -> list[Generation]:
    """Those that are open though no alias is on them and their successor is not brand-new.

    They come newest first. One without a successor of its target was rolled back from, or dropped.
    """
    found = []
    successors: dict[str, Generation] = {}
    for each in published:
        target = each.meta.get("target", Target.LIVE.value)
        successor = successors.get(target, each)
        if each.open and not each.aliases and _age(successor, now) >= CLOSED_AFTER:
            found.append(each)
        successors[target] = each
    return found


def is_stale(generation: Generation, now: dt.datetime) -> bool:
    """Whether it was begun an hour ago and never published."""
    begun = generation.meta.get("started_at")
    return (
        generation.own
        and not generation.published
        and not generation.aliases
        and begun is not None
        and now - parse(begun) >= UNFINISHED_AFTER
    )


def _age(generation: Generation, now: dt.datetime) -> dt.timedelta:
    return now - (generation.published_at or generation.created_at)


def _delete(client: StoreClient, names: SiteNames, name: str) -> bool:
    """Delete one generation, unless an alias has come to be on it, or comes at this moment."""
    shown = shown_now(client, names)
    found = describe(client, names, name)
    if found is None or found.aliases or not found.own or not names.is_generation(name):
        return False
    log.info("Deleting the old generation %s.", name)
    return delete_unless_moved(client, name, shown)


def _delete_index(client: StoreClient, name: str) -> bool:
    with store_errors(f"delete {name}", client):
        try:
            client.indices.delete(index=name)
        except NotFoundError:
            return False
    return True


def _close(client: StoreClient, names: SiteNames, name: str) -> None:
    """Close one generation, unless an alias has come to be on it meanwhile.

    One that comes while it is being closed is seen afterwards, and the generation opened again.
    Whoever moves an alias to a closed generation opens it after the move, so one of both notices.
    """
    if not _is_idle(client, names, name):
        return
    with store_errors(f"close {name}", client):
        try:
            client.indices.close(index=name)
        except NotFoundError:
            return
    if not _is_idle(client, names, name):
        log.warning("%s is shown since a moment ago; opening it again.", name)
        open_generation(client, name)


def _is_idle(client: StoreClient, names: SiteNames, name: str) -> bool:
    found = describe(client, names, name)
    return found is None or not found.aliases


def _prune_change_sets(client: StoreClient, names: SiteNames, now: dt.datetime) -> list[str]:
    with store_errors(f"list the change sets of {names.site}", client):
        indices = client.indices.get_mapping(index=names.all_changes)
    old = [
        name
        for name, state in indices.items()
        if names.is_changes(name)
        and (meta := state["mappings"].get("_meta", {})).get("changes") == name
        and now - parse(meta["created_at"]) >= CHANGES_KEPT
    ]
    deleted = [name for name in old if _delete_index(client, name)]
    _forget(client, [ended_key(target, name) for target in Target for name in old])
    return deleted


def _prune_plans(client: StoreClient, now: dt.datetime) -> None:
    """Forget old plans, of all sites: they say nothing of their site but by their change set."""
    filters = [
        {"terms": {"kind": ["plan", "plan-part"]}},
        {"range": {"recorded_at": {"lte": iso(now - CHANGES_KEPT)}}},
    ]
    query = {"bool": {"filter": filters}}
    hits = scan.scan(client, STATE_INDEX, query=query, source=False)
    _forget(client, [hit["_id"] for hit in hits])


def _forget(client: StoreClient, keys: Iterable[str]) -> None:
    bulk_write(client, STATE_INDEX, map(delete_item, keys), refresh=True)
