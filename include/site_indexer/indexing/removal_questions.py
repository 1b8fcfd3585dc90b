"""What a person is asked before an index loses much, in words.

The brake decides whether (``brake``); ``approving`` keeps question and answer.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from site_indexer.index_script.model import Action
from site_indexer.index_store.changes import Changes
from site_indexer.index_store.newer_block import Cause, RemovedDocument
from site_indexer.indexing.brake import Gone, Limits, Loss, Reason, in_words
from site_indexer.planning.model import Plan

SAMPLES = 10
MOST_LOGGED = 1_000

logger = logging.getLogger(__name__)

# By the outcome of the page's record.
_PAGE_CAUSES = {
    "gone": "page gone (404 or 410)",
    "noindex": "page says noindex",
    "redirect": "page has moved for good",
    "duplicate": "page names another as its original",
}


@dataclass(frozen=True, slots=True)
class Question:
    """A list of removals to be agreed to. ``subject`` is a headline, ``body`` Markdown.

    ``removal_list`` is the list's digest; ``plain`` the same as ``body``, for a terminal.
    """

    removal_list: str
    before: int
    after: int
    vanished: int
    commanded: int
    reasons: tuple[str, ...]
    subject: str
    body: str
    plain: str

    @property
    def removed(self) -> int:
        """How many documents would go."""
        return self.vanished + self.commanded

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form, from which ``Question(**...)`` makes it again."""
        return asdict(self)


def loss_of(changes: Changes, plan: Plan | None = None) -> Loss:
    """What publishing would lose; with the plan, commands are named as they are written."""
    lines = {} if plan is None else _commands(plan)
    gone = tuple(_gone(each, lines) for each in changes.decisions.removed)
    return Loss(changes.documents_before, changes.documents_after, gone)


def make_question(
    loss: Loss, reasons: Sequence[Reason], limits: Limits, *, alias: str, what: str
) -> Question:
    """Put a loss in words. ``what`` is who would remove, as the subject of a sentence."""
    head = f"{len(loss.gone)} of {loss.before} documents would go from {alias}"
    why = "; ".join(in_words(reason, limits) for reason in reasons)
    causes = [_cause_line(*each) for each in loss.by_cause()]
    samples = [each.url for each in _samples(loss)]
    return Question(
        removal_list=loss.digest,
        before=loss.before,
        after=loss.after,
        vanished=loss.vanished,
        commanded=loss.commanded,
        reasons=tuple(reason.value for reason in reasons),
        subject=head,
        body="\n".join(_markdown(loss, causes, samples, alias=alias, what=what, why=why)),
        plain="\n".join(
            [
                f"{what} would leave {loss.after} documents: {head}.",
                *(f"  {line}" for line in causes),
                f"This is asked as {why}.",
                *(f"  such as {url}" for url in samples),
            ]
        ),
    )


def log_loss(loss: Loss) -> None:
    """Write what would go: one line for each cause, then the URLs."""
    for cause, line, count in loss.by_cause():
        logger.warning("%s", _cause_line(cause, line, count))
    for each in loss.gone[:MOST_LOGGED]:
        logger.info("would go: %s (%s)", each.url, _with_line(each.cause, each.line))
    if len(loss.gone) > MOST_LOGGED:
        logger.info("... and %d more", len(loss.gone) - MOST_LOGGED)


def _markdown(
    loss: Loss, causes: list[str], samples: list[str], *, alias: str, what: str, why: str
) -> Iterator[str]:
    yield (
        f"{what} would remove **{len(loss.gone)} of {loss.before}** documents from `{alias}`; "
        f"**{loss.after}** would be there then."
    )
    yield ""
    yield from (f"* {_in_code(line)}" for line in causes)
    yield ""
    yield f"This is asked as {why}."
    if samples:
        yield ""
        yield "For example:"
        yield ""
        yield from (f"* {_in_code(url)}" for url in samples)
    yield ""
    yield (
        "**Approve**: they go, and the rest of the run is published. "
        "**Reject**: the run ends red, and nothing changes."
    )


def _samples(loss: Loss) -> Iterator[Gone]:
    """A few of each cause, of the most frequent ones first."""
    groups = [(cause, line) for cause, line, _ in loss.by_cause()][:SAMPLES]
    each_has = -(-SAMPLES // max(len(groups), 1))
    for group in groups:
        yield from [each for each in loss.gone if (each.cause, each.line) == group][:each_has]


def _in_code(text: str) -> str:
    return f"`{text.replace('`', '%60')}`"


def _cause_line(cause: str, line: int | None, count: int) -> str:
    return f"{count} by {_with_line(cause, line)}"


def _with_line(cause: str, line: int | None) -> str:
    return cause if line is None else f"{cause}, line {line}"


def _commands(plan: Plan) -> dict[int, str]:
    written: dict[int, str] = {}
    for action in (Action.DELETE, Action.DELETEMASK):
        step = plan.step(action)
        for command in step.commands if step else ():
            mask = f"{action.value} {command.mask}"
            # One line may name many URLs; they are in the samples.
            written[command.line] = action.value if command.mask is None else mask
    return written


def _gone(removed: RemovedDocument, lines: Mapping[int, str]) -> Gone:
    commanded = removed.cause is not Cause.PAGE
    if commanded:
        cause = lines.get(removed.line or 0, removed.cause.value)
    else:
        cause = _PAGE_CAUSES.get(str(removed.facts.get("outcome")), "page gone")
    return Gone(removed.document_id, removed.url, cause, removed.line, commanded=commanded)
