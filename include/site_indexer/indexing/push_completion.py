"""What follows the swap of a push, also where its process died in between.

Live shows a generation that still calls itself staged: so it is told that something is left to do.
Each step may be done twice (docs/spec/05-index-lifecycle.md, 5.19).
"""

from __future__ import annotations

import datetime as dt
import logging

from site_indexer.index_store.confirmations import hand_over_ended
from site_indexer.index_store.generations import Generation, describe, put_meta
from site_indexer.index_store.instants import iso
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.processed_blocks import BlockRecordStore
from site_indexer.index_store.retries import RetryStore
from site_indexer.index_store.state import PublishIntent, StateStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.staging import forget_staged, is_staged

logger = logging.getLogger(__name__)


def finish_push(collaborators: Collaborators, site: str, now: dt.datetime) -> Generation | None:
    """Complete a push whose swap has come about; returns what live shows."""
    client, names = collaborators.client, SiteNames(site)
    shown = describe(client, names, names.alias(Target.LIVE))
    if shown is None or shown.meta.get("target") != Target.STAGED.value:
        return shown
    state = StateStore(client)
    intents = state.intents(site, Target.LIVE)
    mine = next((each for each in intents if each.generation == shown.name), None)
    if mine is not None:
        _move_watermark(collaborators, mine)
    # A new staged index that has been begun since has a list of its own.
    nothing_staged = not is_staged(collaborators, site)
    if nothing_staged:
        RetryStore(client).take_along(site, Target.STAGED, Target.LIVE)
        hand_over_ended(client, site, Target.STAGED, Target.LIVE)
        BlockRecordStore(client).hand_over(site, Target.STAGED, Target.LIVE)
    meta = {
        **shown.meta,
        "target": Target.LIVE.value,
        "staged_at": shown.meta.get("published_at"),
        "published_at": iso(now),
        "pushed_by": mine.run_id if mine is not None else None,
        "before": shown.meta.get("pushed_over"),
    }
    put_meta(client, shown.name, meta)
    if nothing_staged:
        forget_staged(collaborators, site)
    if mine is not None:
        state.finish_intent(site, Target.LIVE, shown.name)
    logger.warning("%s shows %s, which was staged.", names.alias(Target.LIVE), shown.name)
    return describe(client, names, shown.name)


def _move_watermark(collaborators: Collaborators, intent: PublishIntent) -> None:
    held = collaborators.watermarks.get(intent.site, Target.LIVE)
    if held != intent.old or held == intent.new:
        # A person has set it meanwhile, who wins; or it is done.
        return
    if intent.new is None:
        collaborators.watermarks.clear(intent.site, Target.LIVE)
    else:
        collaborators.watermarks.set(intent.site, Target.LIVE, intent.new)
