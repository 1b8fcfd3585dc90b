"""Runs that wait for an answer and are ended by hand, through a real scheduler (5.9)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.end_to_end.conftest import ScheduledSite
from tests.end_to_end.waiting import wait_for
from tests.integration.indexing.small_sites import adding, script_of, serve

pytestmark = pytest.mark.end_to_end

SIX = range(6)
EMPTYING = ["deletemask {web}/p/"]


def ask(site: ScheduledSite) -> str:
    """Trigger a run and wait until it asks; its id."""
    run_id = site.trigger()

    def asks() -> bool:
        return bool(site.task(run_id, "approve")["state"] == "awaiting_input")

    wait_for("the run asks whether the pages may go", asks)
    return run_id


@pytest.mark.timeout(600)  # several runs, on a machine that may be busy
def test_a_run_that_is_marked_as_failed_or_deleted_while_it_asks_keeps_nobody_waiting(
    scheduled_site: Callable[[str], ScheduledSite],
) -> None:
    site = scheduled_site("killed")
    serve(site.bench, SIX)
    site.bench.use_script(*script_of(adding(SIX)))
    # The watermark may be that of another test, whose index is gone.
    assert site.run(clear_date=True).state == "success"
    site.bench.use_script(*script_of(adding(SIX), EMPTYING))
    marked = ask(site)
    path = f"/dags/{site.dag_id}/dagRuns"
    assert site.run().tasks["plan"] == "skipped"
    site.api.call("PATCH", f"{path}/{marked}", {"state": "failed"})

    deleted = ask(site)
    site.api.call("PATCH", f"{path}/{deleted}", {"state": "failed"})
    site.api.call("DELETE", f"{path}/{deleted}")
    site.bench.use_script(*script_of(adding(SIX), ["delete {web}/p/0"]))
    run = site.run()
    assert run.state == "success", site.errors_of(run)
    assert len(site.documents()) == 5
