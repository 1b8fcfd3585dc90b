"""The operations of ``site_indexer.indexing`` with the collaborators of a task process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from site_indexer.errors import RunFailedError
from site_indexer.index_store.names import Target
from site_indexer.indexing import (
    approving,
    holding,
    pushing,
    rolling_back,
    staging,
    watermark_setting,
)
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso
from site_indexer.indexing.operation_log import OperationKind, operation_log
from site_indexer.indexing.removal_questions import Question
from site_indexer.indexing.run_log import FAILED
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.orchestration.airflow_connections import AirflowConnections
from site_indexer.orchestration.airflow_runs import AirflowRuns
from site_indexer.orchestration.operation_use_cases import Operation, Outlook
from site_indexer.orchestration.watermark_variable import VariableWatermarks


class LiveUseCases:
    """OperationUseCases on OpenSearch, and watermarks in Airflow Variables.

    Settings are read from the environment when it is made.
    """

    def __init__(self) -> None:
        self._collaborators = build_collaborators(
            None, VariableWatermarks(), connections=AirflowConnections(), runs=AirflowRuns()
        )

    def look_at_push(self, operation: Operation, *, force: bool) -> Outlook:
        """Say what pushing live would do; refuses where live has gained something."""
        with self._logged(operation, OperationKind.PUSH_LIVE, goes_on=True) as collaborators:
            found = pushing.look_at_push(
                collaborators, operation.site, run_id=operation.run_id, now=operation.now
            )
            if found.gained and not force:
                raise RunFailedError(
                    found.text,
                    hint="Run the staged index again, or trigger with 'Force'.",
                    site=operation.site,
                )
        return Outlook(
            found.change.to.name, found.change.subject, found.text, _asked(found.question)
        )

    def push_live(self, operation: Operation, *, force: bool) -> Mapping[str, Any]:
        """Show searchers the staged index."""
        with self._logged(operation, OperationKind.PUSH_LIVE) as collaborators:
            return pushing.push_live(
                collaborators,
                operation.site,
                run_id=operation.run_id,
                now=operation.now,
                force=force,
            )

    def look_at_rollback(self, operation: Operation, to: str | None) -> Outlook:
        """Say what rolling back would do."""
        with self._logged(operation, OperationKind.ROLL_BACK, goes_on=True) as collaborators:
            found = rolling_back.look_at_rollback(
                collaborators, operation.site, run_id=operation.run_id, to=to
            )
        return Outlook(
            found.change.to.name, found.change.subject, found.text, _asked(found.question)
        )

    def roll_back(self, operation: Operation, to: str) -> Mapping[str, Any]:
        """Show searchers an earlier generation, and put the site on hold."""
        with self._logged(operation, OperationKind.ROLL_BACK) as collaborators:
            return rolling_back.roll_back(
                collaborators,
                operation.site,
                run_id=operation.run_id,
                by=operation.by,
                now=operation.now,
                to=to,
            )

    def ask(
        self, operation: Operation, subject: str, question: Mapping[str, Any], *, again: bool
    ) -> dt.datetime:
        """Let a question about live wait for its answer; returns until when."""
        asked = approving.ask(
            self._collaborators,
            Question(**question),
            site=operation.site,
            target=Target.LIVE,
            run_id=operation.run_id,
            subject=subject,
            now=dt.datetime.now(dt.UTC),
            again=again,
        )
        return asked.until

    def answer(self, operation: Operation, subject: str, *, approved: bool, by: str) -> None:
        """Record the answer."""
        pushes = subject.startswith(pushing.WHAT)
        kind = OperationKind.PUSH_LIVE if pushes else OperationKind.ROLL_BACK
        with self._logged(operation, kind, goes_on=True) as collaborators:
            approving.record_answer(
                collaborators,
                site=operation.site,
                target=Target.LIVE,
                run_id=operation.run_id,
                subject=subject,
                approved=approved,
                by=by,
                now=dt.datetime.now(dt.UTC),
            )
            if not approved:
                collaborators.run_log.end(FAILED)

    def drop_staged(self, operation: Operation) -> Mapping[str, Any]:
        """Let the staged index go."""
        with self._logged(operation, OperationKind.DROP_STAGED, Target.STAGED) as collaborators:
            return staging.drop_staged(collaborators, operation.site)

    def set_watermark(
        self, operation: Operation, target: Target, value: dt.datetime | None
    ) -> Mapping[str, Any]:
        """Set the watermark, or clear it."""
        with self._logged(operation, OperationKind.WATERMARK, target) as collaborators:
            return watermark_setting.set_watermark(collaborators, operation.site, target, value)

    def put_on_hold(self, operation: Operation) -> Mapping[str, Any]:
        """Keep runs from changing live."""
        with self._logged(operation, OperationKind.HOLD) as collaborators:
            hold = holding.put_on_hold(
                collaborators, operation.site, by=operation.by, now=operation.now
            )
        return {"site": hold.site, "held": True, "reason": holding.describe_hold(hold)}

    def release_hold(self, operation: Operation, watermark: str) -> Mapping[str, Any]:
        """Let runs change live again."""
        with self._logged(operation, OperationKind.HOLD) as collaborators:
            mark = holding.release_hold(collaborators, operation.site, holding.ReleaseTo(watermark))
        return {"site": operation.site, "held": False, "watermark": iso(mark)}

    def _logged(
        self,
        operation: Operation,
        kind: OperationKind,
        target: Target = Target.LIVE,
        *,
        goes_on: bool = False,
    ) -> AbstractContextManager[Collaborators]:
        return operation_log(
            self._collaborators,
            kind,
            site=operation.site,
            run_id=operation.run_id,
            by=operation.by,
            target=target,
            goes_on=goes_on,
        )


def _asked(question: Question | None) -> Mapping[str, Any] | None:
    return None if question is None else question.as_dict()
