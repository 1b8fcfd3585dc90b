"""Keeps the record of processed blocks, and tells of blocks that no run will ever process.

A block that is dated on or before the watermark and is not on record came late, was edited after
it was processed, or shares its date with another (docs/spec/06-watermark.md, 6.4).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from site_indexer.index_script.counting import counted
from site_indexer.index_store.generations import Generation, all_generations
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.processed_blocks import (
    BlockRecord,
    BlockRecordStore,
    ProcessedBlock,
    after_run,
    later_of,
)
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words
from site_indexer.indexing.plan_storage import StoredPlan
from site_indexer.planning.model import Plan, SkippedBlock, SkipReason

MOST_TOLD = 20
WHAT_TO_DO = (
    "To process it, give it a date later than that of the newest block, or run it by hand as a "
    "window: blocks from its date to a second later."
)

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unprocessed:
    """A block behind the watermark that was never processed, and why not, as a clause."""

    line: int
    date: dt.datetime
    cause: str


def record_processed(
    collaborators: Collaborators, site: str, stored: StoredPlan, *, left: dt.datetime | None
) -> None:
    """Record the blocks of a run that has published, or ended without changes.

    ``left`` is the watermark that it leaves. To be called before that is set: blocks behind the
    watermark are told of. Done again it does nothing. Where each run reads the whole script
    (``remember_date: false``) nothing is recorded, as nothing is ever behind a watermark.
    """
    if not collaborators.definition(site).script.remember_date:
        return
    plan, now = stored.plan, dt.datetime.now(dt.UTC)
    afresh = plan.window is None and plan.watermark_before is None
    blocks = [
        ProcessedBlock.of(block.digest, block.date, now)
        for block in plan.blocks
        if block.number not in stored.retried
    ]

    def change(record: BlockRecord | None) -> BlockRecord:
        return after_run(
            record,
            blocks,
            found=stored.held,
            left=left,
            afresh_since=plan.now if afresh else None,
        )

    BlockRecordStore(collaborators.client).update(site, stored.target, change)


def tell_unprocessed(
    collaborators: Collaborators, site: str, plan: Plan, *, known_of: Target
) -> int:
    """Warn of each block behind the watermark that was never processed; returns how many.

    ``known_of``: the target whose record is asked, live where a staged index begins. A window says
    nothing of what is outside it.
    """
    if plan.window is not None:
        return 0
    record = BlockRecordStore(collaborators.client).read(site, known_of)
    if record is None:
        return 0
    found = unprocessed(plan, record)
    for each in found[:MOST_TOLD]:
        logger.warning(
            "line %d: the block dated %s is behind the watermark (%s) and was never processed: %s. "
            "%s",
            each.line,
            in_words(each.date),
            in_words(plan.watermark_before),
            each.cause,
            WHAT_TO_DO,
            extra={"script_line": each.line},
        )
    if len(found) > MOST_TOLD:
        left = counted(len(found) - MOST_TOLD, "more block")
        logger.warning("%s like these, down to line %d.", left, found[-1].line)
    return len(found)


def unprocessed(plan: Plan, record: BlockRecord) -> Sequence[Unprocessed]:
    """The blocks of a plan that are behind its watermark and not on record, in file order. Pure."""
    after = record.knows_after(plan.watermark_before)
    known = record.among(block.digest for block in plan.skipped)
    behind = list(_behind(plan))
    lines = {date: block.line for block, date in behind if block.digest in known}
    edited = {each.date for each in record.blocks}
    return [
        Unprocessed(block.line, date, _cause(date, lines.get(date), edited))
        for block, date in behind
        if block.digest not in known and (after is None or date > after)
    ]


def _behind(plan: Plan) -> Iterator[tuple[SkippedBlock, dt.datetime]]:
    for block in plan.skipped:
        if block.reason is SkipReason.BEHIND_WATERMARK and block.date is not None:
            yield block, block.date


def _cause(date: dt.datetime, line: int | None, recorded: set[dt.datetime]) -> str:
    if line is not None:
        return f"it has the date of the block in line {line}"
    if date in recorded:
        return "it was changed after it had been processed"
    return "it came after a newer one had been processed, or was left out for its errors"


def settle_record(
    collaborators: Collaborators, site: str, mark: dt.datetime | None, *, kept: bool
) -> None:
    """Let live's record fit what is shown when a hold is released, with ``mark`` as the watermark.

    Where the watermark was ``kept`` a person leaves out on purpose what is behind it. Else what
    later generations had processed counts no longer: what is newer runs again, and what was late
    is to be told of.
    """
    names = SiteNames(site)
    end = None if kept else _end_of_shown(all_generations(collaborators.client, names))

    def change(record: BlockRecord | None) -> BlockRecord | None:
        if record is None or mark is None:
            return record
        if kept:
            return replace(record, since=later_of(record.since, mark))
        left = (each for each in record.blocks if end is None or each.at < end or each.date > mark)
        return replace(record, blocks=frozenset(left))

    BlockRecordStore(collaborators.client).update(site, Target.LIVE, change)


def _end_of_shown(generations: Sequence[Generation]) -> dt.datetime | None:
    """When live first showed the next generation after the one that it shows now."""
    live = [
        each.published_at
        for each in generations
        if each.published_at and each.meta.get("target") == Target.LIVE.value
    ]
    shown = next((each.published_at for each in generations if Target.LIVE in each.current), None)
    return min((at for at in live if shown is not None and at > shown), default=None)
