from __future__ import annotations

from typing import Any

import pytest

from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target
from site_indexer.orchestration.run_options import RunOptions, read_options, script_params

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
