"""Since when new blocks of a script have been waiting (docs/spec/05-index-lifecycle.md, 5.17).

A block waits from the run that first sees it until a run has processed it, whatever is in between:
failures, a hold, a question that nobody answers.
"""

from __future__ import annotations

import datetime as dt

from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import Target
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest

_KIND = "waiting"


def note_new_blocks(client: StoreClient, request: RunRequest, *, any_new: bool) -> None:
    """Remember what a run has seen: since when there are new blocks, or that there are none."""
    if request.window is not None or request.dry_run:
        return
    store = StateStore(client)
    key = _key(request.site, request.target)
    seen = store.read(key)
    if not any_new:
        if seen is not None:
            store.remove(key, seen, refresh=False)
    elif seen is None:
        source = {
            "kind": _KIND,
            "site": request.site,
            "target": request.target.value,
            "since": iso(request.now),
            "alerted": None,
        }
        store.replace(key, source, None, refresh=False)


def note_processed(client: StoreClient, request: RunRequest) -> None:
    """Forget the blocks that waited: a run has processed them."""
    note_new_blocks(client, request, any_new=False)


def stale_since(collaborators: Collaborators, request: RunRequest) -> dt.datetime | None:
    """Since when blocks wait, if that is longer than ``stale_after`` and is to be told now.

    It is told once in each ``stale_after``, to one run; to no dry run, which could not note it.
    """
    if request.dry_run:
        return None
    after = collaborators.definition(request.site).retries.stale_after
    store = StateStore(collaborators.client)
    key = _key(request.site, request.target)
    seen = store.read(key)
    if seen is None:
        return None
    since, alerted = parse(seen.value["since"]), seen.value["alerted"]
    last = since if alerted is None else parse(alerted)
    if request.now - last <= after:
        return None
    told = {**seen.value, "alerted": iso(request.now)}
    return since if store.replace(key, told, seen, refresh=False) else None


def _key(site: str, target: Target) -> str:
    return f"{_KIND}:{site}:{target.value}"
