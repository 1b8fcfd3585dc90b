"""Use cases: put a site's live index on hold, and release it.

While it is on hold no run changes it: a roll back would be undone by the next schedule
(docs/spec/05-index-lifecycle.md, 5.19).
"""

from __future__ import annotations

import datetime as dt
import logging
from enum import StrEnum

from site_indexer.errors import RunFailedError
from site_indexer.index_store.generations import describe
from site_indexer.index_store.holds import Hold, HoldStore
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.setup import ensure_shared
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words
from site_indexer.indexing.processed_blocks import settle_record

logger = logging.getLogger(__name__)


class ReleaseTo(StrEnum):
    """Where the watermark is when a hold is released."""

    GENERATION = "generation"
    KEEP = "keep"


def hold_of(collaborators: Collaborators, site: str, target: Target = Target.LIVE) -> Hold | None:
    """The hold that a target is under, or None."""
    return HoldStore(collaborators.client).read(site, target)


def describe_hold(hold: Hold) -> str:
    """A hold as a sentence without its full stop."""
    return (
        f"{hold.site} ({hold.target.value}) has been on hold since {in_words(hold.since)}: "
        f"{hold.reason} (by {hold.by})"
    )


def refuse_held(collaborators: Collaborators, site: str, target: Target) -> None:
    """Raise RunFailedError where the target is on hold."""
    hold = hold_of(collaborators, site, target)
    if hold is not None:
        raise RunFailedError(
            f"{describe_hold(hold)}; nothing was published and the watermark stays.",
            hint="Release the hold; the next run then takes these blocks again.",
            site=site,
        )


def put_on_hold(
    collaborators: Collaborators,
    site: str,
    *,
    by: str,
    now: dt.datetime,
    reason: str = "put on hold by hand",
) -> Hold:
    """Put a site's live index on hold until a person releases it."""
    ensure_shared(collaborators.client)
    hold = Hold(collaborators.definition(site).id, Target.LIVE, now, by, reason)
    HoldStore(collaborators.client).put(hold)
    logger.warning("%s.", describe_hold(hold))
    return hold


def release_hold(
    collaborators: Collaborators, site: str, to: ReleaseTo = ReleaseTo.GENERATION
) -> dt.datetime | None:
    """Release a site's live index; returns the watermark that runs go by then.

    With ``GENERATION`` that is the date of the newest block in the index that is shown, so that
    blocks which were rolled back run again; with ``KEEP`` it stays as it is. Raises RunFailedError
    where the site is not on hold.
    """
    site = collaborators.definition(site).id
    if hold_of(collaborators, site) is None:
        raise RunFailedError(
            f"{site} is not on hold; nothing was changed.",
            hint="To move its watermark, set or clear it.",
            site=site,
        )
    if to is ReleaseTo.GENERATION:
        names = SiteNames(site)
        shown = describe(collaborators.client, names, names.alias(Target.LIVE))
        mark = shown.watermark if shown is not None else None
        if mark is None:
            collaborators.watermarks.clear(site, Target.LIVE)
        else:
            collaborators.watermarks.set(site, Target.LIVE, mark)
    mark = collaborators.watermarks.get(site, Target.LIVE)
    settle_record(collaborators, site, mark, kept=to is ReleaseTo.KEEP)
    HoldStore(collaborators.client).remove(site, Target.LIVE)
    logger.warning("%s is released; its watermark is %s.", site, in_words(mark))
    return mark
