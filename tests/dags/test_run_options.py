from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target
from site_indexer.orchestration.run_options import RunOptions, read_options, script_params
from site_indexer.planning.model import Window

DEFAULTS = {name: param.value for name, param in script_params().items()}


def options(**conf: Any) -> RunOptions:
    return read_options(conf, {**DEFAULTS, **conf})


def test_by_default_a_run_is_an_ordinary_one() -> None:
    assert options() == RunOptions()
    assert read_options(None, DEFAULTS) == RunOptions()


@pytest.mark.parametrize("target", list(Target))
def test_a_target_is_taken(target: Target) -> None:
    assert options(target=target.value).target is target


def test_flags_are_taken() -> None:
    assert options(clear_date=True, dry_run=True) == RunOptions(clear_date=True, dry_run=True)


@pytest.mark.parametrize("value", ["Live", "production", 1, None, ["live"]])
def test_another_target_is_refused_with_the_choices(value: Any) -> None:
    with pytest.raises(UsageError, match="live, staged"):
        options(target=value)


@pytest.mark.parametrize("name", ["clear_date", "dry_run"])
@pytest.mark.parametrize("value", ["true", 1, None])
def test_a_flag_that_is_neither_true_nor_false_is_refused(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"{name}.*true or false"):
        options(**{name: value})


def test_an_unknown_option_is_refused_with_the_one_that_was_meant() -> None:
    with pytest.raises(UsageError, match=r"'dryrun'.*Did you mean 'dry_run'"):
        options(dryrun=True)


def test_options_of_airflow_itself_are_none_of_ours() -> None:
    conf = {"airflow/task_span_detail_level": 2}
    assert read_options(conf, DEFAULTS) == RunOptions()


@pytest.mark.parametrize("value", ["", "live", "staged"])
def test_the_form_offers_what_the_first_task_takes(value: str) -> None:
    assert value in script_params()["target"].schema["enum"]


def test_the_form_does_not_demand_a_target() -> None:
    assert "null" in script_params()["target"].schema["type"]


def test_a_window_is_taken_in_utc() -> None:
    window = options(**{"from": "2026-01-01T00:00:00+01:00", "to": "2026-01-02T00:00:00Z"}).window
    assert window == Window(
        from_=dt.datetime(2025, 12, 31, 23, tzinfo=dt.UTC),
        to=dt.datetime(2026, 1, 2, tzinfo=dt.UTC),
    )


@pytest.mark.parametrize("empty", [None, ""])
def test_an_empty_window_is_none(empty: str | None) -> None:
    assert options(**{"from": empty, "to": empty}).window is None


@pytest.mark.parametrize("name", ["from", "to"])
@pytest.mark.parametrize(
    "value", ["yesterday", "2026-01-01T00:00:00", "0001-01-01T00:00:00+12:00", 5]
)
def test_a_date_that_is_none_or_has_no_zone_is_refused_with_the_form(name: str, value: Any) -> None:
    with pytest.raises(UsageError, match=rf"'{name}'.*2026-01-31T12:00:00Z"):
        options(**{"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z", name: value})


@pytest.mark.parametrize(("given", "missing"), [("from", "to"), ("to", "from")])
def test_a_window_has_both_ends(given: str, missing: str) -> None:
    with pytest.raises(UsageError, match=f"'{given}' is given without '{missing}'"):
        options(**{given: "2026-01-01T00:00:00Z"})


@pytest.mark.parametrize("end", ["2026-01-01T00:00:00Z", "2025-12-31T00:00:00Z"])
def test_a_window_ends_after_it_begins(end: str) -> None:
    with pytest.raises(UsageError, match="not before"):
        options(**{"from": "2026-01-01T00:00:00Z", "to": end})


def test_a_window_has_no_use_for_clear_date() -> None:
    window = {"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z"}
    with pytest.raises(UsageError, match="clear_date"):
        options(clear_date=True, **window)


def test_each_option_of_the_form_explains_itself() -> None:
    for name, param in script_params().items():
        schema = param.schema
        assert schema["title"], name
        assert schema["description_md"].endswith("."), name
        assert schema["type"], name
