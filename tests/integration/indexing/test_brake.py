"""Nothing much vanishes unasked, and nothing without an answer on record (5.9)."""

from __future__ import annotations

import datetime as dt
import logging

import pytest

from site_indexer.errors import (
    ConfigurationError,
    RemovalsNotApprovedError,
    RunFailedError,
    UsageError,
)
from site_indexer.index_store.approvals import ApprovalStore
from site_indexer.index_store.log_store import LogStore
from site_indexer.index_store.names import Target
from site_indexer.indexing.approving import ask, question_about, record_answer
from site_indexer.indexing.model import RunRequest, RunStatus
from site_indexer.indexing.publishing import publish
from site_indexer.indexing.run import Removals, run
from site_indexer.indexing.tidying import tidy
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve

HOUR = dt.timedelta(hours=1)
SIX = range(6)
FIRST = adding(SIX)
EMPTYING = ["deletemask {web}/p/"]


def with_pages(workbench: Workbench, *later_blocks: list[str]) -> None:
    """Index six pages, then let the script have further blocks."""
    serve(workbench, SIX)
    workbench.use_script(*script_of(FIRST))
    workbench.run()
    assert pages(workbench) == set(SIX)
    workbench.use_script(*script_of(FIRST, *later_blocks))


def agree(workbench: Workbench, request: RunRequest, digest: str) -> None:
    """Ask about a run's removals, and answer yes, as a person does in Airflow."""
    question = question_about(workbench.collaborators, request, digest)
    assert question is not None
    named = {
        "site": workbench.site,
        "target": request.target,
        "run_id": request.run_id,
        "subject": digest,
        "now": NOW,
    }
    ask(workbench.collaborators, question, **named)  # type: ignore[arg-type]
    record_answer(workbench.collaborators, approved=True, by="Ada", **named)  # type: ignore[arg-type]


def test_a_mask_that_would_empty_a_site_waits_and_later_runs_say_so(workbench: Workbench) -> None:
    with_pages(workbench, EMPTYING)
    state = workbench.generation(), workbench.watermark()
    waiting = workbench.run()
    assert waiting.status is RunStatus.WAITING_FOR_APPROVAL
    assert (waiting.counts["to_remove"], waiting.counts["removed"]) == (6, 0)
    message = waiting.diagnostics[0]["message"]
    assert f"6 of 6 documents would go from {workbench.site}.live" in message
    assert f"6 by deletemask {workbench.web.url}/p/, line 10" in message
    assert f"such as {workbench.web.url}/p/" in message
    assert "nothing would be left" in message

    workbench.web.requests.clear()
    later = workbench.run()
    assert later.status is RunStatus.WAITING_FOR_APPROVAL
    assert waiting.run_id in later.diagnostics[0]["message"]
    assert {access.path for access in workbench.web.requests.all()} == {"/indexlist.txt"}
    assert (workbench.generation(), workbench.watermark()) == state
    assert pages(workbench) == set(SIX)


def test_rejected_all_stays_and_the_same_list_is_not_asked_about_again(
    workbench: Workbench,
) -> None:
    with_pages(workbench, EMPTYING)
    state = workbench.generation(), workbench.watermark()
    workbench.run()
    rejected = run(workbench.collaborators, workbench.request(), Removals.REJECT)
    assert rejected.status is RunStatus.FAILED
    with pytest.raises(RemovalsNotApprovedError, match="rejected this very list"):
        workbench.run()
    assert (workbench.generation(), workbench.watermark()) == state
    assert pages(workbench) == set(SIX)
    # Whoever changes the script is heard; and whoever changes their mind.
    workbench.use_script(*script_of(FIRST, ["delete {web}/p/0"]))
    assert workbench.run().status is RunStatus.PUBLISHED
    workbench.use_script(*script_of(FIRST, ["delete {web}/p/0"], EMPTYING))
    done = run(workbench.collaborators, workbench.request(), Removals.ACCEPT)
    assert done.status is RunStatus.PUBLISHED
    assert pages(workbench) == set()


