"""Use case: roll back. Searchers see an earlier generation again, and the site is put on hold.

Without the hold the next scheduled run would undo it (docs/spec/05-index-lifecycle.md, 5.19).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from site_indexer.errors import PublishConflictError, UsageError
from site_indexer.index_store.alias_swap import put_back
from site_indexer.index_store.building import seal_again
from site_indexer.index_store.generations import Generation, all_generations, current
from site_indexer.index_store.holds import Hold, HoldStore
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import settle_shown
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.reopening import open_generation
from site_indexer.index_store.setup import ensure_shared
from site_indexer.indexing.approving import close
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.intents import mend_unfinished_publish
from site_indexer.indexing.live_losses import (
    LiveChange,
    as_facts,
    question_about_change,
    refuse_unapproved_change,
)
from site_indexer.indexing.push_completion import finish_push
from site_indexer.indexing.removal_questions import Question

logger = logging.getLogger(__name__)

WHAT = "Roll back"


@dataclass(frozen=True, slots=True)
class RollbackOutlook:
    """What a roll back would do; ``text`` says it to a person."""

    change: LiveChange
    question: Question | None
    text: str


def look_at_rollback(
    collaborators: Collaborators, site: str, *, run_id: str, to: str | None = None
) -> RollbackOutlook:
    """Say what rolling back would do; opens the generation, and changes nothing else.

    Without ``to`` it is the generation that live showed before. Raises UsageError where there is
    none, or no such.
    """
    change = _change(collaborators, site, run_id, to)
    open_generation(collaborators.client, change.to.name)
    question = question_about_change(collaborators, change)
    mark = collaborators.watermarks.get(change.site, Target.LIVE)
    text = "\n".join(
        [
            f"Roll {change.site} back to {change.to.name}, published "
            f"{in_words(change.to.published_at)}, in place of {change.shown}.",
            f"Its newest block is dated {in_words(change.to.watermark)}; the watermark is "
            f"{in_words(mark)} and stays until the hold is released.",
            "The site is put on hold: until a person releases it, no run changes live.",
            *([question.plain] if question else ()),
        ]
    )
    for line in text.splitlines():
        logger.info("%s", line)
    return RollbackOutlook(change, question, text)


def roll_back(
    collaborators: Collaborators,
    site: str,
    *,
    run_id: str,
    by: str,
    now: dt.datetime,
    to: str | None = None,
    accept: bool = False,
) -> dict[str, Any]:
    """Show searchers an earlier generation and put live on hold; returns facts of what was done.

    With ``to`` it may be done again. Raises UsageError where there is no such generation,
    RemovalsNotApprovedError where the brake trips and neither ``accept`` is given nor an answer on
    record, PublishConflictError where a run publishes at the same moment.
    """
    ensure_shared(collaborators.client)
    client, names = collaborators.client, SiteNames(collaborators.definition(site).id)
    finish_push(collaborators, names.site, now)
    mend_unfinished_publish(collaborators, names.site, Target.LIVE)
    change = _change(collaborators, names.site, run_id, to)
    open_generation(client, change.to.name)
    seal_again(client, change.to)
    if change.shown == change.to.name:
        logger.info("%s is shown already.", change.to.name)
    elif not accept:
        refuse_unapproved_change(collaborators, change)
    _swap_on_hold(collaborators, change, by=by, now=now)
    # The end of another run may have closed it just before.
    open_generation(client, change.to.name)
    RemovalStore(client).drop_newer(names.site, Target.LIVE, change.to.watermark)
    close(collaborators, names.site, Target.LIVE, run_id)
    logger.warning("%s shows %s again.", names.alias(Target.LIVE), change.to.name)
    return as_facts(
        change,
        documents=change.to.meta.get("documents"),
        watermark=iso(collaborators.watermarks.get(names.site, Target.LIVE)),
        held=True,
    )


def _swap_on_hold(
    collaborators: Collaborators, change: LiveChange, *, by: str, now: dt.datetime
) -> None:
    """Hold first: a run that publishes in between would else come on top of what is rolled back."""
    client, names = collaborators.client, SiteNames(change.site)
    holds = HoldStore(client)
    before = holds.read(change.site, Target.LIVE)
    if change.shown == change.to.name and before is not None:
        return
    reason = f"rolled back from {change.shown} to {change.to.name}"
    holds.put(Hold(change.site, Target.LIVE, now, by, reason))
    if change.shown == change.to.name:
        return
    if change.shown is not None:
        settle_shown(client, names, change.shown, now)
    if not put_back(client, names, change.to.name, change.shown):
        if before is None:
            holds.remove(change.site, Target.LIVE)
        else:
            holds.put(before)
        raise PublishConflictError(
            f"A run has published {change.site} at this very moment; nothing was rolled back.",
            hint="Look again at what would be lost, and roll back again.",
            site=change.site,
        )


def _change(collaborators: Collaborators, site: str, run_id: str, to: str | None) -> LiveChange:
    names = SiteNames(collaborators.definition(site).id)
    shown = current(collaborators.client, names, Target.LIVE)
    generations = [
        each
        for each in all_generations(collaborators.client, names)
        if each.published and each.meta.get("target") == Target.LIVE.value
    ]
    wanted = _previous(generations, shown) if to is None else _named(generations, to)
    if wanted is None:
        kept = ", ".join(each.name for each in generations if each.name != shown) or "none"
        raise UsageError(
            f"{names.site} has no generation {to or 'before the one that is shown'} to roll back"
            f" to; kept are: {kept}.",
            hint="Only generations that searchers saw as live can be shown again.",
            site=names.site,
        )
    return LiveChange(names.site, run_id, WHAT, shown, wanted)


def _named(generations: Sequence[Generation], name: str) -> Generation | None:
    return next((each for each in generations if each.name == name), None)


def _previous(generations: Sequence[Generation], shown: str | None) -> Generation | None:
    """What live showed before. They come newest first."""
    here = _named(generations, shown or "")
    if here is None:
        return generations[0] if generations else None
    before = _named(generations, here.meta.get("before") or here.meta.get("base") or "")
    older = (each for each in generations if _is_older(each, here))
    return before or next(older, None)


def _is_older(one: Generation, other: Generation) -> bool:
    if one.published_at is None or other.published_at is None:
        return False
    return one.published_at < other.published_at
