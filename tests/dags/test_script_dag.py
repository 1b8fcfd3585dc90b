from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from site_indexer.errors import CrawlTurnTakenError, RunFailedError, StoreUnreachableError
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.definition import SiteDefinition

pytestmark = pytest.mark.airflow

ACTIONS = ("delete", "deletemask", "add", "update")
ALWAYS = ("read_script", "plan", "branch", "review", "approve", "publish", "tidy", "result")
CALLS = ("read_script", "plan", *ACTIONS, "review", "publish", "tidy")
SUBSETS = [(), *((action,) for action in ACTIONS), ("delete", "update"), ACTIONS]


@pytest.fixture
def dag(definition: SiteDefinition, fakes: Any) -> Any:
    return build_script_dag(definition, fakes)


def everything(*, but: dict[str, str] | None = None) -> dict[str, str]:
    return {**dict.fromkeys((*ALWAYS, *ACTIONS), "success"), **(but or {})}


@pytest.mark.parametrize("types", SUBSETS, ids=lambda types: "+".join(types) or "rules-only")
def test_only_types_with_work_are_run(
    types: tuple[str, ...], dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.types = types
    run = run_dag(dag)
    assert run.states == everything(but=dict.fromkeys(set(ACTIONS) - set(types), "skipped"))
    assert run.state == "success"
    assert sorted(fakes.calls) == sorted(set(CALLS) - (set(ACTIONS) - set(types)))
    assert fakes.digests == {"d1"}


def test_a_crawl_of_updates_waits_for_the_crawl_of_additions(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run_dag(dag)
    assert fakes.calls.index("add") < fakes.calls.index("update")


def test_without_anything_new_the_rest_is_skipped_and_the_run_is_green(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.has_work = False
    run = run_dag(dag)
    assert run.states == {**dict.fromkeys(run.states, "skipped"), "read_script": "success"}
    assert run.state == "success"
    assert fakes.calls == ["read_script"]


def test_a_cleared_task_of_a_run_without_anything_new_publishes_nothing(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.has_work = False
    run = run_dag(dag)
    run.clear("review")
    assert run.state == "success"
    assert run.states["review"] == run.states["publish"] == "skipped"
    assert fakes.calls == ["read_script", "tidy"]


def test_a_dry_run_ends_after_the_plan_and_gives_it_as_its_result(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag, {"dry_run": True})
    done = dict.fromkeys(("read_script", "plan"), "success")
    assert run.states == {**dict.fromkeys(run.states, "skipped"), **done}
    assert run.state == "success"
    assert fakes.calls == ["read_script", "plan"]
    assert all(request.dry_run for request in fakes.requests)
    assert "add" in run.xcom("plan")["table"]


def test_a_dry_run_without_anything_new_says_so_by_its_plan(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.has_work = False
    run = run_dag(dag, {"dry_run": True})
    assert (run.states["plan"], run.states["branch"], run.state) == (
        "success", "skipped", "success",
    )  # fmt: skip
    assert run.xcom("plan")["table"] is not None


def test_only_a_dry_run_leaves_its_table_behind(dag: Any, run_dag: Callable[..., Any]) -> None:
    assert run_dag(dag).xcom("plan")["table"] is None


@pytest.mark.parametrize("step", CALLS)
def test_a_failed_task_is_red_at_once_and_green_once_cleared_with_what_follows(
    step: str, dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    fakes.fail = {step: RunFailedError("no good")}
    run = run_dag(dag)
    assert run.states[step] == "failed"
    assert run.states["result"] == "upstream_failed"
    assert run.state == "failed"
    assert fakes.calls.count(step) == 1
    assert fakes.calls[-1] == "tidy"

    fakes.fail = {}
    run.clear(step)
    assert run.states == everything()
    assert run.state == "success"


def test_a_transient_error_is_left_to_the_retries(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    for task in dag.tasks:
        task.retry_delay = dt.timedelta(0)
    fakes.fail = {"add": StoreUnreachableError("away")}
    run = run_dag(dag)
    assert run.states["add"] == "failed"
    assert fakes.calls.count("add") == 4


def test_where_the_crawl_turn_is_taken_the_task_comes_back_without_using_up_a_retry(
    dag: Any, fakes: Any, run_dag: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_INDEXER_CRAWL_TURN_S", "0")
    dag.get_task("add").retries = 0
    asked = itertools.count()
    crawl = fakes.crawl

    def taken_twice(request: Any, digest: str, action: Any) -> Any:
        if action == "add" and next(asked) < 2:
            raise CrawlTurnTakenError("The turn is taken.")
        return crawl(request, digest, action)

    monkeypatch.setattr(fakes, "crawl", taken_twice)
    run = run_dag(dag)
    assert run.state == "success"
    assert next(asked) == 3


def test_a_task_cleared_on_its_own_works_on_the_plan_of_the_tasks_that_were_not(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    first = fakes.requests[0]
    run.clear("publish")
    assert run.dag_run.clear_number == 1
    assert set(map(repr, fakes.requests)) == {repr(first)}
    assert first.clear_number == 0


def test_a_run_cleared_as_a_whole_is_another_plan(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag)
    run.clear("read_script")
    first, last = fakes.requests[0], fakes.requests[-1]
    assert (first.clear_number, last.clear_number) == (0, 1)
    assert last.now > first.now


def test_a_run_with_an_option_that_does_not_exist_is_refused_and_changes_nothing(
    dag: Any, fakes: Any, run_dag: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    run = run_dag(dag, {"dryrun": True})
    assert run.states["read_script"] == "failed"
    assert run.state == "failed"
    assert fakes.calls == []
    assert run.states["tidy"] == "success"


def test_a_backfill_takes_the_window_up_to_its_tick_and_stages(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    tick = dt.datetime(2026, 6, 2, 0, 30, tzinfo=dt.UTC)
    run = run_dag(dag, run_type="backfill", logical_date=tick)
    assert run.state == "success"
    request = fakes.requests[-1]
    assert request.window.to == tick
    assert request.window.from_ == tick - dt.timedelta(hours=6)
    assert request.target == "staged"


def test_a_window_of_the_form_reaches_the_first_task(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    window = {"from": "2026-06-01T00:00:00+02:00", "to": "2026-06-02T00:00:00Z"}
    run = run_dag(dag, window)
    assert run.state == "success"
    request = fakes.requests[-1]
    assert request.window.from_ == dt.datetime(2026, 5, 31, 22, tzinfo=dt.UTC)
    assert request.window.to == dt.datetime(2026, 6, 2, tzinfo=dt.UTC)
    assert request.target == "live"


def test_half_a_window_is_refused_in_the_first_task(
    dag: Any, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(dag, {"from": "2026-06-01T00:00:00Z"})
    assert run.states["read_script"] == "failed"
    assert fakes.calls == []


def test_the_result_sums_the_run_up(dag: Any, fakes: Any, run_dag: Callable[..., Any]) -> None:
    result = run_dag(dag).xcom("result")
    assert [each.generation for each in fakes.concluded] == [result["generation"]]
    assert result["status"] == "published"
    assert result["generation"] == "shop.g-20261124t060000z"
    assert result["counts"] == {
        "fetched": 5, "indexed": 5, "removed": 0, "refused_by_newer": 0, "rejected": 0,
        "documents": 6,
    }  # fmt: skip
