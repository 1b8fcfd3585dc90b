"""The use cases of ``site_indexer.indexing`` with the collaborators of a task process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from site_indexer.index_script.model import Action
from site_indexer.indexing import (
    approving,
    concluding,
    crawling,
    plan_making,
    publishing,
    removing,
    reviewing,
    script_reading,
    tidying,
    waiting_blocks,
)
from site_indexer.indexing.model import (
    Planned,
    PublishOutcome,
    Reviewed,
    RunRequest,
    RunResult,
    ScriptRead,
)
from site_indexer.indexing.removal_questions import Question
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.orchestration.airflow_connections import AirflowConnections
from site_indexer.orchestration.airflow_runs import AirflowRuns
from site_indexer.orchestration.watermark_variable import VariableWatermarks


class IndexingUseCases:
    """ScriptUseCases on OpenSearch, the network, Airflow's Variables and connections.

    Settings are read from the environment when it is made.
    """

    def __init__(self) -> None:
        self._collaborators = build_collaborators(
            None, VariableWatermarks(), connections=AirflowConnections(), runs=AirflowRuns()
        )

    def read_script(self, request: RunRequest) -> ScriptRead:
        """Find what is new in the site's script."""
        return script_reading.read_script(self._collaborators, request)

    def make_plan(self, request: RunRequest, digest: str | None) -> Planned:
        """Show the plan; without a digest read the script once more."""
        return plan_making.make_plan(self._collaborators, request, digest)

    def remove(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, Any]:
        """Carry out the commands of ``delete`` or ``deletemask``."""
        return removing.remove(self._collaborators, request, digest, action)

    def crawl(self, request: RunRequest, digest: str, action: Action) -> Mapping[str, Any]:
        """Carry out the commands of ``add`` or ``update``."""
        return crawling.crawl(self._collaborators, request, digest, action)

    def review(self, request: RunRequest, digest: str) -> Reviewed:
        """Check what the run has gathered."""
        return reviewing.review(self._collaborators, request, digest)

    def ask(
        self, request: RunRequest, digest: str, question: Mapping[str, Any], *, again: bool
    ) -> dt.datetime:
        """Let a question wait for its answer; returns until when."""
        asked = approving.ask(
            self._collaborators,
            Question(**question),
            site=request.site,
            target=request.target,
            run_id=request.run_id,
            subject=digest,
            now=dt.datetime.now(dt.UTC),
            again=again,
        )
        return asked.until

    def answer(self, request: RunRequest, digest: str, *, approved: bool, by: str) -> None:
        """Record the answer to a question."""
        approving.record_answer(
            self._collaborators,
            site=request.site,
            target=request.target,
            run_id=request.run_id,
            subject=digest,
            approved=approved,
            by=by,
            now=dt.datetime.now(dt.UTC),
        )

    def publish(self, request: RunRequest, digest: str) -> PublishOutcome:
        """Put what the run has gathered before searchers."""
        return publishing.publish(self._collaborators, request, digest)

    def tidy(self, request: RunRequest) -> Mapping[str, Any]:
        """Remove what is no longer kept."""
        return tidying.tidy(self._collaborators, request)

    def stale_since(self, request: RunRequest) -> dt.datetime | None:
        """Since when new blocks wait, where somebody is to be told of it now."""
        return waiting_blocks.stale_since(self._collaborators, request)

    def conclude(self, request: RunRequest, result: RunResult) -> None:
        """Sum the run up in the logs."""
        concluding.conclude(self._collaborators, request, result)
