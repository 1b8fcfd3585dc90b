"""Use cases: ask a person about removals, keep the answer, and refuse to publish without one.

That nothing vanishes by accident rests on publishing alone: it counts again, and asks for the
answer on record (docs/spec/05-index-lifecycle.md, 5.9).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Callable, Mapping
from typing import Any

from site_indexer.errors import RemovalsNotApprovedError, RunFailedError
from site_indexer.index_store.approvals import Answer, ApprovalStore, RemovalQuestion
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.changes import Changes
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import preview
from site_indexer.indexing.brake import Allowed, Loss, Reason, exceeds, in_words, trips
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.holding import refuse_held
from site_indexer.indexing.instants import in_words as date_in_words
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.orphaned_questions import withdraw_orphan
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.publish_requests import publish_request
from site_indexer.indexing.removal_questions import Question, log_loss, loss_of, make_question
from site_indexer.sites.definition import BrakeSection

logger = logging.getLogger(__name__)


def question_about(
    collaborators: Collaborators, request: RunRequest, digest: str
) -> Question | None:
    """What a person has to be asked before a run publishes; None where nothing has to be.

    It is worked out from the run's change set against what searchers see now. A run of staged is
    warned of, not asked about.
    """
    stored = load_plan(collaborators.client, digest)
    definition = collaborators.definition(request.site)
    change_set = ChangeSet(collaborators.client, SiteNames(request.site).changes(digest))
    if not definition.brake.min_documents and not change_set.may_remove():
        # Most runs: nothing can be lost, so that what a million pages would do is not worked out.
        return None
    changes = preview(collaborators.client, publish_request(definition, request, digest, stored))
    loss = loss_of(changes, stored.plan)
    reasons = _reasons(changes, loss, definition.brake)
    if not reasons:
        return None
    question = make_question(
        loss, reasons, definition.brake, alias=SiteNames(request.site).alias(request.target),
        what="This run",
    )  # fmt: skip
    logger.warning("The brake: %s.", question.subject)
    log_loss(loss)
    if request.target is Target.STAGED:
        logger.warning("The index is staged, so nobody is asked; live would be.")
        return None
    return question


def ask(
    collaborators: Collaborators,
    question: Question,
    *,
    site: str,
    target: Target,
    run_id: str,
    subject: str,
    now: dt.datetime,
    again: bool = False,
    details: Mapping[str, Any] | None = None,
) -> RemovalQuestion:
    """Ask; the target's runs skip until it is answered, or ``answer_within`` has passed.

    Raises RemovalsNotApprovedError where the same list was rejected when another run asked, unless
    it is asked ``again``; RunFailedError where another run's question waits.
    """
    store = ApprovalStore(collaborators.client)
    before = store.read(site, target)
    if before is not None and not again:
        _refuse_rejected(before, question, run_id)
    if before is not None and before.run_id != run_id and before.waits(now):
        withdraw_orphan(collaborators, before)
    asked = RemovalQuestion(
        site=site,
        target=target,
        run_id=run_id,
        subject=subject,
        removal_list=question.removal_list,
        vanished=question.vanished,
        commanded=question.commanded,
        reasons=question.reasons,
        asked_at=now,
        until=now + collaborators.definition(site).brake.answer_within,
        details=details or {},
    )
    other = store.ask(asked)
    if other is not None:
        raise RunFailedError(
            f"{question.subject}, which a person has to agree to; but run {other.run_id} has asked"
            f" about other removals of {site} and waits for its answer.",
            hint="Answer that first; the next run takes these blocks again.",
            site=site,
        )
    logger.warning("%s; waiting for an answer until %s.", question.subject,
                   date_in_words(asked.until))  # fmt: skip
    return asked


def record_answer(
    collaborators: Collaborators,
    *,
    site: str,
    target: Target,
    run_id: str,
    subject: str,
    approved: bool,
    by: str,
    now: dt.datetime,
) -> None:
    """Record what a person has answered to a run's question.

    Raises RunFailedError where that question is not waited on any more.
    """
    store = ApprovalStore(collaborators.client)
    question = store.read(site, target)
    if question is None or not question.is_about(run_id, subject):
        raise RunFailedError(
            f"The question about removals from {site} ({target.value}) is not waited on any more;"
            " nothing was changed.",
            hint="Clear the task review with its downstream tasks, to be asked anew.",
            site=site,
        )
    answer = Answer.APPROVED if approved else Answer.REJECTED
    store.answer(question, answer, by=by, now=now)
    logger.warning("The removals were %s by %s.", answer.value, by)


def withdraw(collaborators: Collaborators, site: str, target: Target, run_id: str) -> None:
    """Take back a run's question that nobody answered, so that other runs go on."""
    if ApprovalStore(collaborators.client).withdraw(site, target, run_id):
        logger.warning("The question about removals from %s was withdrawn unanswered.", site)


