"""Publishing: from a change set to what searchers see (docs/spec/05-index-lifecycle.md).

In each round the generation that the alias shows now is cloned, changed, sealed and counted, and
one request swaps the alias. If another run published meanwhile that request fails as a whole, and
the next round begins from what the alias shows then.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from site_indexer.errors import PublishConflictError, RunFailedError
from site_indexer.index_store.alias_swap import Position, position, swap
from site_indexer.index_store.applying import apply_changes, verify_count
from site_indexer.index_store.building import (
    begin,
    discard,
    discarded_on_failure,
    refresh,
    seal,
)
from site_indexer.index_store.change_records import RemovalRecord
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.changes import Changes, work_out
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.confirmations import (
    Confirmations,
    forget_ended,
    hand_over_ended,
    mark_ended,
)
from site_indexer.index_store.draft_check import Corrections, checked_draft
from site_indexer.index_store.drafts import DraftPlan, drop_drafts_of
from site_indexer.index_store.generations import (
    Generation,
    all_generations,
    current,
    describe,
    put_meta,
)
from site_indexer.index_store.labels import (
    first_meta,
    outcome_of,
    published,
    published_meta,
    unchanged,
)
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publish_model import Published, PublishRequest, PublishStatus
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.renewing import has_ids_of_today
from site_indexer.index_store.restoring import Confirmed, confirmed_late
from site_indexer.index_store.state import PublishIntent, StateStore

__all__ = ["PublishRequest", "PublishStatus", "Published", "preview", "publish", "settle"]

MOST_ROUNDS = 20

Clock = Callable[[], dt.datetime]
Gate = Callable[[Changes], None]
# The name of a new generation, and what it came to.
_Built = tuple[str, dict[str, Any]]

log = logging.getLogger(__name__)


def utc_now() -> dt.datetime:
    """The clock of the machine."""
    return dt.datetime.now(dt.UTC)


def preview(client: StoreClient, request: PublishRequest) -> Changes:
    """What publishing would do now, by id; changes nothing. For the brake and its questions."""
    names = SiteNames(request.site)
    at = position(client, names, request.target)
    return work_out(
        client,
        names,
        ChangeSet.open(client, names, request.digest),
        base=at.base.name,
        base_target=at.base_target,
        fresh_start=request.fresh_start,
    )


def publish(
    client: StoreClient,
    request: PublishRequest,
    clock: Clock = utc_now,
    *,
    gate: Gate | None = None,
) -> Published:
    """Make a change set's records what searchers see, or say that nothing would change.

    Whatever it raises, the alias shows what it showed, and no published index was touched. Done
    again, for a task killed at any moment, it gives the same. ``gate`` is called in each round
    with what would be done, and stops the publish by raising (the brake). Raises
    PublishConflictError where others publish each time, RunFailedError where counts disagree,
    StoreFullError, StoreUnreachableError, StoreRefusedError.
    """
    names = SiteNames(request.site)
    change_set = ChangeSet(client, names.changes(request.digest))
    result = _Publishing(client, names, request, change_set, clock, gate).run()
    mark_ended(client, request.site, request.target, change_set.index, request.now)
    drop_drafts_of(client, names, changes=change_set.index)
    return result


def settle(client: StoreClient, names: SiteNames, at: Position, now: dt.datetime) -> None:
    """Complete what the publish of the base may have died before, as searchers see it.

    To be called before anything takes its place.
    """
    if at.base.published_at is None:
        change_set = ChangeSet(client, names.changes(at.base.meta["changes"]))
        _mend(client, at.base, change_set.outcome(at.base.name), now)
    RemovalStore(client).make_standing(names.site, at.base_target, at.base.name)


def settle_shown(client: StoreClient, names: SiteNames, shown: str, now: dt.datetime) -> None:
    """:func:`settle` for whatever live shows; an index that is no generation is left alone."""
    found = describe(client, names, shown)
    if found is not None and found.own and names.is_generation(shown):
        alias = names.alias(Target.LIVE)
        settle(client, names, Position(found, Target.LIVE, shown, alias), now)


@dataclass(slots=True)
class _Publishing:
    """One publish on its way.

    ``late`` and ``confirmed`` are removals, and documents that newer blocks found unchanged, that
    came to count behind its back.
    """

    client: StoreClient
    names: SiteNames
    request: PublishRequest
    change_set: ChangeSet
    clock: Clock
    gate: Gate | None
    late: list[RemovalRecord] = field(default_factory=list)
    confirmed: list[Confirmed] = field(default_factory=list)

    def run(self) -> Published:
        for number in range(1, MOST_ROUNDS + 1):
            # An earlier try of the same task may have come through, or come through just now.
            result = None if self.late or self.confirmed else self._done_before()
            result = result or self._round(number)
            if result is not None:
                return result
        raise PublishConflictError(
            f"Other runs of {self.names.site} published each time while this one tried to"
            f" ({MOST_ROUNDS} times).",
            hint="Nothing is lost: run or clear the task again.",
            site=self.names.site,
        )

    def _done_before(self) -> Published | None:
        done = _published_before(self.client, self.names, self.request)
        if done is None:
            return None
        outcome = self.change_set.outcome(done.name)
        _mend(self.client, done, outcome, self.clock())
        return published(done.name, done.meta["base"], outcome or done.meta)

    def _round(self, number: int) -> Published | None:
        """Publish on what the alias shows now; None where that moved meanwhile."""
        if number == 1:
            ChangeSet.open(self.client, self.names, self.request.digest)
        at = position(self.client, self.names, self.request.target)
        settle(self.client, self.names, at, self.clock())
        if has_ids_of_today(at.base):
            changes, built = self._build(at, at.base.name, number)
        else:
            changes, built = self._build_anew(at, number)
        if built is None:
            return self._leave(at, changes, number)
        index, outcome = built
        if not swap(self.client, at, index, self.names.alias(self.request.target)):
            log.info("Another run published %s meanwhile; doing it again.", self.names.site)
            discard(self.client, self.names, index)
            self._forget(index)
            return None
        generation = describe(self.client, self.names, index)
        if generation is not None:
            _mend(self.client, generation, outcome, self.clock())
        self.late = self._come_late(changes, index)
        self.confirmed = self._confirmed_late(at, changes)
        if self.late or self.confirmed:
            return None
        return published(index, at.base.name, outcome)

    def _build_anew(self, at: Position, number: int) -> tuple[Changes, _Built | None]:
        """The same where documents have other ids today: on a copy that has these."""
        index = self._begin(at, at.base)
        with discarded_on_failure(self.client, self.names, index):
            refresh(self.client, index)
            changes, built = self._build(at, index, number, begun=index)
        if built is None:
            discard(self.client, self.names, index)
        return changes, built

    def _build(
        self, at: Position, base: str, number: int, *, begun: str | None = None
    ) -> tuple[Changes, _Built | None]:
        """What the run does to ``base``, and the new generation; None where that is nothing.

        The generation is sealed and counted, and what it came to and all that goes with it is on
        record. ``begun``: the unsealed copy to use, else one is made.
        """
        changes = work_out(
            self.client,
            self.names,
            self.change_set,
            base=base,
            base_target=at.base_target,
            fresh_start=self.request.fresh_start,
            late=self.late,
            confirmed=self.confirmed,
        )
        if self.gate is not None:
            self.gate(changes)
        # A first staged index is made even where it is a copy of live.
        if changes.empty and not at.forks:
            return changes, None
        if begun is not None:
            return changes, self._filled(begun, at, changes, number)
        draft = checked_draft(self.client, self._draft_plan(at), self.change_set, changes)
        if draft is not None:
            try:
                index = self._begin(at, draft.generation)
                return changes, self._filled(index, at, changes, number, draft.corrections)
            except RunFailedError as error:
                log.warning("Beginning again from %s: %s", at.base.name, error)
        return changes, self._filled(self._begin(at, at.base), at, changes, number)

    def _filled(
        self,
        index: str,
        at: Position,
        changes: Changes,
        number: int,
        corrections: Corrections | None = None,
    ) -> _Built:
        """A copy of the base, or of a draft, as a generation with the changes."""
        client = self.client
        with discarded_on_failure(client, self.names, index):
            applied = apply_changes(client, self.change_set.index, changes, index, corrections)
            seal(client, index, replicas=self.request.replicas)
            verify_count(client, index, applied, at.base.name)
            outcome = outcome_of(changes, applied, number)
            self.change_set.put_outcome(index, outcome)
            self._record(at, changes, index)
        return index, outcome

    def _begin(self, at: Position, source: Generation) -> str:
        now = self.clock()
        meta = first_meta(self.request, at, now)
        return begin(self.client, self.names, source, meta, at=now, shards=self.request.shards)

    def _draft_plan(self, at: Position) -> DraftPlan:
        request = self.request
        return DraftPlan(
            self.names, self.change_set.index, at.base.name, request.run_id, request.shards
        )

    def _record(self, at: Position, changes: Changes, generation: str) -> None:
        """Write what counts from the moment of the swap: removals, a fresh start, the intent."""
        request, store = self.request, RemovalStore(self.client)
        site, target, now = request.site, request.target, request.now
        if request.fresh_start:
            store.record_fresh_start(site, target, generation=generation, now=now)
        elif at.forks:
            store.take_along(site, at.base_target, at.base.name, target, generation)
            hand_over_ended(self.client, site, at.base_target, target)
        store.record(site, target, changes.commands, generation=generation, now=now)
        mark_ended(self.client, site, target, self.change_set.index, now, generation=generation)
        if request.watermark_before != request.watermark_after:
            StateStore(self.client).put_intent(
                PublishIntent(
                    site=site,
                    target=target,
                    run_id=request.run_id,
                    generation=generation,
                    old=request.watermark_before,
                    new=request.watermark_after,
                    written_at=self.clock(),
                )
            )

    def _forget(self, generation: str) -> None:
        request = self.request
        RemovalStore(self.client).drop_of(request.site, request.target, generation)
        StateStore(self.client).finish_intent(request.site, request.target, generation)
        forget_ended(self.client, request.target, self.change_set.index)

    def _leave(self, at: Position, changes: Changes, number: int) -> Published | None:
        """Publish no generation; the run's removals keep out what comes later all the same.

        What counts is recorded first and the alias looked at then: whoever swaps it meanwhile does
        these two in the other order, so one of both notices.
        """
        request, store = self.request, RemovalStore(self.client)
        site, target, now = request.site, request.target, request.now
        if request.fresh_start:
            store.record_fresh_start(site, target, generation=None, now=now)
        store.record(site, target, changes.commands, generation=None, now=now)
        mark_ended(self.client, site, target, self.change_set.index, now)
        if current(self.client, self.names, target) != at.base.name:
            forget_ended(self.client, request.target, self.change_set.index)
            return None
        return unchanged(changes, number)

    def _come_late(self, changes: Changes, generation: str) -> list[RemovalRecord]:
        """Removals that a run without changes recorded since this one has read them.

        Such a run moves no alias, so the swap did not notice it.
        """
        request = self.request
        if request.fresh_start:
            return []
        known = {each.key for each in changes.commands}
        known |= {each.as_record().key for each in changes.standing}
        store = RemovalStore(self.client)
        now = changes.oldest_write.refusing(store, request.site, request.target, generation)
        return [each for each in (one.as_record() for one in now.removals) if each.key not in known]

    def _confirmed_late(self, at: Position, changes: Changes) -> list[Confirmed]:
        """Documents just removed that the block of a run without changes has confirmed since."""
        request = self.request
        if request.fresh_start:
            return []
        since = RemovalStore(self.client).fresh_since(request.site, request.target, at.base.name)
        confirmations = Confirmations(self.client, request.site, request.target, since)
        removed = changes.decisions.removed
        return confirmed_late(confirmations, removed, changes.commands, at.base.name)


def _mend(
    client: StoreClient,
    generation: Generation,
    outcome: Mapping[str, Any] | None,
    now: dt.datetime,
) -> None:
    """Record that searchers see a generation. Only for one that an alias shows or has shown."""
    if generation.published_at is None:
        put_meta(client, generation.name, published_meta(generation.meta, outcome, now))


def _published_before(
    client: StoreClient, names: SiteNames, request: PublishRequest
) -> Generation | None:
    """The generation that this very publish has made, if the alias shows it or what came after."""
    generations = {each.name: each for each in all_generations(client, names)}
    shown = (name for name, each in generations.items() if request.target in each.current)
    name = next(shown, None)
    while name is not None and (each := generations.pop(name, None)) is not None:
        run = (each.meta.get("run_id"), each.meta.get("changes"), each.meta.get("target"))
        if run == (request.run_id, request.digest, request.target.value):
            return each
        name = each.meta.get("base")
    return None
