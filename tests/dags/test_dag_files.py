"""What every Dag of the project must have; each check was seen failing once."""

from __future__ import annotations

import datetime as dt
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from airflow.dag_processing.dagbag import DagBag
from airflow.sdk import DAG, Connection, Variable
from airflow.serialization.serialized_objects import DagSerialization

from site_indexer.orchestration.site_dags import script_dags
from site_indexer.sites import loader

PROJECT = Path(__file__).parents[2]
DAGS = PROJECT / "dags"


@pytest.fixture
def parse(sites: Path) -> Callable[[], dict[str, Any]]:
    """Read the project's Dag files as Airflow does; gives the Dags of sites by id."""

    def read() -> dict[str, Any]:
        bag = DagBag(dag_folder=str(DAGS))
        assert bag.import_errors == {}
        return {key: dag for key, dag in bag.dags.items() if "operation" not in dag.tags}

    return read


@pytest.fixture
def dag(add_site: Callable[[str], None], parse: Callable[[], dict[str, Any]]) -> Any:
    """The Dag of a scheduled site, as Airflow reads it."""
    add_site("shop")
    return parse()["shop_script"]


def test_each_site_file_is_one_dag(
    add_site: Callable[[str], None], parse: Callable[[], dict[str, Any]]
) -> None:
    add_site("shop")
    add_site("docs-es")
    assert sorted(parse()) == ["docs-es_script", "shop_script"]


def test_adding_a_site_is_adding_a_file(
    add_site: Callable[[str], None], parse: Callable[[], dict[str, Any]]
) -> None:
    assert parse() == {}
    add_site("shop")
    assert set(parse()) == {"shop_script"}


def test_the_projects_own_sites_have_dags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SITE_INDEXER_SITES", raising=False)
    bag = DagBag(dag_folder=str(DAGS))
    assert bag.import_errors == {}
    files = loader.site_files(PROJECT / "include" / "sites")
    operations = [key for key, dag in bag.dags.items() if "operation" in dag.tags]
    assert operations
    assert sorted(bag.dags) == sorted([*operations, *(f"{path.stem}_script" for path in files)])
    assert not [dag_id for dag_id, dag in bag.dags.items() if "config-error" in dag.tags]


def test_a_dag_is_tagged_with_product_and_site(dag: Any) -> None:
    assert set(dag.tags) == {"site-indexer", "shop"}


def test_every_task_belongs_to_the_sites_owner(dag: Any) -> None:
    assert {task.owner for task in dag.tasks} == {"team-shop"}


def test_a_dag_says_what_when_how_and_what_to_do(dag: Any) -> None:
    for part in ("What", "When", "Options", "When it fails", "6h from 02:30", "team-shop"):
        assert part in dag.doc_md
    assert "site_indexer__shop__live__watermark" in dag.doc_md
    assert dag.description


def test_every_task_says_what_it_does(dag: Any) -> None:
    assert [task.task_id for task in dag.tasks if not task.doc_md] == []


def test_every_task_retries_and_has_a_time_limit(dag: Any) -> None:
    assert [task.task_id for task in dag.tasks if task.retries < 1] == []
    assert [task.task_id for task in dag.tasks if task.execution_timeout is None] == []


def test_a_crawl_may_take_as_long_as_its_site_says(dag: Any) -> None:
    assert dag.get_task("add").execution_timeout > dt.timedelta(minutes=240)
    assert dag.get_task("update").execution_timeout > dt.timedelta(minutes=240)


def test_every_option_has_a_title_a_help_text_and_a_default(dag: Any) -> None:
    assert set(dag.params) == {"target", "clear_date", "from", "to", "dry_run"}
    for name in dag.params:
        param = dag.params.get_param(name)
        assert param.schema["title"], name
        assert param.schema["description_md"], name
        assert param.has_value or "null" in param.schema["type"], name
        assert set(param.schema.get("values_display", ())) == set(param.schema.get("enum", ()))


def test_past_runs_are_not_made_up_for_and_two_may_run(dag: Any) -> None:
    assert dag.catchup is False
    assert dag.max_active_runs == 2


def test_tasks_follow_each_other_as_the_specification_has_it(dag: Any) -> None:
    edges = {task.task_id: set(task.downstream_task_ids) for task in dag.tasks}
    actions = {"delete", "deletemask", "add", "update"}
    assert edges == {
        "read_script": {"plan", "review"},
        "plan": {"branch", "review"},
        "branch": actions | {"review"},
        "delete": {"review"},
        "deletemask": {"review"},
        "add": {"update", "review"},
        "update": {"review"},
        "review": {"approve"},
        "approve": {"publish"},
        "publish": {"tidy", "result"},
        "tidy": {"result"},
        "result": set(),
    }


