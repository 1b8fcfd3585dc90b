"""One Airflow with a real scheduler, for all tests here; each test has a site of its own."""

from __future__ import annotations

import datetime as dt
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from demo_site.server import RunningSite, running
from local_stack.airflow_api import AirflowApi
from local_stack.airflow_process import AirflowStandalone, free_port
from local_stack.errors import AirflowRefusedError
from local_stack.following import FinishedRun, follow, wait_for_dag
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from tests.end_to_end.held_store import HeldStore, held_store
from tests.end_to_end.scheduler import Scheduler
from tests.end_to_end.waiting import RUN_WAIT_S, wait_for
from tests.integration.indexing.conftest import Workbench, remove_indexes, write_site

PROJECT = Path(__file__).parents[2]
START_WAIT_S = 180.0
SITES = ("first", "killed", "filled", "cut-off", "cleared", "together", "late")
TICKS = {"schedule": {"every": "24h", "base_time": "00:00"}}
MUCH_MAY_GO = {"brake": {"max_removed": "100%", "max_commanded": "100%"}}
"""For scripts that remove most of a few pages, which the brake would ask about."""
MORE: dict[str, dict[str, Any]] = {
    "filled": TICKS,
    "cut-off": MUCH_MAY_GO,
    "cleared": MUCH_MAY_GO,
    "together": TICKS | MUCH_MAY_GO,
    "late": {"retries": {"stale_after": "5s"}},
}
"""More of their site files."""

SOON_MISSED = {
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_SEC": "2",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
    "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
    "AIRFLOW__SCHEDULER__SCHEDULER_HEALTH_CHECK_THRESHOLD": "15",
    "AIRFLOW__SCHEDULER__ORPHANED_TASKS_CHECK_INTERVAL": "5",
}
"""Dead tasks and schedulers are noticed sooner than minutes after their death."""


@dataclass(frozen=True)
class ScheduledSite:
    """A demo site of its own, run by the scheduler."""

    site: str
    web: RunningSite
    api: AirflowApi
    collaborators: Collaborators
    opensearch_url: str

    @property
    def bench(self) -> Workbench:
        """Its pages and indexes; its own ``watermark`` and runs are those of the shell."""
        return Workbench(self.site, self.web, self.collaborators, self.opensearch_url)

    def undisturbed(self, folder: Path) -> Workbench:
        """Another site of the same pages after one run, which nothing has disturbed."""
        settings = Settings.from_environment(
            {}, sites_dir=folder, opensearch_url=self.opensearch_url
        )
        collaborators = build_collaborators(settings=settings)
        bench = Workbench(f"{self.site}-calm", self.web, collaborators, self.opensearch_url)
        bench.let_much_go()
        bench.run()
        return bench

    @property
    def dag_id(self) -> str:
        return f"{self.site}_script"

    @property
    def variable(self) -> str:
        return f"site_indexer__{self.site}__live__watermark"

    def trigger(self, **conf: Any) -> str:
        return self.api.trigger(self.dag_id, conf)

    def queue_backfill(self, from_: str, to: str, **more: Any) -> None:
        """Create a backfill of the ticks from ``from_`` to ``to``, and pause the Dag.

        With SQLite Airflow refuses it where another process writes, takes its runs back, and the
        scheduler dies where it has begun them meanwhile.
        """
        body = {"dag_id": self.dag_id, "from_date": from_, "to_date": to, **more}
        self.api.pause(self.dag_id)

        def is_created() -> bool:
            try:
                self.api.call("POST", "/backfills", body)
            except AirflowRefusedError as error:
                if "Database is locked" not in str(error):
                    raise
                return False
            return True

        wait_for("Airflow takes the backfill", is_created)

    def queued_runs(self) -> list[str]:
        return [run["dag_run_id"] for run in self._runs() if run["state"] == "queued"]

    def runs_of_schedule(self) -> list[str]:
        return [run["dag_run_id"] for run in self._runs() if run["run_type"] == "scheduled"]

    def _runs(self) -> list[dict[str, Any]]:
        listed = self.api.call("GET", f"/dags/{self.dag_id}/dagRuns?limit=50")["dag_runs"]
        return list(listed)

    def follow(self, run_id: str) -> FinishedRun:
        return follow(self.api, self.dag_id, run_id, wait_seconds=RUN_WAIT_S)

    def task(self, run_id: str, task_id: str) -> dict[str, Any]:
        """All that Airflow says of a task of a run."""
        return self.api.call("GET", f"/dags/{self.dag_id}/dagRuns/{run_id}/taskInstances/{task_id}")

    def run(self, **conf: Any) -> FinishedRun:
        return self.follow(self.trigger(**conf))

    def errors_of(self, run: FinishedRun) -> dict[str, list[str]]:
        """The ends of the logs of a run's tasks that have failed, by task."""
        failed = [task for task, state in run.tasks.items() if state == "failed"]
        tries = {task: self.task(run.run_id, task)["try_number"] for task in failed}
        return {
            task: self.api.task_log(self.dag_id, run.run_id, task, tries[task])[-10:]
            for task in failed
        }

    def documents(self, target: Target = Target.LIVE) -> dict[str, dict[str, Any]]:
        listed = inspection.documents(self.collaborators, self.site, target=target, mask=None)
        return {document["url"]: document for document in listed}

    def watermark(self) -> dt.datetime | None:
        value = self.api.variable(self.variable)
        return None if value is None else dt.datetime.fromisoformat(value)


