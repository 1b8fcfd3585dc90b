"""Use cases: begin a staged index as a copy of live, and drop it.

A staged index begins with live's watermark and live's retry list, and has its own from then on
(docs/spec/05-index-lifecycle.md, 5.19).
"""

from __future__ import annotations

import datetime as dt
import logging
from typing import Any

from site_indexer.errors import PublishConflictError
from site_indexer.index_store.alias_swap import unstage
from site_indexer.index_store.confirmations import forget_all_ended
from site_indexer.index_store.generations import current
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.processed_blocks import BlockRecordStore
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.retries import RetryStore
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest

logger = logging.getLogger(__name__)


def is_staged(collaborators: Collaborators, site: str) -> bool:
    """Whether the site has a staged index."""
    return current(collaborators.client, SiteNames(site), Target.STAGED) is not None


def begins_staged(collaborators: Collaborators, request: RunRequest) -> bool:
    """Whether a run would make the site's staged index, as there is none."""
    return request.target is Target.STAGED and not is_staged(collaborators, request.site)


def starting_watermark(
    collaborators: Collaborators, request: RunRequest, *, begins: bool
) -> dt.datetime | None:
    """The watermark that a run goes by: live's where it ``begins`` a staged index without one."""
    held = collaborators.watermarks.get(request.site, request.target)
    if held is None and begins:
        return collaborators.watermarks.get(request.site, Target.LIVE)
    return held


def begin_staged(collaborators: Collaborators, request: RunRequest) -> None:
    """Give a staged index that is about to be made what live has, before it is published.

    A watermark that a person has set for it stays. Done again, it does nothing.
    """
    if not begins_staged(collaborators, request):
        return
    site, client = request.site, collaborators.client
    # What an earlier staged index has left, if whoever dropped it died at that.
    RemovalStore(client).drop_newer(site, Target.STAGED, None)
    forget_all_ended(client, site, Target.STAGED)
    if collaborators.watermarks.get(site, Target.STAGED) is None:
        live = collaborators.watermarks.get(site, Target.LIVE)
        if live is not None:
            collaborators.watermarks.set(site, Target.STAGED, live)
    RetryStore(client).take_along(site, Target.LIVE, Target.STAGED)
    BlockRecordStore(client).hand_over(site, Target.LIVE, Target.STAGED)


def drop_staged(collaborators: Collaborators, site: str) -> dict[str, Any]:
    """Let the staged index go, with its watermark and all that was recorded for it.

    Returns ``{"site", "dropped"}`` with the generation, None where nothing was staged. Live stays
    as it is. Raises PublishConflictError where a run publishes to staged at the same moment.
    """
    names = SiteNames(collaborators.definition(site).id)
    staged = current(collaborators.client, names, Target.STAGED)
    if staged is not None and not unstage(collaborators.client, names, staged):
        raise PublishConflictError(
            f"A run has published {names.alias(Target.STAGED)} at this very moment.",
            hint="Drop it again, if that is still meant.",
            site=site,
        )
    forget_staged(collaborators, site)
    logger.warning("Dropped the staged index of %s: %s.", site, staged or "there was none")
    return {"site": site, "dropped": staged}


def forget_staged(collaborators: Collaborators, site: str) -> None:
    """Forget what was kept for a staged index that is no more."""
    client = collaborators.client
    collaborators.watermarks.clear(site, Target.STAGED)
    RemovalStore(client).drop_newer(site, Target.STAGED, None)
    RetryStore(client).clear(site, Target.STAGED)
    forget_all_ended(client, site, Target.STAGED)
    BlockRecordStore(client).forget(site, Target.STAGED)
    store = StateStore(client)
    for intent in store.intents(site, Target.STAGED):
        store.finish_intent(site, Target.STAGED, intent.generation)
