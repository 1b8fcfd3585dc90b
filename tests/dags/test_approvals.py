"""The task that waits for a person: answered, not answered in time, marked by hand, cleared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from site_indexer.errors import RemovalsNotApprovedError
from site_indexer.orchestration.script_dag import build_script_dag
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


def test_it_waits_as_long_as_the_site_file_says(make_definition: Callable[..., Any]) -> None:
    definition = make_definition(brake={"answer_within": "2h"})
    dag: Any = build_script_dag(definition)
    assert dag.get_task("approve").response_timeout == definition.brake.answer_within
