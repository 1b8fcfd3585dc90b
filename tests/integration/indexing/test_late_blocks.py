"""Blocks behind the watermark that no run has processed are told of (06-watermark.md, 6.4)."""

from __future__ import annotations

import datetime as dt
import logging

import pytest

from site_indexer.index_store.names import Target
from site_indexer.index_store.processed_blocks import BlockRecordStore
from site_indexer.indexing import publishing
from site_indexer.indexing.holding import ReleaseTo, release_hold
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.pushing import push_live
from site_indexer.indexing.rolling_back import roll_back
from site_indexer.indexing.script_reading import read_script
from site_indexer.indexing.staging import drop_staged
from site_indexer.indexing.watermark_setting import set_watermark
from site_indexer.planning.model import Window
from tests.integration.index_store.killing import killed_at
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import FIRST_DAY, adding, day, pages, serve

HOUR = dt.timedelta(hours=1)
RULES_ONLY = ["include {web}/p/"]


def block(hours: int, lines: list[str]) -> list[str]:
    """A block dated that many hours after the first one."""
    return [f"date {FIRST_DAY + hours * HOUR:%a, %d %b %Y %H:%M:%S} GMT", *lines, ""]


FIRST, SECOND = block(0, adding([0])), block(24, adding([1]))
LATE = block(12, adding([2]))
LATE_LINE = 4
LATE_DATE = FIRST_DAY + 12 * HOUR


def window(date: dt.datetime) -> Window:
    """The window that has the blocks of a date only."""
    return Window(date, date + dt.timedelta(seconds=1))


@pytest.fixture
def site(workbench: Workbench) -> Workbench:
    """A site of two blocks, both processed."""
    serve(workbench, range(6))
    workbench.use_script(*FIRST, *SECOND)
    assert workbench.run().status is RunStatus.PUBLISHED
    return workbench


def told(
    site: Workbench, caplog: pytest.LogCaptureFixture, target: Target = Target.LIVE
) -> list[int]:
    """The lines of the blocks that a run of now warns of."""
    caplog.clear()
    with caplog.at_level(logging.WARNING, "site_indexer.indexing.processed_blocks"):
        read = read_script(site.collaborators, site.request(target=target))
    lines = [
        record.__dict__["script_line"]
        for record in caplog.records
        if record.name == "site_indexer.indexing.processed_blocks"
    ]
    assert read.never_processed == len(lines)
    return lines


