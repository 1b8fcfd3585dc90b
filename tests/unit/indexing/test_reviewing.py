"""When a run must not publish (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

import pytest

from site_indexer.errors import RunFailedError
from site_indexer.index_script.model import Action
from site_indexer.indexing.reviewing import check_complete, check_failure_share, sum_counts
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


def test_counts_of_all_completion_records_add_up() -> None:
    counts = sum_counts({"delete": {"commands": 2, "matched": 1}, "add": {"fetched": 7}})
    assert counts["commands"] == 2
    assert counts["fetched"] == 7
    assert counts["indexed"] == 0
