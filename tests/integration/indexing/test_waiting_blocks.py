"""Since when new blocks wait, and when somebody is told (docs/spec/05-index-lifecycle.md, 5.17)."""

from __future__ import annotations

import datetime as dt

import pytest

from demo_site.faults import Fault
from site_indexer.errors import ScriptError, ScriptUnreachableError
from site_indexer.indexing.holding import put_on_hold
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.script_reading import read_script
from site_indexer.indexing.waiting_blocks import stale_since
from tests.integration.indexing.conftest import NOW, Workbench

DAY = dt.timedelta(days=1)
BLOCK = ("date Tue, 01 Jan 2013 10:00:00 GMT", "add {web}/en/ nofollow")
NEXT = ("", "date Wed, 02 Jan 2013 10:00:00 GMT", "add {web}/es/ nofollow")


def stale(workbench: Workbench, now: dt.datetime) -> dt.datetime | None:
    return stale_since(workbench.collaborators, workbench.request(now=now))


def see(workbench: Workbench, now: dt.datetime = NOW) -> None:
    """A run that only gets as far as reading the script."""
    read_script(workbench.collaborators, workbench.request(now=now))


def test_blocks_wait_from_the_run_that_sees_them_first(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    see(workbench)
    see(workbench, NOW + DAY)
    assert stale(workbench, NOW + DAY) is None
    assert stale(workbench, NOW + DAY + dt.timedelta(seconds=1)) == NOW


def test_it_is_told_once_a_day(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    see(workbench)
    assert stale(workbench, NOW + 2 * DAY) == NOW
    assert stale(workbench, NOW + 2 * DAY) is None
    assert stale(workbench, NOW + 3 * DAY) is None
    assert stale(workbench, NOW + 3 * DAY + dt.timedelta(seconds=1)) == NOW


def test_blocks_that_were_processed_wait_no_longer(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    see(workbench)
    workbench.run(now=NOW + 2 * DAY)
    assert stale(workbench, NOW + 3 * DAY) is None
    workbench.use_script(*BLOCK, *NEXT)
    see(workbench, NOW + 4 * DAY)
    assert stale(workbench, NOW + 6 * DAY) == NOW + 4 * DAY


def test_blocks_that_are_gone_from_the_script_wait_no_longer(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    workbench.run()
    workbench.use_script(*BLOCK, *NEXT)
    see(workbench)
    workbench.use_script(*BLOCK)
    see(workbench, NOW + DAY)
    assert stale(workbench, NOW + 3 * DAY) is None


def test_a_new_block_with_an_error_waits_as_well(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK, "ad {web}/es/")
    with pytest.raises(ScriptError):
        see(workbench)
    assert stale(workbench, NOW + 2 * DAY) == NOW


def test_a_script_that_cannot_be_read_leaves_them_waiting(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    see(workbench)
    workbench.web.faults.set("/indexlist.txt", Fault(status=404))
    with pytest.raises(ScriptUnreachableError):
        see(workbench, NOW + DAY)
    assert stale(workbench, NOW + 2 * DAY) == NOW


def test_windows_and_dry_runs_tell_nothing_of_waiting_blocks(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    workbench.run(dry_run=True)
    workbench.window(NOW, NOW + DAY)
    assert stale(workbench, NOW + 9 * DAY) is None


def test_a_dry_run_is_told_nothing_and_takes_no_other_runs_turn(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    see(workbench)
    dry = workbench.request(now=NOW + 2 * DAY, dry_run=True)
    assert stale_since(workbench.collaborators, dry) is None
    assert stale(workbench, NOW + 2 * DAY) == NOW


def test_blocks_that_come_under_a_hold_wait_from_the_run_that_skips_them(
    workbench: Workbench,
) -> None:
    workbench.use_script(*BLOCK)
    workbench.run()
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    see(workbench, NOW + DAY)
    assert stale(workbench, NOW + 9 * DAY) is None
    workbench.use_script(*BLOCK, *NEXT)
    see(workbench, NOW + 2 * DAY)
    see(workbench, NOW + 3 * DAY)
    assert stale(workbench, NOW + 5 * DAY) == NOW + 2 * DAY
    workbench.use_script(*BLOCK)
    see(workbench, NOW + 6 * DAY)
    assert stale(workbench, NOW + 9 * DAY) is None


@pytest.mark.parametrize("line", ["ad {web}/es/", "add {web}/es/"])
def test_under_a_hold_a_block_with_an_error_waits_as_well(workbench: Workbench, line: str) -> None:
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    workbench.use_script(*BLOCK, line)
    assert workbench.run().status is RunStatus.HELD
    assert stale(workbench, NOW + 2 * DAY) == NOW


def test_under_a_hold_a_script_that_cannot_be_read_costs_the_run_nothing(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    workbench.use_script(*BLOCK)
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    see(workbench)
    workbench.web.faults.set("/indexlist.txt", Fault(status=404))
    assert workbench.run(now=NOW + DAY).status is RunStatus.HELD
    assert "Whether new blocks wait is not known" in caplog.text
    assert stale(workbench, NOW + 2 * DAY) == NOW


def test_under_a_hold_windows_read_nothing(workbench: Workbench) -> None:
    workbench.use_script(*BLOCK)
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    workbench.web.requests.clear()
    assert workbench.window(NOW - 9999 * DAY, NOW).status is RunStatus.HELD
    assert workbench.web.requests.all() == []
    assert stale(workbench, NOW + 9 * DAY) is None
