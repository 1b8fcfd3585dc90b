"""Use case: push live. Searchers see the staged index in place of live's, by one request.

Live takes the staged index's watermark, removals and retry list along; nothing is staged then
(docs/spec/05-index-lifecycle.md, 5.19).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from site_indexer.errors import PublishConflictError, RunFailedError, SiteIndexerError, UsageError
from site_indexer.index_store.alias_swap import position, push
from site_indexer.index_store.generations import Generation, all_generations, describe, put_meta
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import settle
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.setup import ensure_shared
from site_indexer.index_store.state import PublishIntent, StateStore
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
from site_indexer.indexing.script_fetching import block_dates
from site_indexer.indexing.site_access import site_access
from site_indexer.indexing.staging import forget_staged, is_staged

logger = logging.getLogger(__name__)

WHAT = "Push live"


@dataclass(frozen=True, slots=True)
class PushOutlook:
    """What a push would do.

    ``gained`` are the generations that live has had since the staged index began: they would be
    lost. ``blocks_again`` counts the blocks that the next run takes again, None where the script
    cannot be read. ``text`` says it all to a person.
    """

    change: LiveChange
    gained: tuple[Generation, ...]
    watermark_live: dt.datetime | None
    watermark_staged: dt.datetime | None
    blocks_again: int | None
    question: Question | None
    text: str


def look_at_push(
    collaborators: Collaborators, site: str, *, run_id: str, now: dt.datetime
) -> PushOutlook:
    """Say what pushing would do; changes nothing. Raises UsageError where nothing is staged."""
    change, gained = _change(collaborators, site, run_id)
    live = collaborators.watermarks.get(change.site, Target.LIVE)
    staged = collaborators.watermarks.get(change.site, Target.STAGED)
    again = _blocks_again(collaborators, change.site, live=live, staged=staged, now=now)
    question = question_about_change(collaborators, change)
    text = "\n".join(
        [
            f"Push {change.to.name} live in place of {change.shown}; nothing is staged then.",
            _watermark_in_words(live, staged, again),
            *(_gained_in_words(each) for each in gained),
            *([question.plain] if question else ()),
        ]
    )
    for line in text.splitlines():
        logger.info("%s", line)
    return PushOutlook(change, gained, live, staged, again, question, text)


def push_live(
    collaborators: Collaborators,
    site: str,
    *,
    run_id: str,
    now: dt.datetime,
    force: bool = False,
    accept: bool = False,
) -> dict[str, Any]:
    """Show searchers the staged index; returns facts of what was done.

    Done again by the same run it gives the same. Raises UsageError where nothing is staged,
    RunFailedError where live has gained something meanwhile and it is not ``force``d,
    RemovalsNotApprovedError where the brake trips and neither ``accept`` is given nor an answer on
    record, PublishConflictError where a run publishes at the same moment.
    """
    ensure_shared(collaborators.client)
    names = SiteNames(collaborators.definition(site).id)
    done = finish_push(collaborators, names.site, now)
    if done is not None and done.meta.get("pushed_by") == run_id:
        if not is_staged(collaborators, names.site):
            forget_staged(collaborators, names.site)
        return _result(collaborators, LiveChange(names.site, run_id, WHAT, _before(done), done))
    mend_unfinished_publish(collaborators, names.site, Target.LIVE)
    mend_unfinished_publish(collaborators, names.site, Target.STAGED)
    change, gained = _change(collaborators, names.site, run_id)
    if gained and not force:
        raise RunFailedError(
            f"Live has gained {len(gained)} generations since {change.to.name} began: "
            + "; ".join(map(_gained_in_words, gained))
            + ". Pushing would lose them; nothing was changed.",
            hint="Run the staged index again, or push with force.",
            site=names.site,
        )
    if not accept:
        refuse_unapproved_change(collaborators, change)
    _swap(collaborators, change, now)
    finish_push(collaborators, names.site, now)
    close(collaborators, names.site, Target.LIVE, run_id)
    shown = describe(collaborators.client, names, change.to.name)
    return _result(collaborators, change if shown is None else _with(change, shown))


def _change(
    collaborators: Collaborators, site: str, run_id: str
) -> tuple[LiveChange, tuple[Generation, ...]]:
    names = SiteNames(collaborators.definition(site).id)
    client = collaborators.client
    staged = describe(client, names, names.alias(Target.STAGED))
    if staged is None:
        raise UsageError(
            f"Nothing is staged for {names.site}: there is no {names.alias(Target.STAGED)}.",
            hint="Run its script with the target staged first.",
            site=names.site,
        )
    live = position(client, names, Target.LIVE)
    change = LiveChange(names.site, run_id, WHAT, live.base.name, staged, by_lines_of=Target.STAGED)
    return change, _gained(all_generations(client, names), live.base, staged)


def _gained(
    generations: Sequence[Generation], live: Generation, staged: Generation
) -> tuple[Generation, ...]:
    """What live has shown since the staged index began, newest first."""
    base = staged.meta.get("base_live")
    by_name = {each.name: each for each in generations}
    found = []
    at: Generation | None = live
    while at is not None and at.name != base:
        found.append(at)
        at = by_name.pop(at.meta.get("before") or at.meta.get("base") or "", None)
    if at is None:
        # Rolled back further than that, or pruned in between.
        began = by_name[base].published_at if base in by_name else None
        found = [
            each for each in found
            if each is live or (began and each.published_at and each.published_at > began)
        ]  # fmt: skip
    return tuple(found)


def _swap(collaborators: Collaborators, change: LiveChange, now: dt.datetime) -> None:
    client, names, site = collaborators.client, SiteNames(change.site), change.site
    live, staged = position(client, names, Target.LIVE), position(client, names, Target.STAGED)
    if (live.base.name, staged.base.name) == (change.shown, change.to.name):
        settle(client, names, live, now)
        settle(client, names, staged, now)
        removals, state = RemovalStore(client), StateStore(client)
        generation = change.to.name
        settled = describe(client, names, generation) or staged.base
        put_meta(client, generation, {**settled.meta, "pushed_over": change.shown})
        removals.take_along(site, Target.STAGED, generation, Target.LIVE, generation)
        state.put_intent(
            PublishIntent(
                site=site,
                target=Target.LIVE,
                run_id=change.run_id,
                generation=generation,
                old=collaborators.watermarks.get(site, Target.LIVE),
                new=collaborators.watermarks.get(site, Target.STAGED),
                written_at=now,
            )
        )
        if push(client, names, live, generation):
            return
        removals.drop_of(site, Target.LIVE, generation)
        state.finish_intent(site, Target.LIVE, generation)
    raise PublishConflictError(
        f"A run has published {site} at this very moment; nothing was pushed.",
        hint="Look again at what would be lost, and push again.",
        site=site,
    )


def _result(collaborators: Collaborators, change: LiveChange) -> dict[str, Any]:
    mark = collaborators.watermarks.get(change.site, Target.LIVE)
    return as_facts(change, documents=change.to.meta.get("documents"), watermark=iso(mark))


def _before(generation: Generation) -> str | None:
    before: str | None = generation.meta.get("before")
    return before


def _with(change: LiveChange, shown: Generation) -> LiveChange:
    return LiveChange(change.site, change.run_id, change.what, change.shown, shown)


def _blocks_again(
    collaborators: Collaborators,
    site: str,
    *,
    live: dt.datetime | None,
    staged: dt.datetime | None,
    now: dt.datetime,
) -> int | None:
    if live is None or (staged is not None and staged >= live):
        return 0
    try:
        definition = collaborators.definition(site)
        access = site_access(collaborators.connections, definition)
        dates = block_dates(definition, access, now)
    except SiteIndexerError as error:
        logger.warning("How many blocks will run again is unknown: %s", error)
        return None
    return sum(date <= live and (staged is None or date > staged) for date in dates)


def _watermark_in_words(
    live: dt.datetime | None, staged: dt.datetime | None, again: int | None
) -> str:
    words = f"Live's watermark becomes that of staged: {in_words(live)} -> {in_words(staged)}"
    if again == 0:
        return f"{words}."
    return f"{words}; {'an unknown number of' if again is None else again} blocks will run again."


def _gained_in_words(generation: Generation) -> str:
    counts = generation.meta.get("counts") or {}
    return (
        f"Live has gained {generation.name} since (run {generation.run_id}, "
        f"{in_words(generation.published_at)}: {counts.get('written', 0)} written, "
        f"{counts.get('removed', 0)} removed)"
    )
