"""Real runs of a site's Dag whose script would empty the index: nothing goes without an answer."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from demo_site.faults import Fault
from demo_site.server import RunningSite, running
from site_indexer.index_store.log_store import LogStore
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.orchestration.operation_dags import build_operation_dag
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.loader import load_site

pytestmark = [pytest.mark.airflow, pytest.mark.opensearch]

SITE_FILE = """\
id: {site}
name: Cabo Lirio
owner: observatory
script: {{url: {url}/indexlist.txt}}
crawl: {{delay: 0s, allow_networks: [127.0.0.0/8]}}
index: {{replicas: 0}}
"""
SIX = [f"add {{web}}/{path} nofollow" for path in ("", "en/", "es/", "zh/", "ar/", "en/news/")]
FIRST = ["date Tue, 06 Jan 2026 10:00:00 GMT", *SIX, ""]
EMPTYING = ["date Wed, 07 Jan 2026 10:00:00 GMT", "deletemask {web}/", ""]


class Site:
    """A site with a server, a Dag and an index of its own."""

    def __init__(self, name: str, web: RunningSite, opensearch: str, folder: Path) -> None:
        self.name, self.web, self.opensearch = name, web, opensearch
        path = folder / f"{name}.yaml"
        path.write_text(SITE_FILE.format(site=name, url=web.url))
        self.definition = load_site(path)

    def dag(self) -> Any:
        # Made anew for each run, as each task does: a run's options stay in the Dag of a process.
        return build_script_dag(self.definition)

    def say(self, *lines: str) -> None:
        text = "\n".join(lines).replace("{web}", self.web.url) + "\n"
        self.web.faults.set("/indexlist.txt", Fault(status=200, body=text.encode()))

    def documents(self) -> int:
        with urllib.request.urlopen(f"{self.opensearch}/{self.name}.live/_count") as answer:
            return int(json.load(answer)["count"])


@pytest.fixture
def site(
    airflow_database: None,
    sites: Path,
    tmp_path_factory: pytest.TempPathFactory,
    opensearch_url: str,
    monkeypatch: pytest.MonkeyPatch,
    run_dag: Callable[..., Any],
    request: pytest.FixtureRequest,
) -> Iterator[Site]:
    """A site of six documents whose script now says that all are to go."""
    monkeypatch.setenv("SITE_INDEXER_OPENSEARCH_URL", opensearch_url)
    with running(tmp_path_factory.mktemp("demo")) as web:
        name = f"brake-{abs(hash(request.node.name)):x}"[:20]
        site = Site(name, web, opensearch_url, sites)
        site.say(*FIRST)
        assert run_dag(site.dag()).state == "success"
        assert site.documents() == 6
        site.say(*FIRST, *EMPTYING)
        yield site


def test_it_waits_says_what_would_go_and_later_runs_skip(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting = run_dag(site.dag())
    assert waiting.states["approve"] == "awaiting_input"
    asked = waiting.asked("approve")
    assert asked.subject == f"6 of 6 documents would go from {site.name}.live"
    assert f"6 by deletemask {site.web.url}/, line 10" in asked.body
    assert f"{site.web.url}/en/" in asked.body

    later = run_dag(site.dag())
    skipped = {**dict.fromkeys(later.states, "skipped"), "read_script": "success"}
    assert (later.states, later.state) == (skipped, "success")
    read = later.xcom("read_script")
    assert read["ends_as"] == "waiting-for-approval"
    assert waiting.run_id in read["summary"]
    assert site.documents() == 6


def test_rejected_all_stays_and_another_run_ends_red_without_asking(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting = run_dag(site.dag())
    waiting.answer("approve", "Reject")
    assert waiting.state == "failed"
    assert site.documents() == 6
    again = run_dag(site.dag())
    assert (again.states["approve"], again.state) == ("failed", "failed")
    again.clear("approve")
    assert again.states["approve"] == "awaiting_input"


def test_approved_they_go(site: Site, run_dag: Callable[..., Any]) -> None:
    waiting = run_dag(site.dag())
    waiting.answer("approve", "Approve")
    assert (waiting.state, waiting.xcom("result")["counts"]["removed"]) == ("success", 6)
    assert site.documents() == 0


def test_marked_green_nothing_goes_and_others_need_not_wait(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting = run_dag(site.dag())
    waiting.mark("approve", "success")
    assert (waiting.states["publish"], waiting.state) == ("failed", "failed")
    assert site.documents() == 6
    site.say(*FIRST, "date Thu, 08 Jan 2026 10:00:00 GMT", "delete {web}/en/")
    assert run_dag(site.dag()).state == "success"
    assert site.documents() == 5


def test_marked_as_failed_while_it_waits_the_next_run_goes_on(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting = run_dag(site.dag())
    waiting.mark_failed()
    assert (waiting.state, waiting.states["tidy"]) == ("failed", "skipped")
    site.say(*FIRST, "date Thu, 08 Jan 2026 10:00:00 GMT", "delete {web}/en/")
    after = run_dag(site.dag())
    assert (after.state, after.xcom("publish")["status"]) == ("success", "published")
    assert site.documents() == 5
    settings = Settings.from_environment({}, opensearch_url=site.opensearch)
    log = LogStore(build_collaborators(settings=settings).client).run(site.name, waiting.run_id)
    assert log is not None
    assert log.status == "failed"


def test_an_orphaned_question_does_not_stand_against_another_one(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting, operation = run_dag(site.dag()), "roll_back"
    waiting.mark_failed()
    asks = run_dag(build_operation_dag(operation, [site.name]), {"site": site.name})
    assert asks.states["approve"] == "awaiting_input"
    assert run_dag(site.dag()).xcom("read_script")["ends_as"] == "waiting-for-approval"
    asks.mark_failed()
    assert run_dag(site.dag()).states["approve"] == "awaiting_input"


def test_not_answered_in_time_nothing_goes_and_the_next_run_asks_again(
    site: Site, run_dag: Callable[..., Any]
) -> None:
    waiting = run_dag(site.dag())
    waiting.let_time_out("approve")
    assert waiting.state == "failed"
    assert site.documents() == 6
    assert run_dag(site.dag()).states["approve"] == "awaiting_input"
