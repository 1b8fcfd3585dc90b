"""Tasks of runs that have ended are cleared, one or with those after it, as a person does it.

docs/spec/05-index-lifecycle.md: running a task a second time ends as running it once.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.end_to_end.conftest import ScheduledSite
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of, watched
from tests.integration.indexing.test_killed_anywhere import block_of, leaves, whole_after

pytestmark = pytest.mark.end_to_end

ROUNDS = (("publish", "add"), ("plan", "publish"))
"""Tasks of the two runs: ``publish`` alone, the others with what is downstream."""


def clear(site: ScheduledSite, run_id: str, task: str, *, downstream: bool) -> None:
    body = {
        "dry_run": False,
        "dag_run_id": run_id,
        "task_ids": [task],
        "include_downstream": downstream,
        "only_failed": False,
    }
    cleared = site.api.call("POST", f"/dags/{site.dag_id}/clearTaskInstances", body)
    assert task in {each["task_id"] for each in cleared["task_instances"]}


@pytest.mark.timeout(600)  # several runs, on a machine that may be busy
def test_tasks_that_are_cleared_lose_nothing_and_move_nothing_back(
    scheduled_site: Callable[[str], ScheduledSite],
) -> None:
    site = scheduled_site("cleared")
    bench = site.bench
    pages = leaves(bench)
    blocks = [block_of(pages, number) for number in range(3)]
    runs = []
    for number in range(3):
        bench.use_script(*script_of(blocks[: number + 1]))
        runs.append(site.run())
    assert {run.state for run in runs} == {"success"}
    assert paths(bench) == whole_after(pages, 2)
    before = (bench.comparable(), site.watermark())
    assert before[1] == day(2)

    # One that later runs have overtaken, and the newest, at the same time.
    overtaken, newest = (run.run_id for run in runs[1:])
    with watched(bench) as seen:
        for cleared in ROUNDS:
            chosen = dict(zip((overtaken, newest), cleared, strict=True))
            for run_id, task in chosen.items():
                clear(site, run_id, task, downstream=task != "publish")
            for run_id, task in chosen.items():
                run = site.follow(run_id)
                assert (run.state, run.tasks[task]) == ("success", "success"), task
            assert (bench.comparable(), site.watermark()) == before, cleared
    assert seen == {whole_after(pages, 2)}
