"""The demo site through the real Dag, the real use cases and a real OpenSearch."""

from __future__ import annotations

import datetime as dt
import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from airflow.dag_processing.dagbag import DagBag
from airflow.models.taskinstance import TaskInstance
from airflow.models.variable import Variable
from airflow.utils.session import create_session
from sqlalchemy import select

from demo_site.server import RunningSite, running

pytestmark = [pytest.mark.airflow, pytest.mark.opensearch]

DAGS = Path(__file__).parents[2] / "dags"
SITE = "dag-demo"
KEY = f"site_indexer__{SITE}__live__watermark"
SITE_FILE = """\
id: {site}
name: Cabo Lirio
owner: observatory
timezone: Europe/Madrid
script: {{url: {url}/indexlist.txt}}
schedule: {{every: 6h, base_time: "02:30"}}
entry_points: [{url}/]
crawl: {{delay: 0s, allow_networks: [127.0.0.0/8]}}
extract: {{content: [main]}}
index: {{replicas: 0}}
"""


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    with running(tmp_path_factory.mktemp("demo")) as site:
        yield site


@pytest.fixture
def trigger(
    airflow_database: None,
    sites: Path,
    demo: RunningSite,
    opensearch_url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., dict[str, str]]:
    """Run the demo site's Dag and give the states of the run and of its tasks."""
    monkeypatch.setenv("SITE_INDEXER_OPENSEARCH_URL", opensearch_url)
    (sites / f"{SITE}.yaml").write_text(SITE_FILE.format(site=SITE, url=demo.url))

    def run(**conf: Any) -> dict[str, str]:
        # Read anew for each run, as each task does: a run's options stay in the Dag of a process.
        dag: Any = DagBag(dag_folder=str(DAGS)).dags[f"{SITE}_script"]
        # dag.test() of Airflow 3.3 makes no runs of Dags that have one.
        dag.deadline = None
        done = dag.test(run_conf=conf)
        with create_session() as session:
            tasks = session.scalars(
                select(TaskInstance).where(TaskInstance.run_id == done.run_id)
            ).all()
            return {"run": str(done.state), **{task.task_id: str(task.state) for task in tasks}}

    return run


@pytest.fixture
def documents(opensearch_url: str) -> Callable[[], int]:
    """How many documents searchers see."""

    def count() -> int:
        with urllib.request.urlopen(f"{opensearch_url}/{SITE}.live/_count") as answer:
            return int(json.load(answer)["count"])

    return count


def watermark() -> str | None:
    with create_session() as session:
        stored = session.scalar(select(Variable).where(Variable.key == KEY))
        return None if stored is None else str(stored.get_val())


def test_a_site_is_indexed_then_left_alone_then_brought_up_to_date(
    trigger: Callable[..., dict[str, str]], documents: Callable[[], int], demo: RunningSite
) -> None:
    dry = trigger(dry_run=True)
    assert (dry["run"], dry["plan"], dry["add"]) == ("success", "success", "skipped")
    assert watermark() is None

    first = trigger()
    assert first["run"] == first["publish"] == first["result"] == "success"
    indexed, date = documents(), watermark()
    assert indexed > 20
    assert date is not None

    requests = len(demo.requests.all())
    again = trigger()
    assert again == {**dict.fromkeys(again, "skipped"), "run": "success", "read_script": "success"}
    assert documents() == indexed
    assert watermark() == date
    assert {access.path for access in demo.requests.all()[requests:]} == {"/indexlist.txt"}

    demo.change(dt.datetime.now(dt.UTC) + dt.timedelta(minutes=1))
    changed = trigger()
    assert changed["run"] == changed["publish"] == "success"
    assert str(watermark()) > date

    cleared = trigger(clear_date=True)
    assert cleared["run"] == cleared["publish"] == "success"
