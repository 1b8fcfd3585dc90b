"""What searchers would lose if live showed another generation, and whether that is agreed to."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Any

from site_indexer.errors import RemovalsNotApprovedError
from site_indexer.index_store.comparing import commanded, missing_from
from site_indexer.index_store.generations import Generation
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.newer_block import Cause
from site_indexer.index_store.scan import count
from site_indexer.indexing.approving import refuse_unapproved, withdraw
from site_indexer.indexing.brake import Gone, Loss, trips
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.removal_questions import Question, log_loss, make_question

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LiveChange:
    """Live showing ``to`` in place of ``shown``; ``what`` is that in words (``Push live``).

    ``run_id`` is whose change it is. ``by_lines_of``: the target whose standing removals explain
    what is missing.
    """

    site: str
    run_id: str
    what: str
    shown: str | None
    to: Generation
    by_lines_of: Target | None = None

    @property
    def subject(self) -> str:
        """The name of this very change, for the question about it."""
        return f"{self.what}: {self.shown} -> {self.to.name}"


def loss_of_change(collaborators: Collaborators, change: LiveChange) -> Loss:
    """What searchers would not find any more. The generations must be open."""
    client = collaborators.client
    after = count(client, change.to.name)
    if change.shown is None:
        return Loss(0, after, ())
    missing = missing_from(client, change.to.name, change.shown)
    lines: dict[str, tuple[str, int | None]] = {}
    if change.by_lines_of is not None:
        for each in commanded(client, change.site, change.by_lines_of, change.to.name, missing):
            written = "delete" if each.cause is Cause.DELETE else "deletemask"
            lines[each.document_id] = (written, each.line)
    gone = []
    for document in missing:
        cause, line = lines.get(document.document_id, (f"not in {change.to.name}", None))
        gone.append(
            Gone(
                document.document_id,
                document.url,
                cause,
                line,
                commanded=document.document_id in lines,
            )
        )
    return Loss(count(client, change.shown), after, tuple(gone))


def question_about_change(collaborators: Collaborators, change: LiveChange) -> Question | None:
    """What a person has to agree to before the change; None where nothing."""
    limits = collaborators.definition(change.site).brake
    loss = loss_of_change(collaborators, change)
    reasons = trips(loss, limits)
    logger.info(
        "%s: %d documents now, %d then; %d would go.",
        change.what,
        loss.before,
        loss.after,
        len(loss.gone),
    )
    if not reasons:
        return None
    log_loss(loss)
    alias = SiteNames(change.site).alias(Target.LIVE)
    return make_question(loss, reasons, limits, alias=alias, what=change.what)


def refuse_unapproved_change(collaborators: Collaborators, change: LiveChange) -> None:
    """Raise RemovalsNotApprovedError where the brake trips and no answer on record covers it.

    It counts again. Where it refuses, the change's question does not wait any longer.
    """
    limits = collaborators.definition(change.site).brake
    loss = loss_of_change(collaborators, change)
    reasons = trips(loss, limits)
    if not reasons:
        return
    try:
        refuse_unapproved(
            collaborators, loss, reasons, limits, site=change.site, target=Target.LIVE,
            run_id=change.run_id, subject=change.subject, task="look",
        )  # fmt: skip
    except RemovalsNotApprovedError:
        withdraw(collaborators, change.site, Target.LIVE, change.run_id)
        raise


def as_facts(change: LiveChange, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - any JSON value
    """The change as people and programs are told of it."""
    return {
        "site": change.site,
        "alias": SiteNames(change.site).alias(Target.LIVE),
        "generation": change.to.name,
        "replaced": change.shown,
        **more,
    }
