"""A real backfill, and the calls of runs that fail or do not end, through a real scheduler."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from demo_site.faults import Fault
from site_indexer.index_store.names import Target
from tests.end_to_end.conftest import ScheduledSite
from tests.end_to_end.waiting import wait_for

pytestmark = pytest.mark.end_to_end

SCRIPT = """\
date Thu, 01 Jan 2026 10:00:00 GMT
add {web}/en/ nofollow
add {web}/zh/ nofollow

date Fri, 02 Jan 2026 10:00:00 GMT
delete {web}/en/

date Sat, 03 Jan 2026 10:00:00 GMT
add {web}/en/ nofollow
deletemask {web}/zh/
"""
FIRST_TICK, LAST_TICK = "2026-01-02T00:00:00Z", "2026-01-04T00:00:00Z"


def alerts_in(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def wait_for_alert(path: Path, words: str) -> dict[str, str]:
    def found() -> list[dict[str, str]]:
        return [alert for alert in alerts_in(path) if words in alert["subject"]]

    return wait_for(f"somebody is told {words!r}", found)[0]


def test_a_backfill_of_three_windows_at_once_stages_the_index_and_moves_no_watermark(
    scheduled_site: Callable[[str], ScheduledSite],
) -> None:
    site = scheduled_site("filled")
    script = SCRIPT.format(web=site.web.url)
    site.web.faults.set("/indexlist.txt", Fault(status=200, body=script.encode()))
    site.queue_backfill(FIRST_TICK, LAST_TICK, max_active_runs=3, run_backwards=True)
    runs = site.api.call("GET", f"/dags/{site.dag_id}/dagRuns?limit=10")["dag_runs"]
    assert {run["run_type"] for run in runs} == {"backfill"}
    assert len(runs) == 3
    site.api.unpause(site.dag_id)
    for run in runs:
        assert site.follow(run["dag_run_id"]).state == "success"
    assert set(site.documents(Target.STAGED)) == {f"{site.web.url}/en/"}
    assert site.documents() == {}
    assert site.watermark() is None


def test_a_run_that_fails_calls_somebody_and_says_what_to_do(
    scheduled_site: Callable[[str], ScheduledSite], alerts_file: Path
) -> None:
    site = scheduled_site("filled")
    run = site.run(**{"from": FIRST_TICK})
    assert run.state == "failed"
    assert run.tasks["read_script"] == "failed"
    alert = wait_for_alert(alerts_file, f"{site.site}: a run failed in the task read_script")
    assert run.run_id in alert["text"]
    assert "Correct the script" in alert["text"]


def test_a_run_that_does_not_end_in_time_calls_somebody_while_it_goes_on(
    scheduled_site: Callable[[str], ScheduledSite], alerts_file: Path
) -> None:
    site = scheduled_site("late")
    site.bench.use_script("date Thu, 01 Jan 2026 10:00:00 GMT", "add {web}/en/ nofollow")
    site.web.faults.set("/en/", Fault(stall=True))
    run_id = site.trigger()
    alert = wait_for_alert(alerts_file, f"{site.site}: a run does not end")
    assert run_id in alert["text"]
    assert "more than 5s ago" in alert["text"]
    assert site.api.run_state(site.dag_id, run_id) == "running"
    site.web.faults.clear()
    assert site.follow(run_id).state == "success"
