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
from local_stack.following import FinishedRun, follow, wait_for_dag
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from tests.integration.indexing.conftest import remove_indexes, write_site

PROJECT = Path(__file__).parents[2]
START_WAIT_S = 180.0
RUN_WAIT_S = 180.0
SITES = ("first", "killed", "filled")
SCHEDULED = {"schedule": {"every": "24h", "base_time": "00:00"}}
"""More of the site file of "filled": ticks to backfill."""


@dataclass(frozen=True)
class ScheduledSite:
    """A demo site of its own, run by the scheduler."""

    site: str
    web: RunningSite
    api: AirflowApi
    collaborators: Collaborators

    @property
    def dag_id(self) -> str:
        return f"{self.site}_script"

    @property
    def variable(self) -> str:
        return f"site_indexer__{self.site}__live__watermark"

    def trigger(self, **conf: Any) -> str:
        return self.api.trigger(self.dag_id, conf)

    def follow(self, run_id: str) -> FinishedRun:
        return follow(self.api, self.dag_id, run_id, wait_seconds=RUN_WAIT_S)

    def run(self, **conf: Any) -> FinishedRun:
        return self.follow(self.trigger(**conf))

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
        more = SCHEDULED if name == "filled" else {}
        write_site(folder, f"{name}-{run_key}", f"{web.url}/indexlist.txt", f"{web.url}/", **more)
    return folder


@pytest.fixture(scope="session")
def alerts_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the deployment's notifier writes alerts, one a line."""
    return tmp_path_factory.mktemp("alerts") / "alerts"


@pytest.fixture(scope="session")
def airflow(
    tmp_path_factory: pytest.TempPathFactory,
    opensearch_url: str,
    sites_folder: Path,
    alerts_file: Path,
) -> Iterator[AirflowApi]:
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
        "SITE_INDEXER_OPENSEARCH_URL": opensearch_url,
        "SITE_INDEXER_SITES": str(sites_folder),
        "SITE_INDEXER_CRAWL_TURN_S": "5",
        "SITE_INDEXER_RETRY_DELAY_S": "5",
    }
    with AirflowStandalone(home, free_port(), environment) as standalone:
        standalone.wait_until_ready(START_WAIT_S)
        yield AirflowApi(standalone.url, *standalone.credentials())
    shutil.rmtree(home)


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
        site = ScheduledSite(f"{name}-{run_key}", websites[name], airflow, collaborators)
        wait_for_dag(airflow, site.dag_id, START_WAIT_S)
        airflow.unpause(site.dag_id)
        return site

    yield make
    for name in SITES:
        remove_indexes(collaborators, f"{name}-{run_key}")
