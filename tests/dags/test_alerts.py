"""Alerts: who is called when, and what they are told (docs/spec/05-index-lifecycle.md, 5.17)."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import structlog
from airflow.api_fastapi.core_api.datamodels.dag_run import DAGRunResponse
from airflow.sdk import BaseNotifier
from airflow.sdk.definitions.deadline import DeadlineAlert
from airflow.sdk.execution_time.callback_supervisor import execute_callback

from site_indexer.errors import ConfigurationError, RunFailedError, StoreUnreachableError
from site_indexer.orchestration import alerts
from site_indexer.orchestration.alerts import Alert, AlertedSite
from site_indexer.orchestration.notifying import NOTIFIERS_VARIABLE, configured_notifiers, send
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.definition import SiteDefinition
from tests.dags.kept_alerts import KeepingNotifier

pytestmark = pytest.mark.airflow

SITE = AlertedSite("shop", "Shop of shops", "team-shop")
HERE = "tests.dags.kept_alerts"
ARGUMENTS = {
    "to": "{{ alert.owner }}",
    "subject": "{{ alert.subject }}",
    "text": "{{ alert.kind }}: {{ alert.text }}",
}
KEEPING = {"notifier": f"{HERE}.KeepingNotifier", "arguments": ARGUMENTS}
FAILING = {"notifier": f"{HERE}.FailingNotifier"}
ALERTS = [
    alerts.failed(SITE, "r1", "add"),
    alerts.failed(SITE, "r1", None),
    alerts.waiting_for_approval(SITE, "r1"),
    alerts.held(SITE, "r1", "on hold since noon"),
    alerts.stale(SITE, "r1", "live", "2026-11-24T06:00:00Z", "1d"),
    alerts.overdue(SITE, "r1", "1d"),
]
NOON = dt.datetime(2026, 11, 24, 12, tzinfo=dt.UTC)


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, str]]]:
    """What the deployment's notifier was given."""
    monkeypatch.setenv(NOTIFIERS_VARIABLE, json.dumps([FAILING, KEEPING]))
    KeepingNotifier.kept.clear()
    yield KeepingNotifier.kept
    KeepingNotifier.kept.clear()


@pytest.mark.parametrize("alert", ALERTS, ids=lambda alert: alert.kind)
def test_each_alert_names_site_and_run_and_says_what_to_do(alert: Alert) -> None:
    assert alert.subject.startswith("shop: ")
    assert "r1" in alert.text
    assert "Shop of shops" in alert.text
    assert alert.owner == "team-shop"
    to_do = ("See ", "Open ", "release the hold", "Look at ")
    assert any(words in alert.text for words in to_do)


def test_there_is_something_to_do_for_each_task(definition: SiteDefinition) -> None:
    tasks = set(build_script_dag(definition).task_dict)
    assert tasks <= alerts.WHAT_TO_DO.keys()