def test_a_late_block_is_told_of_until_its_window_was_run(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    assert told(site, caplog) == []
    site.use_script(*FIRST, *LATE, *SECOND)
    assert told(site, caplog) == [LATE_LINE]
    (warning,) = (each.getMessage() for each in caplog.records if "never processed" in each.msg)
    assert "line 4: the block dated 2026-01-01T22:00:00Z is behind the watermark" in warning
    assert "give it a date later" in warning
    site.run(window=window(LATE_DATE))
    assert pages(site) == {0, 1, 2}
    assert told(site, caplog) == []


def test_so_is_one_that_was_edited_and_one_with_the_date_of_another(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    site.use_script(*block(0, adding([0, 3])), *SECOND, *block(24, adding([4])))
    assert told(site, caplog) == [1, 8]


def test_blocks_of_runs_that_publish_nothing_are_on_record(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    site.use_script(*FIRST, *SECOND, *block(48, RULES_ONLY))
    assert site.run().status is RunStatus.UNCHANGED
    assert site.watermark() == day(2)
    assert told(site, caplog) == []


def test_of_a_site_that_was_there_before_records_nothing_is_told_of_old_blocks(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    BlockRecordStore(site.collaborators.client).forget(site.site, Target.LIVE)
    site.use_script(*FIRST, *LATE, *SECOND)
    assert told(site, caplog) == []
    third = block(48, adding([3]))
    site.use_script(*FIRST, *LATE, *SECOND, *third)
    site.run()
    assert told(site, caplog) == []
    site.use_script(*FIRST, *LATE, *SECOND, *block(36, adding([4])), *third)
    assert told(site, caplog) == [10]


def test_a_person_who_sets_the_watermark_leaves_out_what_is_behind_it(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    site.use_script(*FIRST, *SECOND, *block(48, adding([2])), *block(72, adding([3])))
    set_watermark(site.collaborators, site.site, Target.LIVE, day(2))
    assert told(site, caplog) == []
    site.run()
    assert pages(site) == {0, 1, 3}
    assert told(site, caplog) == []


def test_after_clear_date_only_what_it_processed_counts(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    site.use_script(*FIRST, *LATE, *SECOND)
    site.run(clear_date=True)
    assert pages(site) == {0, 1, 2}
    assert told(site, caplog) == []
    site.use_script(*FIRST, *block(12, adding([5])), *SECOND)
    assert told(site, caplog) == [LATE_LINE]


def test_killed_between_alias_and_watermark_nothing_is_told_of_what_was_published(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    site.use_script(*FIRST, *SECOND, *block(48, adding([2])))
    request = site.request()
    digest = site.prepare(request)
    with killed_at(publishing, "record_processed"):
        publishing.publish(site.collaborators, request, digest)
    assert (pages(site), site.watermark()) == ({0, 1, 2}, day(1))
    assert told(site, caplog) == []
    assert site.watermark() == day(2)
    site.use_script(*FIRST, *LATE, *SECOND, *block(48, adding([2])))
    assert told(site, caplog) == [LATE_LINE]


def test_a_staged_index_has_a_record_of_its_own_and_push_live_takes_it_along(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    third = block(48, adding([3]))
    site.use_script(*FIRST, *LATE, *SECOND, *third)
    assert told(site, caplog, Target.STAGED) == [LATE_LINE]
    site.run(target=Target.STAGED)
    site.run(target=Target.STAGED, window=window(LATE_DATE))
    assert told(site, caplog, Target.STAGED) == []
    assert told(site, caplog) == [LATE_LINE]
    push_live(site.collaborators, site.site, run_id="shell__push", now=NOW)
    assert pages(site) == {0, 1, 2, 3}
    assert told(site, caplog) == []
    assert BlockRecordStore(site.collaborators.client).read(site.site, Target.STAGED) is None


def test_dropped_with_its_index(site: Workbench, caplog: pytest.LogCaptureFixture) -> None:
    site.run(target=Target.STAGED)
    drop_staged(site.collaborators, site.site)
    assert BlockRecordStore(site.collaborators.client).read(site.site, Target.STAGED) is None


@pytest.mark.parametrize(
    ("to", "lines"), [(ReleaseTo.GENERATION, [LATE_LINE]), (ReleaseTo.KEEP, [])]
)
def test_a_late_block_whose_window_was_rolled_back_is_told_of_again(
    site: Workbench, caplog: pytest.LogCaptureFixture, to: ReleaseTo, lines: list[int]
) -> None:
    site.use_script(*FIRST, *LATE, *SECOND)
    site.run(window=window(LATE_DATE))
    assert told(site, caplog) == []
    roll_back(site.collaborators, site.site, run_id="shell__back", by="Ada", now=NOW)
    release_hold(site.collaborators, site.site, to)
    assert told(site, caplog) == lines


def test_a_site_that_reads_all_each_time_keeps_no_record(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    twin = site.twin()
    twin.fields["reading"] = {"remember_date": False}
    twin.write_file()
    twin.run()
    assert BlockRecordStore(site.collaborators.client).read(twin.site, Target.LIVE) is None
    site.use_script(*FIRST, *LATE, *SECOND)
    assert told(twin, caplog) == []
    twin.run()
    assert pages(twin) == {0, 1, 2}


def test_a_line_that_was_left_out_for_its_error_makes_no_other_block_of_it(
    site: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    twin = site.twin()
    twin.fields["reading"] = {"on_error": "skip_line"}
    twin.write_file()
    site.use_script(*block(0, [*adding([0]), "ad {web}/p/1", "add https://elsewhere.example/"]))
    assert twin.run().status is RunStatus.PUBLISHED
    assert told(twin, caplog) == []
