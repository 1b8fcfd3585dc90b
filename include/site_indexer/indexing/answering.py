"""Use cases: the brake's questions at a shell, where nobody waits for the answer in between.

A run that trips the brake leaves its question and its change set behind; a later call answers, and
publishes exactly that change set (docs/spec/08-shell.md, 8.6).
"""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import replace

from site_indexer.errors import ConfigurationError, UsageError
from site_indexer.index_store.approvals import RemovalQuestion
from site_indexer.index_store.names import SiteNames
from site_indexer.indexing.approving import ask, record_answer, waiting_question
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.finishing import finish
from site_indexer.indexing.instants import iso
from site_indexer.indexing.model import Reviewed, RunRequest, RunResult, RunStatus
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.recording import log_run, recorded
from site_indexer.indexing.removal_questions import Question
from site_indexer.indexing.run_identity import is_shell_run
from site_indexer.indexing.skipping import describe_question

SHELL_USER = "the shell"
HOW_TO_ANSWER = "Answer with --accept-removals or --reject-removals; until then other blocks wait."


def ask_for_answer(
    collaborators: Collaborators,
    request: RunRequest,
    reviewed: Reviewed,
    watermark: str | None,
    *,
    started: float,
) -> RunResult:
    """Leave the question of a reviewed run behind; the run ends as waiting for approval."""
    question = _ask(collaborators, request, reviewed)
    collaborators.run_log.end(RunStatus.WAITING_FOR_APPROVAL.value)
    return _unpublished(
        request,
        reviewed,
        RunStatus.WAITING_FOR_APPROVAL,
        watermark,
        message=question.plain,
        started=started,
    )


def accept_beforehand(
    collaborators: Collaborators, request: RunRequest, reviewed: Reviewed
) -> None:
    """Ask and agree at once: the person has said so when the run was begun."""
    _ask(collaborators, request, reviewed, again=True)
    _record(collaborators, request, reviewed.digest, approved=True)


def answer_waiting(
    collaborators: Collaborators, request: RunRequest, *, approved: bool, started: float
) -> RunResult | None:
    """Answer the question that waits for the request's target, and publish its change set.

    The log of the run that asked has it. None where no question waits and the person agrees
    beforehand. Raises UsageError where there is nothing to reject, ConfigurationError where the
    question was asked in Airflow.
    """
    site, target = collaborators.definition(request.site).id, request.target
    question = waiting_question(collaborators, site, target, request.now)
    if question is None:
        if approved:
            return None
        raise UsageError(
            f"No removals of {site} ({target.value}) wait for an answer.",
            hint="Run without --reject-removals.",
            site=site,
        )
    if not is_shell_run(question.run_id) or "now" not in question.details:
        raise ConfigurationError(
            f"{describe_question(question)}; it was not asked by this command.",
            hint="Answer where it was asked: in Airflow, at the run's task approve.",
            site=site,
        )
    waiting, reviewed = _waiting_run(request, question)
    with recorded(collaborators, log_run(waiting), "run") as recording:
        return _answer(
            recording,
            waiting,
            reviewed,
            watermark=question.details["watermark"],
            approved=approved,
            now=request.now,
            started=started,
        )


def _answer(
    collaborators: Collaborators,
    waiting: RunRequest,
    reviewed: Reviewed,
    *,
    watermark: str | None,
    approved: bool,
    now: dt.datetime,
    started: float,
) -> RunResult:
    _record(collaborators, waiting, reviewed.digest, approved=approved)
    if not approved:
        collaborators.run_log.end(RunStatus.FAILED.value)
        return _unpublished(
            waiting,
            reviewed,
            RunStatus.FAILED,
            watermark,
            message="The removals were rejected; nothing was changed.",
            started=started,
        )
    return finish(collaborators, waiting, reviewed, now=now, started=started)


def _waiting_run(request: RunRequest, question: RemovalQuestion) -> tuple[RunRequest, Reviewed]:
    details = question.details
    waiting = replace(
        request,
        run_id=question.run_id,
        now=dt.datetime.fromisoformat(details["now"]),
        clear_date=details["clear_date"],
        window=None,
    )
    return waiting, Reviewed(question.subject, details["counts"], "", details["question"])


def _ask(
    collaborators: Collaborators, request: RunRequest, reviewed: Reviewed, *, again: bool = False
) -> Question:
    question = Question(**(reviewed.question or {}))
    stored = load_plan(collaborators.client, reviewed.digest)
    ask(
        collaborators,
        question,
        site=request.site,
        target=request.target,
        run_id=request.run_id,
        subject=reviewed.digest,
        now=request.now,
        again=again,
        details={
            "now": request.now.isoformat(),
            "clear_date": request.clear_date,
            "counts": dict(reviewed.counts),
            "watermark": iso(stored.held),
            "question": question.as_dict(),
        },
    )
    return question


def _record(
    collaborators: Collaborators, request: RunRequest, digest: str, *, approved: bool
) -> None:
    record_answer(
        collaborators,
        site=request.site,
        target=request.target,
        run_id=request.run_id,
        subject=digest,
        approved=approved,
        by=SHELL_USER,
        now=request.now,
    )


def _unpublished(
    request: RunRequest,
    reviewed: Reviewed,
    status: RunStatus,
    watermark: str | None,
    *,
    message: str,
    started: float,
) -> RunResult:
    waits = status is RunStatus.WAITING_FOR_APPROVAL
    question = Question(**(reviewed.question or {}))
    return RunResult(
        run_id=request.run_id,
        status=status,
        generation=None,
        alias=SiteNames(request.site).alias(request.target),
        watermark_before=watermark,
        watermark_after=watermark,
        counts={**reviewed.counts, "to_remove": question.removed, "removed": 0},
        seconds=round(time.monotonic() - started, 3),
        diagnostics=(
            {
                "severity": "warning" if waits else "error",
                "code": status.value if waits else "removals-rejected",
                "message": message,
                "hint": HOW_TO_ANSWER if waits else "Correct the script, or run again.",
            },
        ),
    )
