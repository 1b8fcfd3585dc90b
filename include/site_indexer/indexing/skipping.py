"""Why a script run is not to begin: its target is on hold, or waits for an answer of a person.

It then ends green, with the rest skipped: the blocks stay new, and a later run takes them
(docs/spec/05-index-lifecycle.md, *What ends how*).
"""

from __future__ import annotations

import logging

from site_indexer.index_store.approvals import RemovalQuestion
from site_indexer.indexing.approving import waiting_question
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.holding import describe_hold, hold_of
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.model import RunRequest, RunStatus, ScriptRead

logger = logging.getLogger(__name__)


def skipped_run(collaborators: Collaborators, request: RunRequest) -> ScriptRead | None:
    """What the first step of a run that must not begin comes to; None where it may begin."""
    hold = hold_of(collaborators, request.site, request.target)
    if hold is not None:
        return _ended(
            collaborators, request, RunStatus.HELD, f"{describe_hold(hold)}. The run ends here."
        )
    question = waiting_question(collaborators, request.site, request.target, request.now)
    if question is not None and question.run_id != request.run_id:
        words = f"{describe_question(question)}. Until then other blocks wait: the run ends here."
        return _ended(collaborators, request, RunStatus.WAITING_FOR_APPROVAL, words)
    return None


def describe_question(question: RemovalQuestion) -> str:
    """A question that waits, as a sentence without its full stop."""
    removed = question.vanished + question.commanded
    return (
        f"Run {question.run_id} asks whether {removed} documents may go from {question.site} "
        f"({question.target.value}) and waits for an answer until {in_words(question.until)}"
    )


def _ended(
    collaborators: Collaborators, request: RunRequest, status: RunStatus, summary: str
) -> ScriptRead:
    logger.warning("%s", summary)
    if request.window is not None:
        logger.warning("No other run makes this window up: clear this run afterwards.")
    held = iso(collaborators.watermarks.get(request.site, request.target))
    return ScriptRead(
        has_work=False,
        digest=None,
        summary=summary,
        script_url=collaborators.definition(request.site).script.url,
        script_digest="",
        selected=0,
        skipped={},
        action_types=(),
        commands={},
        watermark_before=held,
        watermark_after=held,
        ends_as=status.value,
    )
