"""SIGKILL of the crawl's process: the retry goes on from the change set."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from demo_site import expected
from demo_site.faults import Fault
from tests.end_to_end.conftest import RUN_WAIT_S, ScheduledSite

pytestmark = pytest.mark.end_to_end

STALLED = "/en/about/"
POLL_S = 0.1


def wait_for(words: str, fact: Callable[[], object]) -> object:
    """Poll until a fact holds; returns it. Fails with the words where it takes too long."""
    deadline = time.monotonic() + RUN_WAIT_S
    while time.monotonic() < deadline:
        found = fact()
        if found:
            return found
        time.sleep(POLL_S)
    pytest.fail(f"waited in vain until {words}")


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
    assert isinstance(done, set)
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
