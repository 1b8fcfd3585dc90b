"""SIGKILL of the crawl's process: the retry goes on from the change set."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

import pytest

from demo_site import expected
from demo_site.faults import Fault
from tests.end_to_end.conftest import ScheduledSite
from tests.end_to_end.waiting import wait_for

pytestmark = pytest.mark.end_to_end

STALLED = "/en/about/"


def test_the_retry_goes_on_without_fetching_the_done_pages_again(
    scheduled_site: Callable[[str], ScheduledSite],
) -> None:
    site = scheduled_site("killed")
    web, client = site.web, site.collaborators.client
    web.faults.set(STALLED, Fault(stall=True))
    run_id = site.trigger()

    def recorded() -> set[str]:
        """The pages in the run's change set."""
        changes = f"{site.site}.changes-*"
        client.indices.refresh(index=changes)
        body = {"size": 1000, "query": {"term": {"kind": "page"}}, "_source": ["url"]}
        hits = client.search(index=changes, body=body)["hits"]["hits"]
        return {hit["_source"]["url"] for hit in hits}

    wait_for("the page that stalls is asked for", lambda: web.requests.of("/en/collections/"))
    done = wait_for(
        "most of the site is in the change set", lambda: len(recorded()) > 100 and recorded()
    )
    task = f"/dags/{site.dag_id}/dagRuns/{run_id}/taskInstances/add"
    os.kill(site.api.call("GET", task)["pid"], signal.SIGKILL)
    assert site.documents() == {}
    web.requests.clear()
    web.faults.clear()

    run = site.follow(run_id)
    assert run.state == "success"
    assert site.api.call("GET", task)["try_number"] == 2
    again = {f"{web.url}{access.path}" for access in web.requests.all() if access.method == "GET"}
    assert again & done == set()
    assert expected.after_run(web.url).problems(site.documents()) == []
