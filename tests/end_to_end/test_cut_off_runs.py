"""What dies in a run: the script's server, the scheduler, its workers, a task between two steps.

docs/spec/05-index-lifecycle.md: searchers see a whole index all the while, and the end is that of
a run that nothing has disturbed.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from demo_site.faults import Fault
from tests.end_to_end.conftest import ScheduledSite
from tests.end_to_end.held_store import HeldStore
from tests.end_to_end.scheduler import Scheduler
from tests.end_to_end.waiting import wait_for
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of, watched
from tests.integration.indexing.test_killed_anywhere import block_of, leaves, whole_after

pytestmark = pytest.mark.end_to_end


@pytest.mark.timeout(600)  # several runs, on a machine that may be busy
def test_runs_that_are_cut_off_end_as_if_nothing_had_happened_and_searchers_see_wholes_only(
    scheduled_site: Callable[[str], ScheduledSite],
    scheduler: Scheduler,
    store: HeldStore,
    tmp_path: Path,
) -> None:
    site = scheduled_site("cut-off")
    bench = site.bench
    pages = leaves(bench)
    blocks = [block_of(pages, number) for number in range(4)]
    bench.use_script(*script_of(blocks[:1]))
    assert site.run().state == "success"

    with watched(bench) as seen:
        # The script's server, at first; then the scheduler, in the crawl: its worker lives on.
        stalled, other = pages[2:4]
        site.web.faults.set("/indexlist.txt", Fault(drop=True))
        site.web.faults.set(stalled, Fault(stall=True))
        run_id = site.trigger()
        wait_for(
            "the script is to be read again",
            lambda: site.task(run_id, "read_script")["state"] == "up_for_retry",
        )
        assert paths(bench) == whole_after(pages, 0)
        assert site.watermark() == day(0)
        bench.use_script(*script_of(blocks[:2]))
        wait_for("the crawl is under way", lambda: site.web.requests.of(other))
        scheduler.kill(workers=False)
        scheduler.start()
        site.web.faults.clear(stalled)
        assert site.follow(run_id).state == "success"
        assert site.watermark() == day(1)

        # The scheduler, its workers and their tasks, in the middle of publishing.
        bench.use_script(*script_of(blocks[:3]))
        with store.answer_held(f"/_clone/{site.site}.g-") as clone:
            run_id = site.trigger()
            wait_for("publishing is under way", clone.reached.is_set)
            scheduler.kill(workers=True)
            scheduler.start()
        assert paths(bench) == whole_after(pages, 1)
        assert site.watermark() == day(1)
        assert site.follow(run_id).state == "success"
        assert site.task(run_id, "publish")["try_number"] == 2
        assert site.watermark() == day(2)

        # The task alone, after the alias has moved and before the Variable does.
        bench.use_script(*script_of(blocks))
        with store.answer_held("/_aliases", site.site) as swap:
            run_id = site.trigger()
            wait_for("the alias has moved", swap.reached.is_set)
            os.kill(site.task(run_id, "publish")["pid"], signal.SIGKILL)
            wait_for("it is dead", lambda: site.task(run_id, "publish")["state"] != "running")
            assert paths(bench) == whole_after(pages, 3)
            assert site.watermark() == day(2)
        assert site.follow(run_id).state == "success"
        assert site.task(run_id, "publish")["try_number"] == 2
        assert site.watermark() == day(3)

    assert seen == {whole_after(pages, number) for number in range(4)}
    assert bench.comparable() == site.undisturbed(tmp_path).comparable()