def test_the_notifiers_of_the_deployment_get_the_alert_in_their_templates(
    kept: list[dict[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    send(ALERTS[0], {})
    [got] = kept
    assert got["to"] == "team-shop"
    assert got["subject"] == "shop: a run failed in the task add"
    assert got["text"].startswith("failed: Run r1 of Shop of shops (shop) failed in the task add. ")
    assert "ALERT shop: a run failed in the task add" in caplog.text


def test_without_a_notifier_an_alert_is_in_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv(NOTIFIERS_VARIABLE, raising=False)
    send(ALERTS[0], {})
    assert "ALERT shop" in caplog.text


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("no json", "is no JSON"),
        ("{}", "is no list"),
        ('["a.b"]', "has the entry"),
        ('[{"notifier": "Mail"}]', "has the entry"),
        ('[{"notifier": "a.b", "argments": {}}]', "unknown fields"),
        ('[{"notifier": "no.such.Module"}]', "cannot be made"),
        (json.dumps([{"notifier": f"{HERE}.KeepingNotifier"}]), "cannot be made"),
        ('[{"notifier": "builtins.dict"}]', "is no Airflow notifier"),
    ],
)
def test_a_setting_that_cannot_be_used_is_an_error_in_the_log_and_costs_no_run(
    setting: str, words: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        list(configured_notifiers({NOTIFIERS_VARIABLE: setting}))
    monkeypatch.setenv(NOTIFIERS_VARIABLE, setting)
    send(ALERTS[0], {})
    assert NOTIFIERS_VARIABLE in caplog.text


def test_airflows_own_mail_notifier_can_be_chosen() -> None:
    mail = {
        "notifier": "airflow.providers.smtp.notifications.smtp.SmtpNotifier",
        "arguments": {"to": "{{ alert.owner }}", "subject": "{{ alert.subject }}"},
    }
    [made] = configured_notifiers({NOTIFIERS_VARIABLE: json.dumps([mail])})
    assert isinstance(made, BaseNotifier)
    assert {"to", "subject", "html_content"} <= set(made.template_fields)


@pytest.mark.parametrize("step", ["read_script", "add", "publish"])
def test_a_failed_run_calls_once_and_names_the_task(
    step: str,
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    kept: list[dict[str, str]],
) -> None:
    fakes.fail = {step: RunFailedError("no good")}
    run = run_dag(build_script_dag(definition, fakes))
    assert run.state == "failed"
    [got] = kept
    assert got["subject"] == f"{definition.id}: a run failed in the task {step}"
    assert run.run_id in got["text"]
    assert alerts.WHAT_TO_DO[step] in got["text"]


def test_a_green_run_calls_nobody(
    definition: SiteDefinition, fakes: Any, run_dag: Callable[..., Any], kept: list[dict[str, str]]
) -> None:
    assert run_dag(build_script_dag(definition, fakes)).state == "success"
    assert kept == []


@pytest.mark.parametrize("fails", [False, True])
def test_blocks_that_wait_for_too_long_call_whatever_the_run_comes_to(
    fails: bool,
    make_definition: Callable[..., SiteDefinition],
    fakes: Any,
    run_dag: Callable[..., Any],
    kept: list[dict[str, str]],
) -> None:
    definition = make_definition(retries={"stale_after": "2h"})
    fakes.stale = NOON
    fakes.fail = {"read_script": RunFailedError("no good")} if fails else {}
    run_dag(build_script_dag(definition, fakes))
    first = kept[0]
    assert first["subject"] == f"{definition.id}: new blocks have waited since 2026-11-24T12:00:00Z"
    assert "longer than stale_after (2h) allows" in first["text"]
    assert len(kept) == 1 + fails


def test_where_it_cannot_be_known_whether_blocks_wait_the_run_goes_on(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreachable(request: object) -> None:
        raise StoreUnreachableError("away")

    monkeypatch.setattr(fakes, "stale_since", unreachable)
    assert run_dag(build_script_dag(definition, fakes)).state == "success"


def test_a_run_that_does_not_end_within_stale_after_calls(
    make_definition: Callable[..., SiteDefinition],
    fakes: Any,
    run_dag: Callable[..., Any],
    kept: list[dict[str, str]],
) -> None:
    dag = build_script_dag(make_definition(retries={"stale_after": "3h"}), fakes)
    [deadline] = cast(list[DeadlineAlert], dag.deadline)
    assert deadline.interval == dt.timedelta(hours=3)
    run = run_dag(dag)
    # As the scheduler hands it to the executor, and that to the callback's process.
    told = {"dag_run": DAGRunResponse.model_validate(run.dag_run).model_dump(mode="json")}
    arguments = {**deadline.callback.kwargs, "context": told}
    done, error = execute_callback(
        deadline.callback.path, arguments, Path("site_scripts.py"), None, structlog.get_logger()
    )
    assert done, error
    [got] = kept
    assert got["subject"].endswith(": a run does not end")
    assert run.run_id in got["text"]
    assert "3h ago" in got["text"]


def test_a_run_that_waits_for_an_answer_calls_somebody(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    kept: list[dict[str, str]],
) -> None:
    fakes.question = {"subject": "6 of 6 documents would go", "body": "* `6`"}
    run = run_dag(build_script_dag(definition, fakes))
    assert run.states["approve"] == "awaiting_input"
    [got] = kept
    assert "removals wait for an answer" in got["subject"]


def test_a_run_that_is_skipped_as_its_target_is_on_hold_calls_somebody(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    kept: list[dict[str, str]],
) -> None:
    fakes.has_work, fakes.ends_as = False, "held"
    assert run_dag(build_script_dag(definition, fakes)).state == "success"
    [got] = kept
    assert "on hold" in got["subject"]