@pytest.fixture(scope="session")
def run_key() -> str:
    """What tells the sites of this test run from those of others on the same OpenSearch."""
    return secrets.token_hex(3)


@pytest.fixture(scope="session")
def websites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, RunningSite]]:
    folder = tmp_path_factory.mktemp("websites")
    with ExitStack() as stack:
        yield {name: stack.enter_context(running(folder / name)) for name in SITES}


@pytest.fixture(scope="session")
def sites_folder(
    tmp_path_factory: pytest.TempPathFactory, websites: dict[str, RunningSite], run_key: str
) -> Path:
    folder = tmp_path_factory.mktemp("sites")
    for name, web in websites.items():
        more = MORE.get(name, {})
        write_site(folder, f"{name}-{run_key}", f"{web.url}/indexlist.txt", f"{web.url}/", **more)
    return folder


@pytest.fixture(scope="session")
def alerts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the deployment's notifier writes alerts, one a line."""
    return tmp_path_factory.mktemp("alerts") / "alerts"


@pytest.fixture(scope="session")
def store(opensearch_url: str) -> Iterator[HeldStore]:
    """The OpenSearch that Airflow's tasks use."""
    with held_store(opensearch_url) as store:
        yield store


@pytest.fixture(scope="session")
def standalone(
    tmp_path_factory: pytest.TempPathFactory,
    store: HeldStore,
    sites_folder: Path,
    alerts_file: Path,
) -> Iterator[AirflowStandalone]:
    home = tmp_path_factory.mktemp("airflow")
    notifier = {
        "notifier": "tests.end_to_end.file_notifier.FileNotifier",
        "arguments": {
            "path": str(alerts_file),
            "subject": "{{ alert.subject }}",
            "text": "{{ alert.text }}",
        },
    }
    environment = {
        "PYTHONPATH": os.pathsep.join([str(PROJECT / "include"), str(PROJECT)]),
        "SITE_INDEXER_NOTIFIERS": json.dumps([notifier]),
        "SITE_INDEXER_OPENSEARCH_URL": store.url,
        "SITE_INDEXER_SITES": str(sites_folder),
        "SITE_INDEXER_CRAWL_TURN_S": "2",
        "SITE_INDEXER_RETRY_DELAY_S": "2",
        **SOON_MISSED,
    }
    with AirflowStandalone(home, free_port(), environment) as standalone:
        standalone.wait_until_ready(START_WAIT_S)
        yield standalone
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def airflow(standalone: AirflowStandalone) -> AirflowApi:
    return AirflowApi(standalone.url, *standalone.credentials())


@pytest.fixture(scope="session")
def scheduler(standalone: AirflowStandalone) -> Iterator[Scheduler]:
    scheduler = Scheduler(standalone)
    yield scheduler
    scheduler.stop()


@pytest.fixture
def scheduled_site(
    airflow: AirflowApi,
    websites: dict[str, RunningSite],
    sites_folder: Path,
    opensearch_url: str,
    run_key: str,
) -> Iterator[Callable[[str], ScheduledSite]]:
    settings = Settings.from_environment({}, sites_dir=sites_folder, opensearch_url=opensearch_url)
    collaborators = build_collaborators(settings=settings)

    def make(name: str) -> ScheduledSite:
        site = ScheduledSite(
            f"{name}-{run_key}", websites[name], airflow, collaborators, opensearch_url
        )
        wait_for_dag(airflow, site.dag_id, START_WAIT_S)
        airflow.unpause(site.dag_id)
        return site

    yield make
    for name in SITES:
        for site in (f"{name}-{run_key}", f"{name}-{run_key}-calm"):
            remove_indexes(collaborators, site)