def test_accepted_they_go_and_a_publish_in_between_is_not_lost(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    with_pages(workbench, ["add {web}/en/ nofollow"])
    between = workbench.request()
    digest = workbench.prepare(between)
    workbench.use_script(*script_of(FIRST, ["delete {web}/p/0"], EMPTYING))
    waiting = workbench.run()
    assert waiting.status is RunStatus.WAITING_FOR_APPROVAL
    publish(workbench.collaborators, between, digest)
    assert len(workbench.documents()) == 7

    workbench.web.requests.clear()
    caplog.set_level(logging.INFO, "site_indexer")
    done = run(workbench.collaborators, workbench.request(), Removals.ACCEPT)
    assert (done.status, done.run_id) == (RunStatus.PUBLISHED, waiting.run_id)
    assert done.counts["removed"] == 6
    assert set(workbench.documents()) == {f"{workbench.web.url}/en/"}
    assert workbench.watermark() == day(2)
    assert workbench.web.requests.all() == []
    log = LogStore(workbench.collaborators.client)
    header = log.run(workbench.site, waiting.run_id)
    assert header is not None
    assert (header.status, header.counts["removed"]) == ("published", 6)
    *_, last = log.all(header.run)
    assert last.message.startswith("Summary: ")
    assert workbench.run().status is RunStatus.UNCHANGED


def test_publishing_asks_for_the_answer_on_record_whatever_the_tasks_say(
    workbench: Workbench,
) -> None:
    with_pages(workbench, EMPTYING)
    request = workbench.request()
    digest = workbench.prepare(request)
    generation = workbench.generation()
    with pytest.raises(RemovalsNotApprovedError, match="green is no agreement"):
        publish(workbench.collaborators, request, digest)
    other = workbench.request()
    agree(workbench, other, workbench.prepare(other))
    with pytest.raises(RemovalsNotApprovedError, match="nobody has agreed"):
        publish(workbench.collaborators, request, digest)
    assert (workbench.generation(), pages(workbench)) == (generation, set(SIX))


def test_more_than_was_agreed_to_does_not_go(workbench: Workbench) -> None:
    with_pages(workbench, adding([6]))
    serve(workbench, [6])
    between = workbench.request()
    digest = workbench.prepare(between)
    workbench.use_script(*script_of(FIRST, ["delete {web}/p/6"], EMPTYING))
    asking = workbench.request()
    asked = workbench.prepare(asking)
    agree(workbench, asking, asked)
    publish(workbench.collaborators, between, digest)
    with pytest.raises(RemovalsNotApprovedError, match=r"7 of 7 .* more than the 6 that Ada"):
        publish(workbench.collaborators, asking, asked)
    assert pages(workbench) == {*SIX, 6}
    agree(workbench, asking, asked)
    publish(workbench.collaborators, asking, asked)
    assert pages(workbench) == set()


@pytest.mark.parametrize(("lost", "asked"), [(10, False), (11, True)])
def test_a_site_of_20_pages_cannot_lose_more_than_half_unasked(
    workbench: Workbench, lost: int, asked: bool
) -> None:
    serve(workbench, range(20))
    blocks = [adding(range(20)), ["update {web}/p/ nofollow"]]
    workbench.use_script(*script_of(blocks[0]))
    workbench.run()
    workbench.use_script(*script_of(*blocks))
    serve(workbench, range(lost), status=404)
    result = workbench.run()
    if asked:
        assert result.status is RunStatus.WAITING_FOR_APPROVAL
        assert "11 by page gone (404 or 410), line 24" in result.diagnostics[0]["message"]
        assert pages(workbench) == set(range(20))
    else:
        assert result.status is RunStatus.PUBLISHED
        assert pages(workbench) == set(range(lost, 20))


def test_staged_is_warned_of_not_asked_about(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    with_pages(workbench, EMPTYING)
    with caplog.at_level("WARNING"):
        result = workbench.run(target=Target.STAGED)
    assert result.status is RunStatus.PUBLISHED
    assert "6 of 6 documents would go" in caplog.text
    assert "nobody is asked" in caplog.text
    assert pages(workbench) == set(SIX)


def test_without_an_answer_in_time_the_next_run_asks_anew(workbench: Workbench) -> None:
    with_pages(workbench, EMPTYING)
    first = workbench.run()
    assert workbench.run(now=NOW + 23 * HOUR).run_id not in first.run_id
    late = workbench.run(now=NOW + 25 * HOUR)
    assert late.status is RunStatus.WAITING_FOR_APPROVAL
    question = ApprovalStore(workbench.collaborators.client).read(workbench.site, Target.LIVE)
    assert question is not None
    assert question.run_id == late.run_id
    assert pages(workbench) == set(SIX)


def test_a_question_that_its_run_gave_up_keeps_nobody_waiting(workbench: Workbench) -> None:
    with_pages(workbench, EMPTYING)
    request = workbench.request()
    assert run(workbench.collaborators, request).status is RunStatus.WAITING_FOR_APPROVAL
    tidy(workbench.collaborators, request)
    workbench.use_script(*script_of(FIRST, ["delete {web}/p/0"]))
    assert workbench.run().status is RunStatus.PUBLISHED


def test_two_runs_cannot_ask_at_once(workbench: Workbench) -> None:
    with_pages(workbench, EMPTYING)
    late = workbench.request()
    digest = workbench.prepare(late)
    assert workbench.run().status is RunStatus.WAITING_FOR_APPROVAL
    with pytest.raises(RunFailedError, match="waits for its answer"):
        agree(workbench, late, digest)


def test_what_does_not_wait_cannot_be_rejected(workbench: Workbench) -> None:
    with pytest.raises(UsageError, match=r"No removals of .* wait"):
        run(workbench.collaborators, workbench.request(), Removals.REJECT)


def test_what_was_asked_in_airflow_is_answered_there(workbench: Workbench) -> None:
    with_pages(workbench, EMPTYING)
    request = RunRequest(workbench.site, Target.LIVE, "manual__1", NOW)
    question = question_about(workbench.collaborators, request, workbench.prepare(request))
    assert question is not None
    ask(
        workbench.collaborators, question, site=workbench.site, target=Target.LIVE,
        run_id=request.run_id, subject="any", now=NOW,
    )  # fmt: skip
    with pytest.raises(ConfigurationError, match="manual__1"):
        run(workbench.collaborators, workbench.request(), Removals.ACCEPT)
