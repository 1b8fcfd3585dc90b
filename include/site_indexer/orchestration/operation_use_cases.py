"""What the tasks of the operation Dags call."""

from __future__ import annotations

import datetime as dt
import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from site_indexer.index_store.names import Target


@dataclass(frozen=True, slots=True)
class Operation:
    """One run of an operation: on which site, whose run, by whom, begun when (aware UTC)."""

    site: str
    run_id: str
    by: str
    now: dt.datetime


@dataclass(frozen=True, slots=True)
class Outlook:
    """What an operation on live would do.

    ``generation`` is what live would show, ``subject`` the change's name in the question about it;
    ``question`` is None where nobody has to be asked.
    """

    generation: str
    subject: str
    text: str
    question: Mapping[str, Any] | None


class OperationUseCases(Protocol):
    """What a person does to a site's indexes. Each raises SiteIndexerError."""

    def look_at_push(self, operation: Operation, *, force: bool) -> Outlook:
        """Say what pushing live would do; refuses where live has gained something."""
        ...

    def push_live(self, operation: Operation, *, force: bool) -> Mapping[str, Any]:
        """Show searchers the staged index."""
        ...

    def look_at_rollback(self, operation: Operation, to: str | None) -> Outlook:
        """Say what rolling back would do."""
        ...

    def roll_back(self, operation: Operation, to: str) -> Mapping[str, Any]:
        """Show searchers an earlier generation, and put the site on hold."""
        ...

    def ask(
        self, operation: Operation, subject: str, question: Mapping[str, Any], *, again: bool
    ) -> dt.datetime:
        """Let a question about live wait for its answer; returns until when (aware)."""
        ...

    def answer(self, operation: Operation, subject: str, *, approved: bool, by: str) -> None:
        """Record the answer."""
        ...

    def drop_staged(self, operation: Operation) -> Mapping[str, Any]:
        """Let the staged index go."""
        ...

    def set_watermark(
        self, operation: Operation, target: Target, value: dt.datetime | None
    ) -> Mapping[str, Any]:
        """Set the watermark, or clear it."""
        ...

    def put_on_hold(self, operation: Operation) -> Mapping[str, Any]:
        """Keep runs from changing live."""
        ...

    def release_hold(self, operation: Operation, watermark: str) -> Mapping[str, Any]:
        """Let runs change live again."""
        ...


OperationUseCaseSource = Callable[[], OperationUseCases]


def operation_use_cases() -> OperationUseCases:
    """The real ones. Their module is imported here, by a task, not where Dag files are parsed."""
    module = importlib.import_module("site_indexer.orchestration.live_use_cases")
    use_cases: OperationUseCases = module.LiveUseCases()
    return use_cases
