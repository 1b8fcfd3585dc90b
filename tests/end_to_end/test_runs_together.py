"""Runs of one site that Airflow and shells start together (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.conftest import ScheduledSite
from tests.end_to_end.scheduler import Scheduler
from tests.end_to_end.waiting import wait_for
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of, watched
from tests.integration.indexing.test_killed_anywhere import block_of, leaves, whole_after

pytestmark = pytest.mark.end_to_end

SHELLS = 2
TICKS = ("2026-01-03T00:00:00Z", "2026-01-05T00:00:00Z")
"""Ticks of the blocks 1 to 3."""


@pytest.mark.timeout(600)  # several runs, on a machine that may be busy
def test_eight_runs_of_a_site_end_as_some_order_of_them(
    scheduled_site: Callable[[str], ScheduledSite],
    scheduler: Scheduler,
    sites_folder: Path,
    tmp_path: Path,
) -> None:
    """One of the schedule, one by hand, one with Clear Date, three windows, two shells."""
    site = scheduled_site("together")
    bench = site.bench
    pages = leaves(bench)
    blocks = [block_of(pages, number) for number in range(5)]
    bench.use_script(*script_of(blocks[:1]))
    assert site.run().state == "success"
    bench.use_script(*script_of(blocks))
    site.queue_backfill(*TICKS, max_active_runs=3, dag_run_conf={"target": "live"})
    for conf in ({}, {"clear_date": True}):
        site.trigger(**conf)
    waiting = site.queued_runs()
    assert len(waiting) == 5

    environment = {
        **os.environ,
        "SITE_INDEXER_SITES": str(sites_folder),
        "SITE_INDEXER_OPENSEARCH_URL": site.opensearch_url,
    }
    shell = Path(sys.executable).with_name("site-indexer")
    with watched(bench) as seen, scheduler.keeping_schedules():
        site.api.unpause(site.dag_id)
        wait_for("the run of the schedule begins", lambda: bool(site.runs_of_schedule()))
        waiting += site.runs_of_schedule()
        shells = [
            subprocess.Popen(
                [shell, "run", site.site, "--standalone"],
                env=environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            for _ in range(SHELLS)
        ]
        assert {run_id: site.errors_of(site.follow(run_id)) for run_id in waiting} == {
            run_id: {} for run_id in waiting
        }
        assert [each.wait() for each in shells] == [0] * SHELLS

    assert paths(bench) == whole_after(pages, 4)
    assert site.watermark() == bench.watermark() == day(4)
    assert frozenset() not in seen
    assert bench.comparable() == site.undisturbed(tmp_path).comparable()
