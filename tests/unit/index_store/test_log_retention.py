"""Which logs of runs are kept (docs/spec/05-index-lifecycle.md, 5.16)."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.index_store.log_entries import LogRun, RunLogHeader
from site_indexer.index_store.log_retention import KEPT_LONGER, KEPT_RUNS, outdated

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
HOUR = dt.timedelta(hours=1)


def header(number: int, status: str = "unchanged", age: dt.timedelta = HOUR) -> RunLogHeader:
    return RunLogHeader(
        run=LogRun("shop", "script", "live", f"run-{number}"),
        started_at=NOW - age,
        written_at=NOW - age,
        status=status,
        entries=3,
        errors=0,
        warnings=0,
    )


def test_the_twenty_newest_are_kept_whatever_they_did_and_however_old_they_are() -> None:
    assert outdated([header(n, age=400 * 24 * HOUR) for n in range(KEPT_RUNS)], NOW) == []


@pytest.mark.parametrize("status", ["unchanged", "held", "dry-run"])
def test_of_older_ones_those_that_did_nothing_go(status: str) -> None:
    old = header(99, status)
    assert outdated([*(header(n) for n in range(KEPT_RUNS)), old], NOW) == [old]


@pytest.mark.parametrize("status", ["published", "failed", "running", "waiting-for-approval"])
def test_of_older_ones_those_that_published_or_failed_stay_for_thirty_days(status: str) -> None:
    newest = [header(n) for n in range(KEPT_RUNS)]
    young = header(98, status, age=KEPT_LONGER)
    old = header(99, status, age=KEPT_LONGER + HOUR)
    assert outdated([*newest, young, old], NOW) == [old]
