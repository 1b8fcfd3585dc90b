"""From an Airflow run to a request to the use cases.

The first task makes the request and keeps it in an XCom; all others take it from there. So a task
that is cleared on its own, which makes Airflow count the run as cleared and started anew, still
works on the plan and the change set of the tasks that were not.
"""

from __future__ import annotations

from typing import Any

from airflow.sdk import Context
from airflow.sdk.types import DagRunProtocol
from pydantic import TypeAdapter

from site_indexer.errors import RunFailedError, UsageError
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.orchestration.run_options import RunOptions
from site_indexer.planning.model import Window
from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.ticks import previous_tick

REQUEST_KEY = "request"
FIRST_TASK = "read_script"
BACKFILL = "backfill"

_REQUESTS = TypeAdapter(RunRequest)


def make_request(
    definition: SiteDefinition, run: DagRunProtocol, options: RunOptions
) -> RunRequest:
    """The request of an Airflow run.

    The run's start is its *now*: retries keep it, clearing the whole run renews it. Raises
    UsageError for options that the kind of run does not take.
    """
    # A scheduled run that a backfill repeats keeps its id, so the kind is asked, not the id.
    is_backfill = run.run_type == BACKFILL
    return RunRequest(
        site=definition.id,
        target=options.target or (Target.STAGED if is_backfill else Target.LIVE),
        run_id=run.run_id,
        now=run.start_date or run.run_after,
        clear_number=run.clear_number or 0,
        clear_date=options.clear_date,
        dry_run=options.dry_run,
        window=_window(definition, run, options) if is_backfill else options.window,
    )


def _window(definition: SiteDefinition, run: DagRunProtocol, options: RunOptions) -> Window:
    if definition.schedule is None or run.logical_date is None:
        raise UsageError(
            f"{definition.id} has no schedule, so a backfill has no windows.",
            hint="Give the site file a schedule, or trigger a single run with 'Clear date'.",
            site=definition.id,
        )
    if options.clear_date:
        raise UsageError(
            "A backfill takes the blocks of its window whatever the watermark says; "
            "'clear_date' has no meaning there.",
            hint="Leave it off, or trigger a single run with it.",
            site=definition.id,
        )
    if options.window is not None:
        raise UsageError(
            "A backfill has a window for each tick of the schedule; 'from' and 'to' have no "
            "meaning there.",
            hint="Leave them empty, or trigger a single run with them.",
            site=definition.id,
        )
    before = previous_tick(definition.schedule.grid, definition.zone, run.logical_date)
    return Window(from_=before, to=run.logical_date)


def keep_request(context: Context, request: RunRequest) -> None:
    """Leave the request for the other tasks of the run."""
    kept = _REQUESTS.dump_python(request, mode="json")
    context["ti"].xcom_push(key=REQUEST_KEY, value=kept)


def find_request(context: Context) -> RunRequest | None:
    """The run's request, or None where the first task refused to make one."""
    kept: Any = context["ti"].xcom_pull(task_ids=FIRST_TASK, key=REQUEST_KEY)
    return None if kept is None else _REQUESTS.validate_python(kept)


def take_request(context: Context) -> RunRequest:
    """The run's request. Raises RunFailedError where there is none."""
    request = find_request(context)
    if request is None:
        raise RunFailedError(
            f"The task {FIRST_TASK} has left no request, as if it had been marked by hand.",
            hint=f"Clear {FIRST_TASK} with its downstream tasks.",
        )
    return request
