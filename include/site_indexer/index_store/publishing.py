"""Publishing: from a change set to what searchers see (docs/spec/05-index-lifecycle.md).

In each round the generation that the alias shows now is cloned, changed, sealed and counted, and
one request swaps the alias. If another run published meanwhile that request fails as a whole, and
the next round begins from what the alias shows then.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from site_indexer.errors import PublishConflictError
from site_indexer.index_store.alias_swap import Position, position, swap
from site_indexer.index_store.applying import Applied, apply_changes, verify_count
from site_indexer.index_store.building import (
    begin,
    discard,
    discarded_on_failure,
    seal,
    set_replicas,
)
from site_indexer.index_store.change_records import RemovalRecord
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.changes import Changes, work_out
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.confirmations import mark_published as mark_confirmed
from site_indexer.index_store.generations import (
    Generation,
    all_generations,
    current,
    describe,
    mark_published,
    put_meta,
)
from site_indexer.index_store.instants import iso
from site_indexer.index_store.mappings import MAPPING_VERSION, NORMALIZATION_VERSION
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publish_model import Published, PublishRequest, PublishStatus
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.state import PublishIntent, StateStore

__all__ = ["PublishRequest", "PublishStatus", "Published", "preview", "publish"]

MOST_ROUNDS = 20

log = logging.getLogger(__name__)

Clock = Callable[[], dt.datetime]
Gate = Callable[[Changes], None]


def utc_now() -> dt.datetime:
    """The clock of the machine."""
    return dt.datetime.now(dt.UTC)


def preview(client: StoreClient, request: PublishRequest) -> Changes:
    """What publishing would do now, by id; changes nothing. For the brake and its questions."""
    names = SiteNames(request.site)
    return _work_out(client, names, request, position(client, names, request.target), ())


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
    done = _published_before(client, names, request)
    if done is not None:
        _finish(client, names, request, done.name, clock())
        return _as_published(done, client, names.changes(request.digest))
    return _Publishing(client, names, request, clock, gate).run()


@dataclass(slots=True)
class _Publishing:
    client: StoreClient
    names: SiteNames
    request: PublishRequest
    clock: Clock
    gate: Gate | None
    late: list[RemovalRecord] = field(default_factory=list)

    def run(self) -> Published:
        changes_set = ChangeSet.open(self.client, self.names, self.request.digest)
        for number in range(1, MOST_ROUNDS + 1):
            published = self._round(changes_set, number)
            if published is not None:
                return published
        raise PublishConflictError(
            f"Other runs of {self.names.site} published each time while this one tried to"
            f" ({MOST_ROUNDS} times).",
            hint="Nothing is lost: run or clear the task again.",
            site=self.names.site,
        )

    def _round(self, change_set: ChangeSet, number: int) -> Published | None:
        """Publish on what the alias shows now; None where that moved meanwhile."""
        at = position(self.client, self.names, self.request.target)
        settle(self.client, self.names, at, self.clock())
        changes = _work_out(self.client, self.names, self.request, at, self.late)
        if self.gate is not None:
            self.gate(changes)
        if changes.decisions.empty:
            return self._leave(at, changes, number)
        generation, applied = self._build(at, change_set, changes, number)
        if not swap(self.client, at, generation, self.names.alias(self.request.target)):
            log.info("Another run published %s meanwhile; doing it again.", self.names.site)
            discard(self.client, self.names, generation)
            self._forget(generation)
            return None
        _finish(self.client, self.names, self.request, generation, self.clock())
        self.late = self._come_late(changes, generation)
        if self.late:
            return None
        return _result(changes, applied, generation, number)

    def _build(
        self, at: Position, change_set: ChangeSet, changes: Changes, number: int
    ) -> tuple[str, Applied]:
        """The new generation, sealed, counted and described, with all that goes along with it."""
        client, request = self.client, self.request
        index = begin(client, self.names, at.base, at=self.clock(), run_id=request.run_id)
        with discarded_on_failure(client, self.names, index):
            applied = apply_changes(client, change_set.index, changes, index)
            seal(client, index)
            verify_count(client, index, applied, at.base.name)
            set_replicas(client, index, request.replicas)
            result = _result(changes, applied, index, number)
            put_meta(client, index, _meta(request, at, index, result))
            change_set.put_rejected(index, applied.rejected)
            self._record(at, changes, index)
        return index, applied

    def _record(self, at: Position, changes: Changes, generation: str) -> None:
        """Write what counts from the moment of the swap: removals, a fresh start, the intent."""
        request, store = self.request, RemovalStore(self.client)
        mine = (request.site, request.target)
        if request.fresh_start:
            store.record_fresh_start(*mine, generation=generation, now=request.now)
        elif at.forks:
            store.take_along(request.site, at.base_target, at.base.name, request.target, generation)
        store.record(*mine, changes.commands, generation=generation, now=request.now)
        if request.watermark_before != request.watermark_after:
            StateStore(self.client).put_intent(
                PublishIntent(
                    *mine,
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

    def _leave(self, at: Position, changes: Changes, number: int) -> Published | None:
        """Publish no generation; the run's removals keep out what comes later all the same."""
        request, store = self.request, RemovalStore(self.client)
        if not at.forks:
            mine = (request.site, request.target)
            if request.fresh_start:
                store.record_fresh_start(*mine, generation=None, now=request.now)
            store.record(*mine, changes.commands, generation=None, now=request.now)
            if current(self.client, self.names, request.target) != at.base.name:
                return None
        mark_confirmed(
            self.client,
            self.names.changes(request.digest),
            target=request.target,
            run_id=request.run_id,
            now=request.now,
        )
        return Published(
            status=PublishStatus.UNCHANGED,
            generation=None,
            base=at.base.name,
            documents_before=changes.documents_before,
            documents_after=changes.documents_before,
            superseded=len(changes.decisions.superseded),
            refused=changes.decisions.refused,
            rounds=number,
        )

    def _come_late(self, changes: Changes, generation: str) -> list[RemovalRecord]:
        """Removals that a run without changes recorded while this one was between reading and swap.

        Such a run moves no alias, so the swap could not notice it.
        """
        if self.request.fresh_start:
            return []
        known = {each.key for each in changes.commands}
        known |= {each.as_record().key for each in changes.standing}
        now = changes.oldest_write.refusing(
            RemovalStore(self.client), self.names.site, self.request.target, generation
        )
        return [each for each in (one.as_record() for one in now) if each.key not in known]