def test_trigger_rules_let_skipped_tasks_through_and_failed_ones_not(dag: Any) -> None:
    rules = {task.task_id: task.trigger_rule.value for task in dag.tasks}
    special = {
        "update": "none_failed",
        "review": "none_failed",
        "result": "none_failed",
        "tidy": "all_done",
    }
    assert rules == {**dict.fromkeys(rules, "all_success"), **special}


def test_a_site_is_run_at_the_ticks_of_its_schedule(dag: Any) -> None:
    encoded = DagSerialization.to_dict(dag)["dag"]["timetable"]
    assert encoded["__type"].endswith("CronTriggerTimetable")
    assert encoded["__var"]["expression"] == "30 2,8,14,20 * * *"
    assert encoded["__var"]["timezone"] == "Europe/Paris"


def test_a_schedule_of_several_expressions_is_one_schedule(sites: Path) -> None:
    text = "id: shop\nname: S\nowner: o\nscript: {url: 'https://e.com/i.txt'}\n"
    (sites / "shop.yaml").write_text(f"{text}schedule: {{every: 90m}}\n")
    encoded = DagSerialization.to_dict(next(script_dags(sites)))["dag"]["timetable"]
    assert len(encoded["__var"]["expressions"]) == 2


def test_a_site_without_a_schedule_is_run_by_hand(sites: Path) -> None:
    text = "id: shop\nname: S\nowner: o\nscript: {url: 'https://e.com/i.txt'}\n"
    (sites / "shop.yaml").write_text(text)
    dag: Any = next(script_dags(sites))
    assert dag.schedule is None
    assert "By hand only" in dag.doc_md


def test_two_parses_give_the_same_dag_so_that_airflow_counts_one_version(
    dag: Any, parse: Callable[[], dict[str, Any]]
) -> None:
    again = parse()["shop_script"]
    assert DagSerialization.to_dict(dag) == DagSerialization.to_dict(again)


def test_a_broken_site_file_costs_only_its_own_dag(
    sites: Path, add_site: Callable[[str], None], parse: Callable[[], dict[str, Any]]
) -> None:
    add_site("shop")
    (sites / "broken.yaml").write_text("id: broken\nname: Broken\nonwer: me\n")
    dags = parse()
    assert set(dags) == {"shop_script", "broken_script"}
    broken = dags["broken_script"]
    assert "config-error" in broken.tags
    assert "broken.yaml has 3 errors." in broken.doc_md
    assert "\nline 3: onwer: " in broken.doc_md
    assert "did you mean 'owner'" in broken.doc_md
    assert broken.schedule is None


def test_a_file_whose_name_is_no_dag_id_still_shows_its_error(
    sites: Path, parse: Callable[[], dict[str, Any]]
) -> None:
    (sites / "my shop.yaml").write_text("id: shop\n")
    assert set(parse()) == {"my-shop_script"}


def test_a_task_reads_only_its_own_sites_file(
    add_site: Callable[[str], None], parse: Callable[[], dict[str, Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    add_site("shop")
    add_site("docs")
    read: list[str] = []
    load = loader.load_site

    def spy(path: Path, *more: Any) -> Any:
        read.append(path.name)
        return load(path, *more)

    monkeypatch.setattr(loader, "load_site", spy)
    monkeypatch.setenv("_AIRFLOW_PARSING_CONTEXT_DAG_ID", "docs_script")
    assert set(parse()) == {"docs_script"}
    assert read == ["docs.yaml"]


def refuse(*args: object, **named: object) -> Any:
    pytest.fail("asked while Dags were built")


REAL_DATETIME = dt.datetime


class AnyDatetime(type):
    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, REAL_DATETIME)


class NoClock(dt.datetime, metaclass=AnyDatetime):
    now = refuse
    utcnow = refuse
    today = refuse


@pytest.mark.parametrize(
    ("owner", "name", "guard"),
    [
        (socket.socket, "connect", refuse),
        (socket, "getaddrinfo", refuse),
        (Variable, "get", refuse),
        (Connection, "get", refuse),
        (time, "time", refuse),
        (dt, "datetime", NoClock),
    ],
    ids=["network", "names", "variables", "connections", "seconds", "clock"],
)
def test_building_dags_asks_neither_airflow_nor_network_nor_clock(
    owner: Any, name: str, guard: Any, sites: Path, add_site: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    add_site("shop")
    with monkeypatch.context() as guarded:
        guarded.setattr(owner, name, guard)
        dags = list(script_dags(sites))
    assert isinstance(dags[0], DAG)


def test_parsing_loads_neither_the_crawler_nor_the_opensearch_client(
    add_site: Callable[[str], None],
) -> None:
    add_site("shop")
    script = (
        "import runpy, sys;"
        f"dags = runpy.run_path({str(DAGS / 'site_scripts.py')!r});"
        "assert 'shop_script' in dags;"
        "heavy = {'opensearchpy', 'pycurl', 'lxml', 'selectolax', 'site_indexer.crawling'};"
        "sys.exit(', '.join(heavy & set(sys.modules)) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
