"""When a run must not publish (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

from typing import Any

import pytest

from site_indexer.crawling.model import Outcome, PageRecord, RecordAction
from site_indexer.errors import RunFailedError
from site_indexer.index_script.model import Action
from site_indexer.indexing.reviewing import (
    Tally,
    check_complete,
    check_failure_share,
    sum_counts,
)
from site_indexer.planning.model import Step
from tests.unit.indexing.test_run_removals import NOW, plan


def test_a_planned_action_without_completion_record_stops_the_run_and_is_named() -> None:
    planned = plan(Step(Action.ADD, ()), Step(Action.UPDATE, ()))
    check_complete(planned, {"add": {}, "update": {}})
    with pytest.raises(RunFailedError, match="lacks the records of: update"):
        check_complete(planned, {"add": {}})


@pytest.mark.parametrize(
    ("named", "failed", "stops"),
    [
        (100, 21, True),
        (100, 20, False),
        (4, 4, False),
        (5, 5, True),
        (1000, 5, False),
        (0, 0, False),
    ],
)
def test_too_many_failures_of_named_pages_stop_the_run(
    named: int, failed: int, stops: bool
) -> None:
    if stops:
        with pytest.raises(RunFailedError, match=rf"{failed} of the {named} pages"):
            check_failure_share("docs", named, failed, 0.2)
    else:
        check_failure_share("docs", named, failed, 0.2)


def test_what_only_the_tasks_know_adds_up() -> None:
    counts = sum_counts({"delete": {"commands": 2, "matched": 1}, "add": {"excluded": 7}})
    assert counts == {"commands": 2, "matched": 1, "excluded": 7, "refused": 0}


def record(outcome: Outcome, action: RecordAction = RecordAction.KEEP, **more: Any) -> PageRecord:
    return PageRecord(
        url="https://h/",
        document_id="d",
        fetched_at=NOW,
        outcome=outcome,
        action=action,
        block=0,
        line=1,
        cause=Action.ADD,
        reaches=(),
        **{"named": False, **more},
    )


def test_page_records_are_counted_by_what_became_of_them() -> None:
    tally = Tally()
    for each in (
        record(Outcome.INDEXED, RecordAction.WRITE, status=200, bytes=10),
        record(Outcome.UNCHANGED, status=304, not_modified=True),
        record(Outcome.UNCHANGED, status=200, bytes=5),
        record(Outcome.FAILED, named=True),
        record(Outcome.REFUSED, named=True),
        record(Outcome.REFUSED),
        record(Outcome.GONE, RecordAction.REMOVE, status=404, named=True),
    ):
        tally.add(each)
    assert tally.counts() == {
        "fetched": 5,
        "indexed": 1,
        "unchanged": 2,
        "not_modified": 1,
        "errors": 2,
        "bytes": 15,
    }
    assert (tally.named, tally.named_failed) == (2, 1)
