"""The task that waits for a person: answered, not answered in time, marked by hand, cleared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest

from site_indexer.errors import RemovalsNotApprovedError, StoreUnreachableError
from site_indexer.orchestration.script_dag import RETRY_DELAY_VARIABLE, build_script_dag
from site_indexer.sites.definition import SiteDefinition

pytestmark = pytest.mark.airflow

QUESTION = {"subject": "6 of 6 documents would go from shop.live", "body": "* `6 by deletemask`"}


@pytest.fixture
def dag(definition: SiteDefinition, fakes: Any) -> Any:
    fakes.question = QUESTION
    return build_script_dag(definition, fakes)


def test_a_run_waits_with_what_would_go_and_where_it_says_more(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    assert run.states["approve"] == "awaiting_input"
    assert run.state == "running"
    assert "publish" not in fakes.calls
    asked = run.asked("approve")
    assert asked.subject == QUESTION["subject"]
    assert asked.body.startswith(QUESTION["body"])
    assert f"/dags/{dag.dag_id}/runs/{run.run_id}/tasks/review" in asked.body
    assert asked.options == ["Approve", "Reject"]


def test_its_link_to_the_log_goes_to_where_airflow_is(
    dag: Any, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFLOW__API__BASE_URL", "https://airflow.example.com/team/")
    run = run_dag(dag)
    *_, link = run.asked("approve").body.splitlines()
    place = f"/team/dags/{dag.dag_id}/runs/{run.run_id}/tasks/review"
    assert link == (f"[More of them are in the log of review](https://airflow.example.com{place})")


def test_an_approval_is_recorded_with_its_name_and_the_run_goes_on(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    run.answer("approve", "Approve", by="Ada")
    assert fakes.answers == [(True, "Ada")]
    assert run.state == "success"
    assert fakes.calls[-2:] == ["publish", "tidy"]


def test_a_rejection_is_recorded_and_ends_the_run_red_without_a_retry(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    run.answer("approve", "Reject", by="Ada")
    assert fakes.answers == [(False, "Ada")]
    assert (run.states["approve"], run.state) == ("failed", "failed")
    assert "publish" not in fakes.calls
    assert fakes.calls[-1] == "tidy"


def test_without_an_answer_in_time_the_run_ends_red_and_nobody_has_rejected(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    run.let_time_out("approve")
    assert (run.states["approve"], run.state) == ("failed", "failed")
    assert fakes.answers == []
    assert "publish" not in fakes.calls


def test_marking_it_green_is_no_answer(dag: Any, fakes: Any, run_dag: Callable[..., Any]) -> None:
    fakes.fail = {"publish": RemovalsNotApprovedError("nobody has agreed")}
    run = run_dag(dag)
    run.mark("approve", "success")
    assert fakes.answers == []
    assert (run.states["publish"], run.state) == ("failed", "failed")


def test_a_cleared_task_asks_again(dag: Any, fakes: Any, run_dag: Callable[..., Any]) -> None:
    run = run_dag(dag)
    run.answer("approve", "Reject")
    run.clear("review")
    assert run.states["approve"] == "awaiting_input"
    assert [call for call in fakes.calls if call.startswith("ask")] == ["ask", "ask again"]
    run.answer("approve", "Approve")
    assert run.state == "success"


def test_what_was_rejected_before_is_not_asked_again_by_itself(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.fail = {"ask": RemovalsNotApprovedError("rejected before")}
    run = run_dag(dag)
    assert (run.states["approve"], run.state) == ("failed", "failed")
    assert fakes.calls.count("ask") == 1


def test_it_waits_no_longer_than_its_question(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.answer_within = dt.timedelta(hours=72)
    asked = dt.datetime.now(dt.UTC)
    waits = run_dag(dag).waits_until("approve") - asked
    assert abs(waits - fakes.answer_within) < dt.timedelta(minutes=1)


def test_a_retry_does_not_ask_again_what_was_rejected(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(RETRY_DELAY_VARIABLE, "0.001")
    fakes.question = QUESTION
    fakes.fail = {"ask": StoreUnreachableError("503")}
    run = run_dag(build_script_dag(definition, fakes))
    assert run.tries["approve"] > 1
    assert {call for call in fakes.calls if call.startswith("ask")} == {"ask"}
    assert run.state == "failed"
    fakes.fail = {}
    run.clear("approve")
    assert fakes.calls[-1] == "ask again"
