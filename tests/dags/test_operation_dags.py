"""What a person does to a site's indexes: the forms, and what their Dags call."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from airflow.dag_processing.dagbag import DagBag
from airflow.serialization.serialized_objects import DagSerialization

from site_indexer.errors import RemovalsNotApprovedError, RunFailedError, SiteIndexerError
from site_indexer.index_store.names import Target
from site_indexer.orchestration import alerts
from site_indexer.orchestration.notifying import NOTIFIERS_VARIABLE
from site_indexer.orchestration.operation_dags import build_operation_dag, operation_dags
from site_indexer.orchestration.operation_docs import OPERATIONS
from site_indexer.orchestration.operation_use_cases import Operation, Outlook
from tests.dags.kept_alerts import KeepingNotifier
from tests.dags.test_live_asset import events_of

pytestmark = pytest.mark.airflow

DAGS = Path(__file__).parents[2] / "dags"
QUESTION = {"subject": "6 of 6 documents would go from docs.live", "body": "* `6`"}


@dataclass
class FakeOperations:
    """Operations that only take note of being called; ``fail`` maps one to its error."""

    question: dict[str, Any] | None = None
    fail: dict[str, SiteIndexerError] = field(default_factory=dict)
    calls: list[tuple[Any, ...]] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)

    def __call__(self) -> FakeOperations:
        return self

    def _enter(self, name: str, operation: Operation, *more: Any) -> dict[str, Any]:
        self.calls.append((name, operation.site, *more))
        self.operations.append(operation)
        if name in self.fail:
            raise self.fail[name]
        return {"site": operation.site}

    def look_at_push(self, operation: Operation, *, force: bool) -> Outlook:
        self._enter("look", operation, force)
        return Outlook("docs.g-1", "Push live: a -> b", "Push docs.g-1", self.question)

    def push_live(self, operation: Operation, *, force: bool) -> Mapping[str, Any]:
        return {**self._enter("push", operation, force), "generation": "docs.g-1", "documents": 7}

    def look_at_rollback(self, operation: Operation, to: str | None) -> Outlook:
        self._enter("look", operation, to)
        return Outlook(to or "docs.g-0", "Roll back: a -> b", "Roll back", self.question)

    def roll_back(self, operation: Operation, to: str) -> Mapping[str, Any]:
        return {**self._enter("roll back", operation, to), "generation": to, "documents": 6}

    def ask(self, operation: Operation, subject: str, question: Any, *, again: bool) -> dt.datetime:
        self._enter("ask", operation, subject, again)
        return dt.datetime.now(dt.UTC) + dt.timedelta(hours=72)

    def answer(self, operation: Operation, subject: str, *, approved: bool, by: str) -> None:
        self._enter("answer", operation, subject, approved, by)

    def drop_staged(self, operation: Operation) -> Mapping[str, Any]:
        return self._enter("drop", operation)

    def set_watermark(
        self, operation: Operation, target: Target, value: dt.datetime | None
    ) -> Mapping[str, Any]:
        return self._enter("watermark", operation, target, value)

    def put_on_hold(self, operation: Operation) -> Mapping[str, Any]:
        return self._enter("hold", operation)

    def release_hold(self, operation: Operation, watermark: str) -> Mapping[str, Any]:
        return self._enter("release", operation, watermark)


@pytest.fixture
def operations() -> FakeOperations:
    return FakeOperations()


@pytest.fixture
def run(operations: FakeOperations, run_dag: Callable[..., Any]) -> Callable[..., Any]:
    """Trigger an operation with these options."""

    def trigger(operation: str, **conf: Any) -> Any:
        return run_dag(build_operation_dag(operation, ["docs", "shop"], operations), conf)

    return trigger


@pytest.mark.parametrize(
    ("operation", "conf", "calls"),
    [
        ("push_live", {}, [("look", "docs", False), ("push", "docs", False)]),
        ("push_live", {"force": True}, [("look", "docs", True), ("push", "docs", True)]),
        ("roll_back", {}, [("look", "docs", None), ("roll back", "docs", "docs.g-0")]),
        (
            "roll_back",
            {"generation": " docs.g-7 "},
            [("look", "docs", "docs.g-7"), ("roll back", "docs", "docs.g-7")],
        ),
        ("drop_staged", {}, [("drop", "docs")]),
        ("watermark", {"clear": True}, [("watermark", "docs", "live", None)]),
        (
            "watermark",
            {"watermark": "2026-11-24T07:00:00+01:00", "target": "staged"},
            [("watermark", "docs", "staged", dt.datetime(2026, 11, 24, 6, tzinfo=dt.UTC))],
        ),
        ("hold", {}, [("release", "docs", "generation")]),
        ("hold", {"on_release": "keep"}, [("release", "docs", "keep")]),
        ("hold", {"action": "set"}, [("hold", "docs")]),
    ],
)
def test_each_form_does_what_it_says(
    operation: str,
    conf: dict[str, Any],
    calls: list[Any],
    run: Callable[..., Any],
    operations: FakeOperations,
) -> None:
    done = run(operation, site="docs", **conf)
    assert done.state == "success"
    assert operations.calls == calls
    first = operations.operations[0]
    assert (first.by, first.run_id) == ("tester", f"site_indexer_{operation}/{done.run_id}")


@pytest.mark.parametrize(
    ("operation", "generation"), [("push_live", "docs.g-1"), ("roll_back", "docs.g-0")]
)
def test_what_changes_live_updates_the_asset_of_that_site_alone(
    operation: str, generation: str, run: Callable[..., Any]
) -> None:
    before = len(events_of("docs")), len(events_of("shop"))
    done = run(operation, site="docs")
    assert (len(events_of("docs")), len(events_of("shop"))) == (before[0] + 1, before[1])
    event = max(events_of("docs"), key=lambda each: each.id)
    assert event.extra["generation"] == generation
    assert event.extra["run_id"] == f"site_indexer_{operation}/{done.run_id}"
    assert event.source_task_id == operation
    run("hold", site="docs")
    assert len(events_of("docs")) == before[0] + 1


@pytest.mark.parametrize(
    ("operation", "conf"),
    [
        ("drop_staged", {}),
        ("drop_staged", {"site": "docs", "forse": True}),
        ("push_live", {"site": "docs", "forse": True}),
        ("watermark", {"site": "docs"}),
        ("watermark", {"site": "docs", "watermark": "yesterday"}),
        ("watermark", {"site": "docs", "watermark": "2026-11-24T06:00:00"}),
        ("watermark", {"site": "docs", "watermark": "2026-11-24T06:00:00Z", "clear": True}),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_done(
    operation: str, conf: dict[str, Any], run: Callable[..., Any], operations: FakeOperations
) -> None:
    assert run(operation, **conf).state == "failed"
    assert operations.calls == []


@pytest.mark.parametrize("operation", ["push_live", "roll_back"])
def test_where_much_would_go_it_waits_for_an_answer(
    operation: str, run: Callable[..., Any], operations: FakeOperations
) -> None:
    operations.question = QUESTION
    waiting = run(operation, site="docs")
    assert waiting.states["approve"] == "awaiting_input"
    assert waiting.asked("approve").subject == QUESTION["subject"]
    assert waiting.waits_until("approve") > dt.datetime.now(dt.UTC) + dt.timedelta(hours=71)
    waiting.answer("approve", "Approve", by="Ada")
    assert waiting.state == "success"
    assert [call[0] for call in operations.calls][1:3] == ["ask", "answer"]
    assert operations.calls[2][-2:] == (True, "Ada")


def test_rejected_nothing_is_done(run: Callable[..., Any], operations: FakeOperations) -> None:
    operations.question = QUESTION
    waiting = run("push_live", site="docs")
    waiting.answer("approve", "Reject")
    assert waiting.state == "failed"
    assert "push" not in [call[0] for call in operations.calls]


def test_an_approval_marked_green_is_left_to_the_record(
    run: Callable[..., Any], operations: FakeOperations
) -> None:
    operations.question = QUESTION
    operations.fail = {"push": RemovalsNotApprovedError("nobody has agreed")}
    waiting = run("push_live", site="docs")
    waiting.mark("approve", "success")
    assert waiting.state == "failed"


@pytest.fixture
def kept(
    monkeypatch: pytest.MonkeyPatch, add_site: Callable[[str], None]
) -> Iterator[list[dict[str, str]]]:
    """What the deployment's notifier was given."""
    add_site("docs")
    notifier = {
        "notifier": "tests.dags.kept_alerts.KeepingNotifier",
        "arguments": {
            "to": "{{ alert.owner }}",
            "subject": "{{ alert.subject }}",
            "text": "{{ alert.kind }}: {{ alert.text }}",
        },
    }
    monkeypatch.setenv(NOTIFIERS_VARIABLE, json.dumps([notifier]))
    KeepingNotifier.kept.clear()
    yield KeepingNotifier.kept
    KeepingNotifier.kept.clear()


