"""What tasks learn of other runs: who has ended asks nobody any more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowRuntimeError, ErrorType
from airflow.sdk.execution_time.comms import ErrorResponse
from airflow.sdk.execution_time.task_runner import RuntimeTaskInstance

from site_indexer.orchestration.airflow_runs import AirflowRuns
from site_indexer.orchestration.operation_dags import build_operation_dag
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.definition import SiteDefinition
from tests.dags.test_operation_dags import QUESTION, FakeOperations

pytestmark = pytest.mark.airflow


@pytest.fixture
def has_ended(in_task: Callable[[Callable[[], Any]], Any]) -> Callable[[str, str], bool]:
    def ask(site: str, run_id: str) -> bool:
        ended: bool = in_task(lambda: AirflowRuns().has_ended(site, run_id))
        return ended

    return ask


def test_a_run_has_ended_once_it_is_green_red_or_marked_so(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    has_ended: Callable[[str, str], bool],
) -> None:
    done = run_dag(build_script_dag(definition, fakes))
    fakes.question = QUESTION
    waits = run_dag(build_script_dag(definition, fakes))
    assert has_ended(definition.id, done.run_id)
    assert not has_ended(definition.id, waits.run_id)
    waits.mark_failed()
    assert has_ended(definition.id, waits.run_id)


def test_runs_of_operations_are_known_by_their_dag_as_well(
    run_dag: Callable[..., Any], has_ended: Callable[[str, str], bool]
) -> None:
    operations = FakeOperations(question=QUESTION)
    waits = run_dag(build_operation_dag("push_live", ["docs"], operations), {"site": "docs"})
    run_id = f"site_indexer_push_live/{waits.run_id}"
    assert not has_ended("docs", run_id)
    waits.mark_failed()
    assert has_ended("docs", run_id)


def test_a_run_of_a_shell_is_not_known_to_have_ended(
    has_ended: Callable[[str, str], bool],
) -> None:
    assert not has_ended("docs", "shell__20261124T060000Z_abc123")


@pytest.mark.parametrize(("status", "ended"), [(404, True), (500, False)])
def test_a_deleted_run_has_ended_and_where_airflow_does_not_answer_none_is_known_to(
    status: int,
    ended: bool,
    has_ended: Callable[[str, str], bool],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The supervisor of a test hands on other errors than that of a real task.
    def refused(dag_id: str, run_id: str) -> str:
        detail = {"status_code": status, "message": "as the supervisor says it"}
        raise AirflowRuntimeError(ErrorResponse(error=ErrorType.API_SERVER_ERROR, detail=detail))

    monkeypatch.setattr(RuntimeTaskInstance, "get_dagrun_state", staticmethod(refused))
    assert has_ended("docs", "manual__1") is ended