def close(collaborators: Collaborators, site: str, target: Target, run_id: str) -> None:
    """Forget a run's question, as what it asked about is done."""
    ApprovalStore(collaborators.client).close(site, target, run_id)


def waiting_question(
    collaborators: Collaborators, site: str, target: Target, now: dt.datetime
) -> RemovalQuestion | None:
    """The question of the target that waits for its answer now, if there is one.

    That of a run which has ended is taken back.
    """
    question = ApprovalStore(collaborators.client).read(site, target)
    if question is None or not question.waits(now) or withdraw_orphan(collaborators, question):
        return None
    return question


def brake_gate(
    collaborators: Collaborators, request: RunRequest, digest: str
) -> Callable[[Changes], None]:
    """What publishing asks in each round, before anything is built.

    It raises RunFailedError where the target was put on hold, RemovalsNotApprovedError where the
    brake trips and no approval is on record that covers what would go.
    """
    limits = collaborators.definition(request.site).brake

    def gate(changes: Changes) -> None:
        refuse_held(collaborators, request.site, request.target)
        loss = loss_of(changes)
        reasons = _reasons(changes, loss, limits)
        if reasons and request.target is not Target.STAGED:
            refuse_unapproved(
                collaborators, loss, reasons, limits, site=request.site, target=request.target,
                run_id=request.run_id, subject=digest, task="review",
            )  # fmt: skip

    return gate


def refuse_unapproved(
    collaborators: Collaborators,
    loss: Loss,
    reasons: tuple[Reason, ...],
    limits: BrakeSection,
    *,
    site: str,
    target: Target,
    run_id: str,
    subject: str,
    task: str,
) -> None:
    """Raise RemovalsNotApprovedError unless an approval on record covers the loss.

    ``task`` is what to clear in Airflow to be asked anew.
    """
    question = ApprovalStore(collaborators.client).read(site, target)
    gone = f"{len(loss.gone)} of {loss.before} documents of {site} would go"
    hint = f"Clear the task {task} with its downstream tasks: it counts and asks anew."
    if (
        question is None
        or not question.is_about(run_id, subject)
        or question.answer is not Answer.APPROVED
    ):
        why = "; ".join(in_words(reason, limits) for reason in reasons)
        raise RemovalsNotApprovedError(
            f"{gone}, and nobody has agreed to that ({why}); nothing was changed. Marking a task"
            " green is no agreement.",
            hint=hint,
            site=site,
        )
    allowed = Allowed(
        question.removal_list, question.vanished, question.commanded, frozenset(question.reasons)
    )
    if exceeds(loss, reasons, allowed):
        raise RemovalsNotApprovedError(
            f"{gone} now, more than the {question.vanished + question.commanded} that"
            f" {question.answered_by} agreed to; nothing was changed.",
            hint=hint,
            site=site,
        )


def _reasons(changes: Changes, loss: Loss, limits: BrakeSection) -> tuple[Reason, ...]:
    return () if changes.empty else trips(loss, limits)


def _refuse_rejected(before: RemovalQuestion, question: Question, run_id: str) -> None:
    if (
        before.answer is Answer.REJECTED
        and before.removal_list == question.removal_list
        and before.run_id != run_id
    ):
        raise RemovalsNotApprovedError(
            f"{question.subject}: {before.answered_by} rejected this very list on"
            f" {date_in_words(before.answered_at)} (run {before.run_id}); nothing was changed.",
            hint="Correct the script, or clear this task to be asked again.",
            site=before.site,
        )
