"""A publish that died between the alias and the watermark, and how the next run mends it.

Publishing writes its intent first, then swaps the alias, then sets the watermark
(docs/spec/06-watermark.md).
"""

from __future__ import annotations

import logging

from site_indexer.index_store.generations import Generation, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.state import PublishIntent, StateStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words
from site_indexer.indexing.plan_storage import find_plan
from site_indexer.indexing.processed_blocks import record_processed

logger = logging.getLogger(__name__)


def mend_unfinished_publish(collaborators: Collaborators, site: str, target: Target) -> bool:
    """Set the watermark that a killed publish left behind; returns whether it had to."""
    store = StateStore(collaborators.client)
    names = SiteNames(site)
    mended = False
    for intent in store.intents(site, target):
        generation = describe(collaborators.client, names, intent.generation)
        if generation is not None and not generation.published:
            # It belongs to a run that still works, or to one whose publish task may be retried.
            continue
        if generation is not None:
            mended = _mend(collaborators, intent, generation) or mended
        store.finish_intent(site, target, intent.generation)
    return mended


def _mend(collaborators: Collaborators, intent: PublishIntent, generation: Generation) -> bool:
    held = collaborators.watermarks.get(intent.site, intent.target)
    if held != intent.old or intent.new is None or held == intent.new:
        # Anything but the old value was set by a person (or by the run itself), who wins.
        return False
    stored = find_plan(collaborators.client, generation.meta.get("changes") or "")
    if stored is not None and stored.target is intent.target:
        record_processed(collaborators, intent.site, stored, left=intent.new)
    collaborators.watermarks.set(intent.site, intent.target, intent.new)
    logger.warning(
        "Run %s was killed after it had published and before it moved the watermark; "
        "mended: %s -> %s",
        intent.run_id,
        in_words(intent.old),
        in_words(intent.new),
    )
    return True
