from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from airflow.sdk.exceptions import AirflowRescheduleException

from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.orchestration import script_tasks
from site_indexer.orchestration.script_tasks import ScriptTasks, request_in_words
from site_indexer.planning.model import Window
from site_indexer.sites.definition import SiteDefinition

NOW = dt.datetime(2026, 11, 24, 6, tzinfo=dt.UTC)
ALL_DAY = {"every": "6h", "maintenance": ["00:00-12:00", "12:00-00:00"]}


def a_context() -> Any:
    run = SimpleNamespace(
        run_id="r", run_type="manual", start_date=NOW, run_after=NOW, clear_number=0, conf={},
        logical_date=None,
    )  # fmt: skip
    kept: dict[str, Any] = {}

    def push(key: str, value: Any) -> None:
        kept[key] = value

    def pull(task_ids: str, key: str = "return_value") -> Any:
        return kept.get(key)

    ti = SimpleNamespace(xcom_push=push, xcom_pull=pull)
    return {"dag_run": run, "params": {}, "ti": ti}


def test_in_maintenance_hours_a_run_waits_for_their_end(
    make_definition: Callable[..., SiteDefinition], fakes: Any
) -> None:
    tasks = ScriptTasks(make_definition(schedule=ALL_DAY), fakes)
    context = a_context()
    for task in (tasks.read_script, tasks.add, tasks.update):
        with pytest.raises(AirflowRescheduleException) as waiting:
            task(context)
        assert waiting.value.reschedule_date > dt.datetime.now(dt.UTC)
    assert fakes.calls == []


def test_what_a_run_is_asked_for_is_one_line() -> None:
    request = RunRequest(
        site="shop", target=Target.STAGED, run_id="r", now=NOW, clear_number=2, dry_run=True,
        window=Window(from_=NOW - dt.timedelta(hours=6), to=NOW),
    )  # fmt: skip
    assert request_in_words(request) == (
        "Script run of shop, target staged; blocks from 2026-11-24T00:00:00Z to before "
        "2026-11-24T06:00:00Z; the watermark stays; dry run; cleared 2 times"
    )


def test_a_long_table_is_cut_off_in_the_result_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(script_tasks, "MAX_TABLE_LINES", 2)
    assert script_tasks._shortened("a\nb\nc\nd") == "a\nb\n... 2 more lines are in the log"
    assert script_tasks._shortened("a\nb") == "a\nb"
