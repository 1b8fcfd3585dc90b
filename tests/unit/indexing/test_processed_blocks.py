"""What is on record of processed blocks, and which others are told of (06-watermark.md, 6.4)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest

from site_indexer.index_store import processed_blocks
from site_indexer.index_store.processed_blocks import BlockRecord, ProcessedBlock, after_run
from site_indexer.indexing.processed_blocks import unprocessed
from site_indexer.planning.model import Plan, SkippedBlock, SkipReason

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def day(number: int) -> dt.datetime:
    return dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=number)


def done(*days: int, at: dt.datetime = NOW) -> list[ProcessedBlock]:
    return [ProcessedBlock.of(f"digest-{number}", day(number), at) for number in days]


def skipped(*blocks: SkippedBlock, watermark: int | None) -> Plan:
    mark = None if watermark is None else day(watermark)
    return Plan("shop", NOW, mark, mark, None, (), blocks, (), (), ())


def behind(number: int, digest: str = "", line: int = 0) -> SkippedBlock:
    found = digest or f"digest-{number}"
    return SkippedBlock(line or 10 * number, day(number), SkipReason.BEHIND_WATERMARK, found)


def days_of(record: BlockRecord) -> set[dt.datetime]:
    return {each.date for each in record.blocks}


def told(plan: Plan, record: BlockRecord) -> Sequence[int]:
    return [each.line for each in unprocessed(plan, record)]


FIRST = after_run(None, done(1, 2, 3), found=None, left=day(3), afresh_since=NOW)


def test_what_was_processed_is_not_told_of_and_all_else_is_with_its_cause() -> None:
    plan = skipped(
        behind(1),
        behind(2, "edited"),
        behind(3),
        behind(3, "another", line=31),
        behind(0, "late", line=40),
        SkippedBlock(50, day(5), SkipReason.HELD, "held"),
        SkippedBlock(60, None, SkipReason.BEHIND_WATERMARK, "undated"),
        watermark=3,
    )
    causes = {each.line: each.cause for each in unprocessed(plan, FIRST)}
    assert causes == {
        20: "it was changed after it had been processed",
        31: "it has the date of the block in line 30",
        40: "it came after a newer one had been processed, or was left out for its errors",
    }


def test_a_record_that_begins_late_knows_nothing_of_what_is_older() -> None:
    record = after_run(None, done(5), found=day(4), left=day(5))
    assert told(skipped(behind(3), behind(4), behind(5), watermark=5), record) == []
    later = skipped(behind(4), behind(5), behind(5, "same", line=51), watermark=6)
    assert told(later, record) == []
    record = after_run(record, done(6), found=day(5), left=day(6))
    assert told(later, record) == [51]


def test_a_watermark_that_a_person_has_set_leaves_out_what_is_older() -> None:
    plan = skipped(behind(2, "edited"), behind(6, "new"), behind(7, "newer"), watermark=7)
    assert told(plan, FIRST) == []
    record = after_run(FIRST, done(9), found=day(7), left=day(9))
    assert told(skipped(*plan.skipped, behind(8, "late"), watermark=9), record) == [80]


def test_a_watermark_that_was_set_back_changes_nothing() -> None:
    record = after_run(FIRST, done(2, 3), found=day(1), left=day(3))
    assert (record.since, record.newest) == (None, day(3))
    assert told(skipped(behind(2, "edited"), behind(3), watermark=3), record) == [20]


def test_a_window_counts_and_its_run_leaves_the_watermark() -> None:
    late = [ProcessedBlock.of("late", day(0), NOW)]
    record = after_run(FIRST, late, found=day(3), left=day(3))
    assert told(skipped(behind(0, "late"), behind(1), watermark=3), record) == []


def test_clear_date_begins_it_anew_with_what_was_recorded_meanwhile() -> None:
    meanwhile = after_run(FIRST, done(0, at=NOW + HOUR), found=day(3), left=day(3))
    record = after_run(
        meanwhile,
        done(1, at=NOW + 2 * HOUR),
        found=day(3),
        left=day(1),
        afresh_since=NOW + HOUR / 2,
    )
    assert days_of(record) == {day(0), day(1)}
    assert (record.since, record.newest) == (None, day(1))


def test_the_newest_by_date_are_kept_and_no_more_is_known_of_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(processed_blocks, "MOST_BLOCKS", 3)
    record = after_run(None, done(*range(6)), found=None, left=day(5), afresh_since=NOW)
    assert days_of(record) == {day(3), day(4), day(5)}
    assert told(
        skipped(behind(1, "edited"), behind(2), behind(4, "edited"), watermark=5), record
    ) == [40]
    record = after_run(record, done(6), found=day(5), left=day(6))
    assert (days_of(record), record.since) == ({day(4), day(5), day(6)}, day(3))


def test_blocks_of_one_date_go_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processed_blocks, "MOST_BLOCKS", 2)
    twins = [ProcessedBlock.of(digest, day(1), NOW) for digest in ("one", "other")]
    record = after_run(None, [*twins, *done(2)], found=None, left=day(2), afresh_since=NOW)
    assert (days_of(record), record.since) == ({day(2)}, day(1))
