from __future__ import annotations

import datetime as dt
import itertools
from collections.abc import Callable
from typing import Any

import pytest
from airflow.models.variable import Variable as StoredVariable
from airflow.sdk import Variable
from airflow.sdk.exceptions import AirflowRuntimeError, ErrorType
from airflow.sdk.execution_time.comms import ErrorResponse
from airflow.sdk.execution_time.secrets.execution_api import ExecutionAPISecretsBackend
from airflow.utils.session import create_session

from site_indexer.errors import ConfigurationError
from site_indexer.index_store.names import Target
from site_indexer.orchestration.watermark_variable import (
    VariableWatermarks,
    WatermarkUnreadableError,
    variable_key,
)

pytestmark = pytest.mark.airflow

InTask = Callable[[Callable[[], Any]], Any]
MORNING = dt.datetime(2026, 11, 24, 6, tzinfo=dt.UTC)
NUMBERS = itertools.count()


@pytest.fixture
def site() -> str:
    return f"wm-{next(NUMBERS)}"


def get(site: str, target: Target = Target.LIVE) -> dt.datetime | None:
    return VariableWatermarks().get(site, target)


def store(site: str, text: str) -> None:
    Variable.set(variable_key(site, Target.LIVE), text)


def test_the_variable_is_named_for_site_and_target() -> None:
    assert variable_key("shop", Target.STAGED) == "site_indexer__shop__staged__watermark"
    assert VariableWatermarks().place("shop", Target.LIVE) == (
        "Airflow Variable site_indexer__shop__live__watermark"
    )


def test_without_a_variable_there_is_no_watermark(site: str, in_task: InTask) -> None:
    assert in_task(lambda: get(site)) is None


def test_what_is_set_is_read_back_and_is_readable_by_a_person(site: str, in_task: InTask) -> None:
    def set_and_read() -> tuple[Any, Any, Any]:
        VariableWatermarks().set(site, Target.LIVE, MORNING)
        text = Variable.get(variable_key(site, Target.LIVE))
        return get(site), text, get(site, Target.STAGED)

    assert in_task(set_and_read) == (MORNING, "2026-11-24T06:00:00Z", None)


def test_the_variable_says_what_it_is(site: str, in_task: InTask) -> None:
    in_task(lambda: VariableWatermarks().set(site, Target.LIVE, MORNING))
    with create_session() as session:
        key = variable_key(site, Target.LIVE)
        stored = session.query(StoredVariable).filter(StoredVariable.key == key).one()
        description = str(stored.description)
    assert "Clear Date" in description
    assert site in description


def test_cleared_it_is_gone_and_clearing_twice_is_no_error(site: str, in_task: InTask) -> None:
    def clear() -> dt.datetime | None:
        VariableWatermarks().set(site, Target.LIVE, MORNING)
        VariableWatermarks().clear(site, Target.LIVE)
        VariableWatermarks().clear(site, Target.LIVE)
        return get(site)

    assert in_task(clear) is None


@pytest.mark.parametrize(
    "text",
    ["2026-11-24T06:00:00Z", " 2026-11-24T06:00:00Z\n", "2026-11-24T07:00:00+01:00"],
)
def test_a_date_that_a_person_wrote_is_taken(text: str, site: str, in_task: InTask) -> None:
    def read() -> dt.datetime | None:
        store(site, text)
        return get(site)

    assert in_task(read) == MORNING


@pytest.mark.parametrize("text", ["yesterday", "", "24.11.2026", "2026-11-24T06:00:00"])
def test_a_value_that_is_no_utc_date_names_variable_and_form(
    text: str, site: str, in_task: InTask
) -> None:
    def read() -> None:
        store(site, text)
        get(site)

    with pytest.raises(ConfigurationError) as refused:
        in_task(read)
    assert variable_key(site, Target.LIVE) in str(refused.value)
    assert repr(text) in str(refused.value)
    assert "2026-11-24T06:00:00Z" in str(refused.value)


def test_a_write_that_the_environment_shadows_fails_with_that_reason(
    site: str, in_task: InTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"AIRFLOW_VAR_{variable_key(site, Target.LIVE).upper()}"
    monkeypatch.setenv(name, "2020-01-01T00:00:00Z")
    with pytest.raises(ConfigurationError, match=name):
        in_task(lambda: VariableWatermarks().set(site, Target.LIVE, MORNING))


def test_a_clear_that_the_environment_undoes_fails_with_that_reason(
    site: str, in_task: InTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"AIRFLOW_VAR_{variable_key(site, Target.LIVE).upper()}"
    monkeypatch.setenv(name, "2020-01-01T00:00:00Z")
    with pytest.raises(ConfigurationError, match=name):
        in_task(lambda: VariableWatermarks().clear(site, Target.LIVE))


def test_a_variable_that_airflow_does_not_give_is_not_taken_for_absent(
    site: str, in_task: InTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_task(lambda: VariableWatermarks().set(site, Target.LIVE, MORNING))
    # What a task sees of an API server that answers with an error.
    monkeypatch.setattr(ExecutionAPISecretsBackend, "get_variable", lambda *_, **__: None)
    with pytest.raises(WatermarkUnreadableError, match="exists"):
        in_task(lambda: get(site))


def test_without_a_list_of_keys_absence_is_not_proved(
    site: str, in_task: InTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> list[str]:
        raise AirflowRuntimeError(ErrorResponse(error=ErrorType.GENERIC_ERROR))

    monkeypatch.setattr(Variable, "keys", fail)
    with pytest.raises(WatermarkUnreadableError) as failed:
        in_task(lambda: get(site))
    assert failed.value.transient