def settle(client: StoreClient, names: SiteNames, at: Position, now: dt.datetime) -> None:
    """Complete what the publish of the base may have died before: it is what searchers see."""
    mark_published(client, at.base, now)
    RemovalStore(client).make_standing(names.site, at.base_target, at.base.name)


def _work_out(
    client: StoreClient,
    names: SiteNames,
    request: PublishRequest,
    at: Position,
    late: Sequence[RemovalRecord],
) -> Changes:
    return work_out(
        client,
        names,
        ChangeSet.open(client, names, request.digest),
        base=at.base.name,
        base_target=at.base_target,
        fresh_start=request.fresh_start,
        late=late,
    )


def _finish(
    client: StoreClient, names: SiteNames, request: PublishRequest, index: str, now: dt.datetime
) -> None:
    """What follows the swap; all of it is done again, or by the next publish, if this dies."""
    generation = describe(client, names, index)
    if generation is not None:
        mark_published(client, generation, now)
    mark_confirmed(
        client,
        names.changes(request.digest),
        target=request.target,
        run_id=request.run_id,
        now=request.now,
    )


def _published_before(
    client: StoreClient, names: SiteNames, request: PublishRequest
) -> Generation | None:
    """The generation that this very publish has made, if it is or was shown since."""
    generations = {each.name: each for each in all_generations(client, names)}
    name = current(client, names, request.target)
    while name is not None and (each := generations.pop(name, None)) is not None:
        run = (each.meta.get("run_id"), each.meta.get("changes"), each.meta.get("target"))
        if run == (request.run_id, request.digest, request.target.value):
            return each
        name = each.meta.get("base")
    return None


def _meta(
    request: PublishRequest, at: Position, generation: str, result: Published
) -> dict[str, Any]:
    base_watermark = None if request.fresh_start else at.base.watermark
    marks = [mark for mark in (base_watermark, request.watermark_after) if mark is not None]
    meta: dict[str, Any] = {
        "generation": generation,
        "site": request.site,
        "target": request.target.value,
        "run_id": request.run_id,
        "changes": request.digest,
        "base": at.base.name,
        "watermark": iso(max(marks)) if marks else None,
        "script_url": request.script_url,
        "script_digest": request.script_digest,
        "documents": result.documents_after,
        "counts": {
            "before": result.documents_before,
            "written": result.written,
            "removed": result.removed,
            "superseded": result.superseded,
            "refused": len(result.refused),
            "rejected": len(result.rejected),
        },
        "mapping_version": MAPPING_VERSION,
        "normalization_version": NORMALIZATION_VERSION,
        "published_at": None,
    }
    base_live = at.base.name if at.forks else at.base.meta.get("base_live")
    if request.target is Target.STAGED:
        meta["base_live"] = base_live
    return meta


def _result(changes: Changes, applied: Applied, generation: str, number: int) -> Published:
    return Published(
        status=PublishStatus.PUBLISHED,
        generation=generation,
        base=changes.base,
        documents_before=changes.documents_before,
        documents_after=applied.documents,
        written=applied.written,
        removed=applied.removed,
        superseded=len(changes.decisions.superseded),
        refused=changes.decisions.refused,
        rejected=applied.rejected,
        rounds=number,
    )


def _as_published(generation: Generation, client: StoreClient, changes: str) -> Published:
    """What its ``_meta`` and the change set still tell; which writes were refused is not kept."""
    counts: Mapping[str, int] = generation.meta.get("counts", {})
    return Published(
        status=PublishStatus.PUBLISHED,
        generation=generation.name,
        base=generation.meta["base"],
        documents_before=counts.get("before", 0),
        documents_after=generation.meta.get("documents", 0),
        written=counts.get("written", 0),
        removed=counts.get("removed", 0),
        superseded=counts.get("superseded", 0),
        rejected=ChangeSet(client, changes).rejected(generation.name),
        rounds=0,
    )
