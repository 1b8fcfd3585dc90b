"""The bodies of the tasks of a script run: each calls one use case and says what came of it.

Only ids and counts travel between tasks; the plan and the pages are in OpenSearch.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from airflow.sdk import Context
from airflow.sdk.types import DagRunProtocol

from site_indexer.errors import RunFailedError, SiteIndexerError
from site_indexer.index_script.model import Action
from site_indexer.indexing.instants import iso
from site_indexer.indexing.model import RunRequest, RunResult, RunStatus
from site_indexer.orchestration import alerts
from site_indexer.orchestration.failures import come_back
from site_indexer.orchestration.live_asset import note_published
from site_indexer.orchestration.notifying import alerted_site, send
from site_indexer.orchestration.run_options import read_options
from site_indexer.orchestration.run_requests import (
    find_request,
    keep_request,
    make_request,
    take_request,
)
from site_indexer.orchestration.steps import Decision
from site_indexer.orchestration.use_cases import ScriptUseCases, UseCaseSource
from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.maintenance import end_of_maintenance
from site_indexer.sites.scalars import duration_text

ACTIONS = (Action.DELETE, Action.DELETEMASK, Action.ADD, Action.UPDATE)

# A dry run gives its plan as the result of its last task; what is longer is in the log only.
MAX_TABLE_LINES = 500

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ScriptTasks:
    """The task bodies of one site. Methods take the context of the running task."""

    definition: SiteDefinition = field(repr=False)
    use_cases: UseCaseSource = field(repr=False)

    def read_script(self, context: Context) -> Decision:
        """Check the options, find what is new; without anything new the run ends here.

        A dry run goes on to show its plan, though it be empty.
        """
        run = context["dag_run"]
        options = read_options(run.conf, context["params"])
        request = make_request(self.definition, run, options)
        keep_request(context, request)
        logger.info("%s", request_in_words(request))
        self._wait_for_end_of_maintenance()
        use_cases = self.use_cases()
        try:
            read = use_cases.read_script(request)
        finally:
            self._alert_if_stale(context, request, use_cases)
        if read.ends_as == RunStatus.HELD:
            send(alerts.held(alerted_site(self.definition), request.run_id, read.summary), context)
        return Decision(read.as_dict(), rest=not (read.has_work or request.dry_run))

    def plan(self, context: Context) -> Decision:
        """Show the plan; a dry run ends here."""
        request = take_request(context)
        planned = self.use_cases().make_plan(request, _digest_read(context))
        result = planned.as_dict()
        if not request.dry_run:
            return Decision({**result, "table": None})
        logger.info("Dry run: the plan is all. Nothing was crawled, nothing was changed.")
        return Decision({**result, "table": _shortened(planned.table)}, rest=True)

    def branch(self, context: Context) -> Decision:
        """Leave out the types of work that the plan has none of."""
        planned = context["ti"].xcom_pull(task_ids="plan")
        chosen = [action.value for action in ACTIONS if action in planned["action_types"]]
        idle = [action.value for action in ACTIONS if action.value not in chosen]
        logger.info("To do: %s", ", ".join(chosen) or "nothing but moving the watermark")
        if idle:
            logger.info("Without work, shown as skipped: %s", ", ".join(idle))
        return Decision({"action_types": chosen}, tasks=idle)

    def delete(self, context: Context) -> Mapping[str, Any]:
        """Carry out the ``delete`` commands."""
        return self.use_cases().remove(take_request(context), _digest(context), Action.DELETE)

    def deletemask(self, context: Context) -> Mapping[str, Any]:
        """Carry out the ``deletemask`` commands."""
        return self.use_cases().remove(take_request(context), _digest(context), Action.DELETEMASK)

    def add(self, context: Context) -> Mapping[str, Any]:
        """Crawl what the ``add`` commands name, and what is linked from there."""
        self._wait_for_end_of_maintenance()
        return self.use_cases().crawl(take_request(context), _digest(context), Action.ADD)

    def update(self, context: Context) -> Mapping[str, Any]:
        """Fetch again what the ``update`` commands match."""
        self._wait_for_end_of_maintenance()
        return self.use_cases().crawl(take_request(context), _digest(context), Action.UPDATE)

    def review(self, context: Context) -> Mapping[str, Any]:
        """Check what the run has gathered, before anyone sees it."""
        return self.use_cases().review(take_request(context), _digest(context)).as_dict()

    def question(self, context: Context) -> Mapping[str, Any] | None:
        """What the review wants a person to agree to."""
        question: Mapping[str, Any] | None = _reviewed(context)["question"]
        return question

    def ask(self, context: Context, question: Mapping[str, Any], again: bool) -> dt.datetime:
        """Let the question wait for its answer."""
        return self.use_cases().ask(take_request(context), _digest(context), question, again=again)

    def answer(self, context: Context, approved: bool, by: str) -> None:
        """Record the answer of a person, without which publishing refuses."""
        self.use_cases().answer(take_request(context), _digest(context), approved=approved, by=by)

    def publish(self, context: Context) -> Mapping[str, Any]:
        """Put it before searchers, and move the watermark."""
        request = take_request(context)
        outcome = self.use_cases().publish(request, _digest(context)).as_dict()
        note_published(context, request.site, request.target, outcome)
        return outcome

    def tidy(self, context: Context) -> Mapping[str, Any]:
        """Remove what is no longer kept, however the run ended."""
        request = find_request(context)
        if request is None:
            logger.info("The run was refused before it began; there is nothing to tidy.")
            return {}
        return self.use_cases().tidy(request)

    def result(self, context: Context) -> Mapping[str, Any]:
        """Sum the run up; a run of which any task failed never comes here and ends red."""
        outcome = context["ti"].xcom_pull(task_ids="publish")
        if outcome is None:
            logger.info("Nothing was to be published in this run.")
            return {"status": RunStatus.UNCHANGED}
        reviewed = _reviewed(context)
        result = _run_result(context["dag_run"], reviewed["counts"], outcome)
        logger.info("%s: %s", result.status.value, outcome["summary"])
        self.use_cases().conclude(take_request(context), result)
        return result.as_dict()

    def _alert_if_stale(
        self, context: Context, request: RunRequest, use_cases: ScriptUseCases
    ) -> None:
        """Call somebody if new blocks wait for too long, whatever this run has come to."""
        try:
            since = use_cases.stale_since(request)
        except SiteIndexerError as error:
            logger.warning("Whether new blocks wait for too long is not known: %s", error)
            return
        if since is not None:
            send(
                alerts.stale(
                    alerted_site(self.definition),
                    request.run_id,
                    request.target.value,
                    since=str(iso(since)),
                    after=duration_text(self.definition.retries.stale_after),
                ),
                context,
            )

    def _wait_for_end_of_maintenance(self) -> None:
        schedule = self.definition.schedule
        hours = schedule.maintenance if schedule else ()
        until = end_of_maintenance(hours, self.definition.zone, dt.datetime.now(dt.UTC))
        if until is not None:
            logger.info(
                "%s is in maintenance (%s, %s); going on at %s.",
                self.definition.id,
                ", ".join(hours),
                self.definition.timezone,
                iso(until),
            )
            raise come_back(until)


def _run_result(
    run: DagRunProtocol, reviewed: Mapping[str, int], outcome: Mapping[str, Any]
) -> RunResult:
    started = run.start_date or run.run_after
    seconds = (dt.datetime.now(dt.UTC) - started).total_seconds()
    return RunResult.of_publish(run.run_id, outcome, reviewed, seconds)


def request_in_words(request: RunRequest) -> str:
    """What a run was asked to do, as one line."""
    parts = [f"Script run of {request.site}, target {request.target.value}"]
    if request.window is not None:
        parts.append(
            f"blocks from {iso(request.window.from_)} to before {iso(request.window.to)}; "
            "the watermark stays"
        )
    if request.clear_date:
        parts.append("Clear Date")
    if request.dry_run:
        parts.append("dry run")
    if request.clear_number:
        parts.append(f"cleared {request.clear_number} times")
    return "; ".join(parts)


def _reviewed(context: Context) -> Mapping[str, Any]:
    reviewed: Mapping[str, Any] | None = context["ti"].xcom_pull(task_ids="review")
    if reviewed is None:
        raise RunFailedError(
            "The task review has left no counts, as if it had been marked by hand.",
            hint="Clear review with its downstream tasks.",
        )
    return reviewed


def _digest_read(context: Context) -> str | None:
    digest: str | None = context["ti"].xcom_pull(task_ids="read_script")["digest"]
    return digest


def _digest(context: Context) -> str:
    digest = _digest_read(context)
    if digest is None:
        raise RunFailedError(
            "The run has no stored plan.", hint="Clear read_script with its downstream tasks."
        )
    return digest


def _shortened(table: str) -> str:
    lines = table.splitlines()
    if len(lines) <= MAX_TABLE_LINES:
        return table
    left = len(lines) - MAX_TABLE_LINES
    return "\n".join([*lines[:MAX_TABLE_LINES], f"... {left} more lines are in the log"])
