"""Airflow for tests: a metadata database made once, and runs without a scheduler."""

# ruff: noqa: E402 - Airflow reads its settings when it is imported

from __future__ import annotations

import atexit
import datetime as dt
import itertools
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import structlog
import yaml

PROJECT = Path(__file__).parents[2]
MEMORY = Path("/dev/shm")
HOME = Path(tempfile.mkdtemp(prefix="airflow-home-", dir=MEMORY if MEMORY.is_dir() else None))

atexit.register(shutil.rmtree, HOME, ignore_errors=True)

# Airflow reads these when it is first imported, so they are set before any test module is.
os.environ.update(
    {
        "AIRFLOW_HOME": str(HOME),
        "AIRFLOW__CORE__DAGS_FOLDER": str(PROJECT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(PROJECT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        # Else a Dag that another test wrote within half a minute is the one that a test meets.
        "AIRFLOW__CORE__MIN_SERIALIZED_DAG_UPDATE_INTERVAL": "0",
        "AIRFLOW__LOGGING__LOGGING_LEVEL": "INFO",
    }
)

from airflow import settings
from airflow.api.common.mark_tasks import set_dag_run_state_to_failed
from airflow.dag_processing.bundles.manager import DagBundlesManager
from airflow.dag_processing.dagbag import DagBag, sync_bag_to_db
from airflow.dag_processing.processor import _execute_dag_callbacks
from airflow.models.dagrun import DagRun
from airflow.models.hitl import HITLDetail
from airflow.models.serialized_dag import SerializedDagModel
from airflow.models.taskinstance import clear_task_instances
from airflow.models.trigger import handle_event_submit
from airflow.models.xcom import XComModel
from airflow.sdk import DAG, Context
from airflow.sdk.definitions.dag import _run_task
from airflow.triggers.base import TriggerEvent
from airflow.utils.db import initdb
from airflow.utils.state import DagRunState, TaskInstanceState
from airflow.utils.types import DagRunTriggeredByType, DagRunType
from sqlalchemy import select

from site_indexer.errors import SiteIndexerError
from site_indexer.index_script.model import Action
from site_indexer.indexing.model import (
    Planned,
    PublishOutcome,
    Reviewed,
    RunRequest,
    RunResult,
    RunStatus,
    ScriptRead,
)
from site_indexer.orchestration.steps import Step
from site_indexer.sites.definition import SiteDefinition

SITE_FILE = """\
id: {id}
name: Shop of shops
owner: team-shop
timezone: Europe/Paris
script: {{url: https://{id}.example.com/indexlist.txt}}
schedule: {{every: 6h, base_time: "02:30"}}
entry_points: [https://{id}.example.com/]
"""


@pytest.fixture(scope="session")
def airflow_database() -> None:
    """A migrated SQLite database in a folder of its own."""
    initdb()
    DagBundlesManager().sync_bundles_to_db()  # type: ignore[no-untyped-call]


_NUMBERS = itertools.count()


@pytest.fixture
def make_definition() -> Callable[..., SiteDefinition]:
    """Make the definition of a site of an id of its own; fields given replace the usual ones."""

    def make(**fields: Any) -> SiteDefinition:
        usual = yaml.safe_load(SITE_FILE.format(id=f"shop-{next(_NUMBERS)}"))
        return SiteDefinition.model_validate({**usual, **fields})

    return make


@pytest.fixture
def definition(make_definition: Callable[..., SiteDefinition]) -> SiteDefinition:
    """A scheduled site of an id of its own."""
    return make_definition()


@pytest.fixture
def sites(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of site files, the one that Dag files and tasks read."""
    monkeypatch.setenv("SITE_INDEXER_SITES", str(tmp_path))
    return tmp_path


@pytest.fixture
def add_site(sites: Path) -> Callable[[str], None]:
    """Write the file of a site."""

    def add(site: str) -> None:
        (sites / f"{site}.yaml").write_text(SITE_FILE.format(id=site))

    return add


@dataclass
class FakeUseCases:
    """Use cases that only take note of being called; ``fail`` maps a step to its error."""

    types: tuple[str, ...] = ("delete", "deletemask", "add", "update")
    has_work: bool = True
    ends_as: str = "unchanged"
    question: dict[str, Any] | None = None
    answer_within: dt.timedelta = dt.timedelta(hours=24)
    answers: list[tuple[bool, str]] = field(default_factory=list)
    fail: dict[str, Exception] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    requests: list[RunRequest] = field(default_factory=list)
    digests: set[str | None] = field(default_factory=set)
    concluded: list[RunResult] = field(default_factory=list)
    stale: dt.datetime | None = None

    def __call__(self) -> FakeUseCases:
        return self

    def _enter(self, step: str, request: RunRequest, digest: str | None = "d1") -> None:
        self.calls.append(step)
        self.requests.append(request)
        self.digests.add(digest)
        if step in self.fail:
            raise self.fail[step]

    def read_script(self, request: RunRequest) -> ScriptRead:

        self._enter("read_script", request)
        return ScriptRead(
            has_work=self.has_work,
            digest="d1" if self.has_work and not request.dry_run else None,
            summary="2 new blocks",
            script_url="https://shop.example.com/indexlist.txt",
            script_digest="abc",
            selected=2,
            skipped={"behind-watermark": 3},
            action_types=self.types,
            commands=dict.fromkeys(self.types, 1),
            watermark_before=None,
            watermark_after="2026-11-24T06:00:00Z",
            ends_as=self.ends_as,
        )

    def make_plan(self, request: RunRequest, digest: str | None) -> Planned:

        self._enter("plan", request, digest)
        return Planned(digest, self.types, dict.fromkeys(self.types, 1), "line  action\n3     add")

    def remove(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, int]:
        self._enter(action.value, request, digest)
        return {"commands": 1, "matched": 4}

    def crawl(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, Any]:
        self._enter(action.value, request, digest)
        return {"fetched": 5, "seconds": 0.5}

    def review(self, request: RunRequest, digest: str) -> Reviewed:

        self._enter("review", request, digest)
        return Reviewed(digest, {"fetched": 5}, "5 pages fetched", self.question)

    def ask(
        self, request: RunRequest, digest: str, question: Mapping[str, Any], *, again: bool
    ) -> dt.datetime:
        self._enter("ask again" if again else "ask", request, digest)
        return dt.datetime.now(dt.UTC) + self.answer_within

    def answer(self, request: RunRequest, digest: str, *, approved: bool, by: str) -> None:
        self._enter("answer", request, digest)
        self.answers.append((approved, by))

    def publish(self, request: RunRequest, digest: str) -> PublishOutcome:

        self._enter("publish", request, digest)
        return PublishOutcome(
            status=RunStatus.PUBLISHED,
            generation="shop.g-20261124t060000z",
            alias="shop.live",
            base="shop.g-20261123t060000z",
            documents_before=1,
            documents_after=6,
            written=5,
            removed=0,
            refused=0,
            rejected=0,
            watermark_before=None,
            watermark_after="2026-11-24T06:00:00Z",
            summary="Published",
        )

    def tidy(self, request: RunRequest) -> Mapping[str, Any]:
        self._enter("tidy", request)
        return {"removed": []}

    def stale_since(self, request: RunRequest) -> dt.datetime | None:
        return self.stale

    def conclude(self, request: RunRequest, result: RunResult) -> None:
        self.concluded.append(result)


@pytest.fixture
def fakes() -> FakeUseCases:
    return FakeUseCases()


def _stored(dag_id: str) -> Any:
    """The Dag as the scheduler reads it."""
    found = SerializedDagModel.get_dag(dag_id)
    if found is None:
        raise RuntimeError(f"{dag_id} is not in the database")
    return found


class Run:
    """A run of a Dag in this process, with a real metadata database and no scheduler."""

    def __init__(
        self,
        dag: DAG,
        *,
        conf: Mapping[str, Any] | None,
        run_type: str,
        logical_date: dt.datetime | None,
    ) -> None:

        self.dag = dag
        dag.relative_fileloc = "script_dags.py"
        self._bag = DagBag(dag_folder=os.devnull)
        self._bag.bag_dag(dag)
        sync_bag_to_db(self._bag, "dags-folder", None)
        self._scheduler_dag = _stored(dag.dag_id)
        self.run_id = f"{run_type}__{next(_NUMBERS)}"
        now = dt.datetime.now(dt.UTC)
        self._scheduler_dag.create_dagrun(
            run_id=self.run_id,
            logical_date=logical_date,
            data_interval=None if logical_date is None else (logical_date, logical_date),
            run_after=logical_date or now,
            conf=dict(conf or {}),
            run_type=DagRunType(run_type),
            state=DagRunState.RUNNING,
            triggered_by=DagRunTriggeredByType.TEST,
            triggering_user_name="tester",
            start_date=now,
            session=self._session(),
        )
        self._go()

    @property
    def dag_run(self) -> Any:
        """The run as it is in the database now."""

        chosen = select(DagRun).where(
            DagRun.dag_id == self.dag.dag_id, DagRun.run_id == self.run_id
        )
        run = self._session().scalar(chosen.execution_options(populate_existing=True))
        run.dag = self._scheduler_dag
        return run

    @property
    def states(self) -> dict[str, str]:
        """The state of each task."""
        return {ti.task_id: str(ti.state) for ti in self._task_instances()}

    @property
    def tries(self) -> dict[str, int]:
        """How often each task was tried."""
        return {ti.task_id: ti.try_number for ti in self._task_instances()}

    @property
    def state(self) -> str:
        """The state of the run."""
        return str(self.dag_run.state)

    def xcom(self, task_id: str, key: str = "return_value") -> Any:
        """What a task left."""

        row = (
            self._session()
            .scalars(
                XComModel.get_many(
                    run_id=self.run_id, dag_ids=self.dag.dag_id, task_ids=task_id, key=key
                )
            )
            .first()
        )
        return None if row is None else XComModel.deserialize_value(row)

    def clear(self, task_id: str) -> None:
        """Clear a task with what is downstream of it, as the UI does, and run what is due."""

        chosen = {task_id, *self.dag.get_task(task_id).get_flat_relative_ids(upstream=False)}
        cleared = [ti for ti in self._task_instances() if ti.task_id in chosen]
        clear_task_instances(cleared, self._session(), dag_run_state=DagRunState.RUNNING)
        self._session().commit()
        self._go()

    def asked(self, task_id: str) -> Any:
        """What a task that waits asks a person."""
        ti = self._instance(task_id)
        return self._session().scalar(select(HITLDetail).where(HITLDetail.ti_id == ti.id))

    def answer(self, task_id: str, option: str, by: str = "Ada") -> None:
        """Answer a task that waits, as Airflow's API does, and run what is due."""
        detail = self.asked(task_id)
        detail.chosen_options = [option]
        detail.params_input = {}
        detail.responded_at = dt.datetime.now(dt.UTC)
        detail.responded_by = {"id": by.lower(), "name": by}
        self._resume(task_id, detail.as_resume_event_payload())

    def let_time_out(self, task_id: str) -> None:
        """Let the time for an answer run out, as Airflow's scheduler does."""
        self._resume(task_id, {"error": "nobody answered", "error_type": "timeout"})

    def waits_until(self, task_id: str) -> dt.datetime:
        """When a task that waits is ended by Airflow."""
        until: dt.datetime = self._instance(task_id).trigger_timeout
        return until

    def mark_failed(self) -> None:
        """Mark the whole run as failed, as the UI does."""
        set_dag_run_state_to_failed(
            dag=self._scheduler_dag, run_id=self.run_id, commit=True, session=self._session()
        )
        self._session().commit()

    def mark(self, task_id: str, state: str) -> None:
        """Mark a task by hand, as the UI does, and run what is due."""
        self._instance(task_id).state = TaskInstanceState(state)
        self._go()

    def _resume(self, task_id: str, payload: dict[str, Any]) -> None:
        ti = self._instance(task_id)
        event = TriggerEvent(payload)  # type: ignore[no-untyped-call]
        handle_event_submit(event, task_instance=ti, session=self._session())
        self._session().commit()
        _run_task(ti=ti, task=self.dag.task_dict[task_id])
        self._go()

    def _instance(self, task_id: str) -> Any:
        return next(ti for ti in self._task_instances() if ti.task_id == task_id)

    def _task_instances(self) -> list[Any]:
        return list(self.dag_run.get_task_instances(session=self._session()))

    def _session(self) -> Any:

        if settings.Session is None:
            raise RuntimeError("Airflow has no database")
        return settings.Session()

    def _go(self) -> None:

        self._session().commit()
        while (run := self.dag_run).state == DagRunState.RUNNING:
            due, callback = run.update_state(session=self._session(), execute_callbacks=False)
            if callback is not None:
                # As the Dag processor does it.
                _execute_dag_callbacks(self._bag, callback, structlog.get_logger())
            if not due and "awaiting_input" in self.states.values():
                break
            for ti in due:
                if ti.state != TaskInstanceState.UP_FOR_RESCHEDULE:
                    ti.try_number += 1
                ti.state = TaskInstanceState.SCHEDULED
            self._session().commit()
            for ti in due:
                _run_task(ti=ti, task=self.dag.task_dict[ti.task_id])


@pytest.fixture
def run_dag(airflow_database: None) -> Callable[..., Run]:
    """Run a Dag to its end and give the run back."""

    def run(
        dag: DAG,
        conf: Mapping[str, Any] | None = None,
        *,
        run_type: str = "manual",
        logical_date: dt.datetime | None = None,
    ) -> Run:
        return Run(dag, conf=conf, run_type=run_type, logical_date=logical_date)

    return run


@pytest.fixture
def in_task(run_dag: Callable[..., Run]) -> Callable[[Callable[[], Any]], Any]:
    """Call a function inside a running task, give back what it returns or raises."""

    def call(function: Callable[[], Any]) -> Any:
        outcome: list[Any] = []

        def body(context: Context) -> dict[str, Any]:
            try:
                outcome.append(function())
            except SiteIndexerError as error:
                outcome.append(error)
            return {}

        with DAG(f"in_task_{next(_NUMBERS)}", schedule=None) as dag:
            Step(task_id="call", body=body, retries=0)
        run_dag(dag)
        [result] = outcome
        if isinstance(result, SiteIndexerError):
            raise result
        return result

    return call
