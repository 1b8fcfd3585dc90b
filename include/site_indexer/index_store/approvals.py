"""Questions to a person about removals, and the answers, in ``site-indexer.state``.

At most one question a target waits at a time (docs/spec/05-index-lifecycle.md, 5.9).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any

from site_indexer.errors import RunFailedError, StoreUnreachableError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import Target
from site_indexer.index_store.state import StateStore, Versioned

_KIND = "removal-question"
_TRIES = 10


class Answer(StrEnum):
    """What became of a question."""

    WAITING = "waiting"
    APPROVED = "approved"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class RemovalQuestion:
    """A list of removals that a person is asked about.

    ``subject`` says what would remove: the digest of a change set, or two generations.
    ``removal_list`` is the digest of what would go, ``vanished`` and ``commanded`` how many, and
    ``reasons`` why it is asked. ``until`` (aware): when nobody answers any more. ``details`` are
    the asker's, JSON-safe.
    """

    site: str
    target: Target
    run_id: str
    subject: str
    removal_list: str
    vanished: int
    commanded: int
    reasons: tuple[str, ...]
    asked_at: dt.datetime
    until: dt.datetime
    answer: Answer = Answer.WAITING
    answered_by: str | None = None
    answered_at: dt.datetime | None = None
    details: Mapping[str, Any] = field(default_factory=dict)

    def waits(self, now: dt.datetime) -> bool:
        """Whether an answer is still waited for."""
        return self.answer is Answer.WAITING and now < self.until

    def is_about(self, run_id: str, subject: str) -> bool:
        """Whether it was asked by that run, about that."""
        return (self.run_id, self.subject) == (run_id, subject)


@dataclass(frozen=True, slots=True)
class ApprovalStore:
    """The last question of each site and target. Raises what ``store_errors`` raises."""

    client: StoreClient

    def read(self, site: str, target: Target) -> RemovalQuestion | None:
        """The last question, answered or not, or None."""
        return _question(self._seen(site, target))

    def ask(self, question: RemovalQuestion) -> RemovalQuestion | None:
        """Ask, in place of an earlier question. Returns the one of another run that still waits.

        In that case nothing is asked.
        """
        for _ in range(_TRIES):
            seen = self._seen(question.site, question.target)
            before = _question(seen)
            if (
                before is not None
                and before.run_id != question.run_id
                and before.waits(question.asked_at)
            ):
                return before
            if self._replace(question, seen):
                return None
        raise _contended(question)

    def answer(
        self, question: RemovalQuestion, answer: Answer, *, by: str, now: dt.datetime
    ) -> RemovalQuestion:
        """Record the answer to a question that waits; the same answer again is fine.

        Raises RunFailedError where the question is no longer that of its target.
        """
        answered = replace(question, answer=answer, answered_by=by, answered_at=now)
        for _ in range(_TRIES):
            seen = self._seen(question.site, question.target)
            before = _question(seen)
            if before is None or not before.is_about(question.run_id, question.subject):
                raise RunFailedError(
                    f"The question about removals from {question.site} ({question.target.value})"
                    " does not wait for an answer any more; nothing was changed.",
                    hint="Clear the task review with its downstream tasks, to be asked anew.",
                    site=question.site,
                )
            if self._replace(answered, seen):
                return answered
        raise _contended(question)

    def withdraw(self, site: str, target: Target, run_id: str) -> bool:
        """Take a question of that run back that waits; whether there was one."""
        seen = self._seen(site, target)
        question = _question(seen)
        if question is None or question.run_id != run_id or question.answer is not Answer.WAITING:
            return False
        return self._store.remove(_key(site, target), seen, refresh=False)

    def close(self, site: str, target: Target, run_id: str) -> None:
        """Forget a question of that run: what it asked about is done."""
        seen = self._seen(site, target)
        question = _question(seen)
        if question is not None and question.run_id == run_id:
            self._store.remove(_key(site, target), seen, refresh=False)

    @property
    def _store(self) -> StateStore:
        return StateStore(self.client)

    def _seen(self, site: str, target: Target) -> Versioned | None:
        return self._store.read(_key(site, target))

    def _replace(self, question: RemovalQuestion, seen: Versioned | None) -> bool:
        source = {
            **asdict(question),
            "kind": _KIND,
            "target": question.target.value,
            "answer": question.answer.value,
            "asked_at": iso(question.asked_at),
            "until": iso(question.until),
            "answered_at": question.answered_at and iso(question.answered_at),
        }
        key = _key(question.site, question.target)
        return self._store.replace(key, source, seen, refresh=False)


def _key(site: str, target: Target) -> str:
    return f"{_KIND}:{site}:{target.value}"


def _contended(question: RemovalQuestion) -> StoreUnreachableError:
    return StoreUnreachableError(
        f"The question about removals from {question.site} is being changed by others again and"
        " again.",
        hint="Try again later.",
        site=question.site,
    )


def _question(seen: Versioned | None) -> RemovalQuestion | None:
    if seen is None:
        return None
    source = seen.value
    answered_at = source.get("answered_at")
    return RemovalQuestion(
        site=source["site"],
        target=Target(source["target"]),
        run_id=source["run_id"],
        subject=source["subject"],
        removal_list=source["removal_list"],
        vanished=source["vanished"],
        commanded=source["commanded"],
        reasons=tuple(source["reasons"]),
        asked_at=parse(source["asked_at"]),
        until=parse(source["until"]),
        answer=Answer(source["answer"]),
        answered_by=source.get("answered_by"),
        answered_at=parse(answered_at) if answered_at else None,
        details=source.get("details") or {},
    )
