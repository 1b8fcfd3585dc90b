"""What a run means for the retry list."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any

import pytest

from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.crawling.responses import Failure
from site_indexer.index_script.model import Action
from site_indexer.index_store.names import Target
from site_indexer.index_store.retries import RetryEntry
from site_indexer.indexing.plan_storage import StoredPlan
from site_indexer.indexing.retrying import Settled, settle
from site_indexer.planning.model import Plan, PlannedBlock, PlannedCommand, Step

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
DATE = dt.datetime(2026, 11, 29, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
URL = "https://h/page"


def stored(*steps: Step, fresh_start: bool = False) -> StoredPlan:
    block = PlannedBlock(0, 1, DATE, DATE, (), "digest")
    plan = Plan("docs", NOW, None, None, None, (block,), (), steps, (), ())
    return StoredPlan(plan, None, Target.LIVE, "r", fresh_start, "https://h/i.txt", "d")


def failed(failure: Failure | None = Failure.TIMEOUT, **changes: Any) -> PageRecord:
    named = changes.pop("named", True)
    reach = Reach(0, 0, 3, Action.UPDATE, named=named, nofollow=True, verdict="write")
    record = PageRecord(
        url=URL, document_id="id", fetched_at=NOW, outcome=Outcome.FAILED, block=0, line=3,
        action=RecordAction.KEEP, cause=Action.UPDATE, named=named, reaches=(reach,),
        failure=failure,
    )  # fmt: skip
    return replace(record, **changes)


def entry(**changes: Any) -> RetryEntry:
    known = RetryEntry(
        url=URL, document_id="id", line=3, block="digest", counts_as=DATE, since=NOW - DAY,
        tries=2, failure="timeout", nofollow=True,
    )  # fmt: skip
    return replace(known, **changes)


def after(
    entries: list[RetryEntry],
    failures: list[PageRecord],
    plan: StoredPlan | None = None,
    *,
    seen: set[str] | None = None,
) -> Settled:
    seen = {record.document_id for record in failures} if seen is None else seen
    return settle(entries, failures, seen, plan or stored(), now=NOW, retry_for=3 * DAY)


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        (Failure.TIMEOUT, None),
        (Failure.SERVER_ERROR, 503),
        (Failure.RATE_LIMITED, 429),
        (Failure.FORBIDDEN, 403),
        (Failure.CONNECTION, None),
        (Failure.ROBOTS_UNREACHABLE, None),
    ],
)
def test_a_named_page_with_a_passing_failure_goes_on_the_list(
    failure: Failure, status: int | None
) -> None:
    kept = after([], [failed(failure, status=status)]).kept
    assert kept == (entry(since=NOW, tries=1, failure=failure.value),)


@pytest.mark.parametrize(
    "record",
    [
        failed(Failure.TOO_LARGE),
        failed(Failure.CLIENT_ERROR, status=400),
        failed(Failure.FORBIDDEN, status=401),
        failed(None, outcome=Outcome.GONE),
    ],
    ids=["too-large", "400", "401", "gone"],
)
def test_other_pages_do_not(record: PageRecord) -> None:
    assert after([], [record]) == Settled((), frozenset(), ())


def test_pages_that_only_links_lead_to_are_named_if_they_may_answer_later() -> None:
    met = failed(named=False)
    other = replace(met, url="https://h/a", document_id="other")
    large = failed(Failure.TOO_LARGE, named=False)
    assert after([], [met, other, large]).linked == ("https://h/a", URL)


def test_one_that_fails_again_keeps_its_time_and_one_that_answers_is_done() -> None:
    assert after([entry()], [failed()]).kept == (entry(tries=3),)
    assert after([entry()], [], seen={"id"}) == Settled((), frozenset({"id"}), ())
    assert after([entry()], [], seen=set()) == Settled((), frozenset(), ())


def test_after_retry_for_it_is_given_up_whether_it_was_tried_or_not() -> None:
    late = entry(since=NOW - 3 * DAY)
    assert after([late], [failed()]).given_up == (replace(late, tries=3),)
    assert after([late], [failed()]).kept == ()
    assert after([late], []).given_up == (late,)


def test_a_newer_block_that_names_it_gives_it_its_time_anew() -> None:
    late = entry(since=NOW - 3 * DAY, counts_as=DATE - DAY, block="older")
    assert after([late], [failed()]) == Settled((entry(since=NOW, tries=1),), frozenset(), ())


def test_what_a_newer_block_removes_is_done() -> None:
    delete = Step(Action.DELETE, (PlannedCommand(line=1, block=0, block_line=1, url=URL),))
    older = entry(counts_as=DATE - DAY, block="older")
    assert after([older], [], stored(delete)).done == {"id"}
    newer = entry(counts_as=DATE + DAY, block="newer")
    assert after([newer], [], stored(delete)).done == frozenset()


def test_a_fresh_start_begins_a_new_list() -> None:
    other = entry(document_id="other", url="https://h/other")
    settled = after([entry(), other], [failed()], stored(fresh_start=True))
    assert settled.done == {"other"}
    assert settled.kept == (entry(tries=3),)
