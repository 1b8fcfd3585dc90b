"""Which logs of runs are kept (docs/spec/05-index-lifecycle.md, 5.16)."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.index_store.log_entries import LogRun, RunLogHeader
from site_indexer.index_store.log_retention import KEPT_LONGER, is_outdated

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


@pytest.mark.parametrize("status", ["unchanged", "held", "dry-run"])
def test_of_older_runs_those_that_did_nothing_go(status: str) -> None:
    assert is_outdated(header(99, status), NOW)


@pytest.mark.parametrize("status", ["published", "failed", "running", "waiting-for-approval"])
def test_of_older_runs_those_that_published_or_failed_stay_for_thirty_days(status: str) -> None:
    assert not is_outdated(header(98, status, age=KEPT_LONGER), NOW)
    assert is_outdated(header(99, status, age=KEPT_LONGER + HOUR), NOW)
