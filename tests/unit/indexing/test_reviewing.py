"""When a run must not publish (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

from typing import Any

import pytest

from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.errors import RunFailedError
from site_indexer.index_script.model import Action
from site_indexer.index_store.page_groups import PageGroup
from site_indexer.indexing.reviewing import (
    Tally,
    check_complete,
    check_failure_share,
    sum_counts,
)
from site_indexer.planning.model import Step
from tests.unit.indexing.test_run_removals import plan


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
    assert counts == {
        "commands": 2, "matched": 1, "excluded": 7, "excluded_at_least": 0, "refused": 0,
    }  # fmt: skip


def group(outcome: Outcome, action: RecordAction = RecordAction.KEEP, **more: Any) -> PageGroup:
    one: dict[str, Any] = {
        "status": None, "named": False, "not_modified": False, "pages": 1, "bytes": 0,
        "with_text": 0, "of_blocks": 0,
    }  # fmt: skip
    return PageGroup(action.value, outcome.value, **{**one, **more})


def tally_of(*groups: PageGroup) -> Tally:
    tally = Tally()
    for each in groups:
        tally.add(each)
    return tally


def test_pages_are_counted_by_what_became_of_them() -> None:
    tally = tally_of(
        group(Outcome.INDEXED, RecordAction.WRITE, status=200, bytes=10, pages=2, with_text=2),
        group(Outcome.UNCHANGED, status=304, not_modified=True, pages=3),
        group(Outcome.UNCHANGED, status=200, bytes=5),
        group(Outcome.FAILED, named=True),
        group(Outcome.REFUSED, named=True),
        group(Outcome.REFUSED, pages=4),
        group(Outcome.GONE, RecordAction.REMOVE, status=404, named=True, pages=5),
    )
    assert tally.counts() == {
        "fetched": 12,
        "indexed": 2,
        "unchanged": 4,
        "not_modified": 3,
        "errors": 2,
        "bytes": 15,
    }
    assert (tally.named, tally.named_failed) == (6, 1)
    assert tally.outcomes == {
        "write indexed": 2,
        "keep unchanged": 4,
        "keep failed": 1,
        "keep refused": 5,
        "remove gone": 5,
    }


def test_read_is_what_came_as_a_page_and_whatever_has_a_text() -> None:
    tally = tally_of(
        group(Outcome.INDEXED, RecordAction.WRITE, status=200, pages=3),
        group(Outcome.EXCLUDED, status=200, pages=4, with_text=2),
        group(Outcome.UNCHANGED, status=304, pages=8),
        group(Outcome.FAILED, status=500, pages=16),
    )
    assert tally.read == 5


def test_pages_of_the_retry_list_do_not_count_against_the_next_run() -> None:
    before = group(Outcome.FAILED, named=True, pages=3, of_blocks=3)
    assert (tally_of(before).named, tally_of(before).named_failed) == (0, 0)
    assert tally_of(before).errors == 3
    partly = group(Outcome.FAILED, named=True, pages=3, of_blocks=2)
    assert (tally_of(partly).named, tally_of(partly).named_failed) == (1, 1)