@pytest.mark.parametrize(
    ("operation", "conf", "fails", "subject"),
    [
        ("push_live", {}, "look", "docs: push live failed in the task look"),
        ("push_live", {}, "push", "docs: push live failed in the task push_live"),
        ("roll_back", {}, "roll back", "docs: roll back failed in the task roll_back"),
        ("drop_staged", {}, "drop", "docs: drop staged failed in the task drop_staged"),
        ("watermark", {"clear": True}, "watermark", "docs: watermark failed in the task set_wa"),
        ("hold", {}, "release", "docs: hold failed in the task hold"),
    ],
)
def test_one_that_fails_calls_the_sites_owner_and_says_what_to_do(
    operation: str,
    conf: dict[str, Any],
    fails: str,
    subject: str,
    run: Callable[..., Any],
    operations: FakeOperations,
    kept: list[dict[str, str]],
) -> None:
    operations.fail = {fails: RunFailedError("no good")}
    failed = run(operation, site="docs", **conf)
    assert failed.state == "failed"
    [got] = kept
    assert got["to"] == "team-shop"
    assert got["subject"].startswith(subject)
    assert f"--run site_indexer_{operation}/{failed.run_id} --errors-only" in got["text"]
    assert any(words in got["text"] for words in alerts.OPERATION_TO_DO.values())


