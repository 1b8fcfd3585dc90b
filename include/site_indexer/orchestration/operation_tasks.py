"""The bodies of the tasks of the operation Dags: each calls one use case."""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from airflow.sdk import Context

from site_indexer.errors import RunFailedError
from site_indexer.index_store.names import Target
from site_indexer.orchestration import operation_options as options
from site_indexer.orchestration.live_asset import note_shown
from site_indexer.orchestration.operation_options import read_operation, read_watermark
from site_indexer.orchestration.operation_use_cases import Operation, OperationUseCaseSource

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class OperationTasks:
    """The task bodies of one operation. ``known`` are the options that its form has."""

    use_cases: OperationUseCaseSource = field(repr=False)
    known: tuple[str, ...]

    def look_at_push(self, context: Context) -> Mapping[str, Any]:
        """What pushing live would do."""
        force = bool(context["params"][options.FORCE])
        return asdict(self.use_cases().look_at_push(self._operation(context), force=force))

    def push_live(self, context: Context) -> Mapping[str, Any]:
        """Show searchers the staged index."""
        force = bool(context["params"][options.FORCE])
        operation = self._operation(context)
        facts = _told(self.use_cases().push_live(operation, force=force))
        note_shown(context, operation.site, operation.run_id, facts)
        return facts

    def look_at_rollback(self, context: Context) -> Mapping[str, Any]:
        """What rolling back would do."""
        wanted = str(context["params"][options.GENERATION] or "").strip() or None
        return asdict(self.use_cases().look_at_rollback(self._operation(context), wanted))

    def roll_back(self, context: Context) -> Mapping[str, Any]:
        """Show searchers an earlier generation."""
        generation, operation = _outlook(context)["generation"], self._operation(context)
        facts = _told(self.use_cases().roll_back(operation, generation))
        note_shown(context, operation.site, operation.run_id, facts)
        return facts

    def drop_staged(self, context: Context) -> Mapping[str, Any]:
        """Let the staged index go."""
        return _told(self.use_cases().drop_staged(self._operation(context)))

    def set_watermark(self, context: Context) -> Mapping[str, Any]:
        """Set the watermark, or clear it."""
        operation = self._operation(context)
        target = Target(context["params"][options.TARGET])
        value = read_watermark(context["params"])
        return _told(self.use_cases().set_watermark(operation, target, value))

    def hold(self, context: Context) -> Mapping[str, Any]:
        """Release a hold, or set one."""
        operation, params = self._operation(context), context["params"]
        if params[options.ACTION] == "set":
            return _told(self.use_cases().put_on_hold(operation))
        return _told(self.use_cases().release_hold(operation, params[options.ON_RELEASE]))

    def question(self, context: Context) -> Mapping[str, Any] | None:
        """What the task before wants a person to agree to."""
        question: Mapping[str, Any] | None = _outlook(context)["question"]
        return question

    def ask(self, context: Context, question: Mapping[str, Any], again: bool) -> dt.datetime:
        """Let the question wait for its answer."""
        subject = _outlook(context)["subject"]
        return self.use_cases().ask(self._operation(context), subject, question, again=again)

    def answer(self, context: Context, approved: bool, by: str) -> None:
        """Record the answer of a person."""
        subject = _outlook(context)["subject"]
        self.use_cases().answer(self._operation(context), subject, approved=approved, by=by)

    def _operation(self, context: Context) -> Operation:
        return read_operation(context, self.known)


def _outlook(context: Context) -> Mapping[str, Any]:
    found: Mapping[str, Any] | None = context["ti"].xcom_pull(task_ids="look")
    if found is None:
        raise RunFailedError(
            "The task look has left nothing, as if it had been marked by hand.",
            hint="Clear look with its downstream tasks.",
        )
    return found


def _told(facts: Mapping[str, Any]) -> Mapping[str, Any]:
    for name, value in facts.items():
        logger.info("%s: %s", name, value)
    return facts