def test_one_whose_site_is_not_known_calls_somebody_as_well(
    run: Callable[..., Any], kept: list[dict[str, str]]
) -> None:
    assert run("drop_staged").state == "failed"
    [got] = kept
    assert got["subject"] == "no site: drop staged failed in the task drop_staged"


def test_one_that_waits_for_an_answer_calls_somebody(
    run: Callable[..., Any], operations: FakeOperations, kept: list[dict[str, str]]
) -> None:
    operations.question = QUESTION
    assert run("roll_back", site="docs").states["approve"] == "awaiting_input"
    [got] = kept
    assert got["subject"] == "docs: roll back waits for an answer"
    assert got["to"] == "team-shop"


def test_one_that_does_what_it_says_calls_nobody(
    run: Callable[..., Any], kept: list[dict[str, str]]
) -> None:
    assert run("push_live", site="docs").state == "success"
    assert kept == []


@pytest.fixture
def bag(add_site: Callable[[str], None]) -> dict[str, Any]:
    """The operation Dags as Airflow reads them."""
    add_site("docs")
    add_site("shop")
    bag = DagBag(dag_folder=str(DAGS))
    assert bag.import_errors == {}
    return {key: dag for key, dag in bag.dags.items() if "operation" in dag.tags}


def test_there_is_one_dag_for_each_operation_and_each_chooses_among_the_sites(
    bag: dict[str, Any],
) -> None:
    assert sorted(bag) == sorted(f"site_indexer_{name}" for name in OPERATIONS)
    for dag in bag.values():
        assert dag.params.get_param("site").schema["enum"] == ["", "docs", "shop"]
        assert dag.schedule is None


def test_every_option_has_a_title_a_help_text_and_a_default(bag: dict[str, Any]) -> None:
    for dag in bag.values():
        for name in dag.params:
            param = dag.params.get_param(name)
            assert param.schema["title"], name
            assert param.schema["description_md"], name
            assert param.has_value, name


def test_every_dag_says_what_when_how_and_what_to_do(bag: dict[str, Any]) -> None:
    for dag in bag.values():
        for part in ("What", "When", "Options", "When it fails"):
            assert f"**{part}" in dag.doc_md, dag.dag_id
        for task in dag.tasks:
            assert task.doc_md, task.task_id
            assert task.retries >= 1
            assert task.execution_timeout is not None


def test_two_parses_give_the_same_dags(sites: Path, add_site: Callable[[str], None]) -> None:
    add_site("docs")
    first, second = (list(map(DagSerialization.to_dict, operation_dags(sites))) for _ in range(2))
    assert first == second


def test_a_task_builds_only_its_own_dag(sites: Path, add_site: Callable[[str], None]) -> None:
    add_site("docs")
    [only] = operation_dags(sites, only="site_indexer_hold")
    assert only.dag_id == "site_indexer_hold"
    assert list(operation_dags(sites, only="docs_script")) == []
