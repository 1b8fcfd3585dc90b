"""The Dag of a site's script: one run reads, plans, acts, reviews, publishes and tidies.

docs/spec/05-index-lifecycle.md, *One run*, says what each step does; docs/adr/0005 why a crawl is
one task.
"""

from __future__ import annotations

import datetime as dt
import os
from dataclasses import asdict
from typing import Any

from airflow.sdk import DAG, TriggerRule
from airflow.sdk.definitions.callback import SyncCallback
from airflow.sdk.definitions.deadline import DeadlineAlert, DeadlineReference

from site_indexer.orchestration import script_dag_docs as docs
from site_indexer.orchestration.approvals import Approve, Asking
from site_indexer.orchestration.live_asset import live_outlet
from site_indexer.orchestration.notifying import (
    alerted_site,
    on_failure,
    on_waiting,
    run_is_overdue,
)
from site_indexer.orchestration.run_options import script_params
from site_indexer.orchestration.schedules import schedule_in_words, timetable
from site_indexer.orchestration.script_tasks import ScriptTasks
from site_indexer.orchestration.steps import Gate, Step
from site_indexer.orchestration.use_cases import UseCaseSource, indexing_use_cases
from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.scalars import duration_text

TAG = "site-indexer"

# Fixed, so that a Dag is the same at each parse; early, so that old scripts can be backfilled.
START = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)

READING_TIMEOUT = dt.timedelta(minutes=30)
STORE_TIMEOUT = dt.timedelta(hours=1)
CRAWL_MARGIN = dt.timedelta(minutes=30)
"""A crawl ends by itself after the site's ``max_minutes``; this is for what comes after."""

RETRY_DELAY_VARIABLE = "SITE_INDEXER_RETRY_DELAY_S"
"""Environment variable that sets the time before the first retry, in seconds."""
DEFAULT_RETRY_DELAY_S = 30.0


def retrying() -> dict[str, Any]:
    """How often and when a task that failed is tried again, as arguments of an operator."""
    first = float(os.environ.get(RETRY_DELAY_VARIABLE) or DEFAULT_RETRY_DELAY_S)
    return {
        "retries": 3,
        "retry_delay": dt.timedelta(seconds=first),
        "retry_exponential_backoff": 2.0,
        "max_retry_delay": dt.timedelta(minutes=5),
    }


def script_dag_id(site: str) -> str:
    """The id of the Dag that runs a site's script."""
    return f"{site}_script"


def build_script_dag(
    definition: SiteDefinition, use_cases: UseCaseSource = indexing_use_cases
) -> DAG:
    """Build the Dag ``<site>_script``. ``use_cases`` gives its tasks what they call."""
    dag = DAG(
        dag_id=script_dag_id(definition.id),
        description=f"{definition.name}: index script, {schedule_in_words(definition)}",
        doc_md=docs.dag_doc(definition),
        schedule=timetable(definition),
        start_date=START,
        catchup=False,
        # With one, the runs that should skip while another waits would not even be created.
        max_active_runs=2,
        params=script_params(),
        on_failure_callback=on_failure(alerted_site(definition)),
        deadline=_deadline(definition),
        tags={TAG, definition.id},
        default_args={"owner": definition.owner, "execution_timeout": STORE_TIMEOUT, **retrying()},
    )
    with dag:
        _wire(ScriptTasks(definition, use_cases))
    return dag


def _deadline(definition: SiteDefinition) -> DeadlineAlert:
    """Somebody is called when a run has not ended after the site's ``stale_after``."""
    after = definition.retries.stale_after
    site = asdict(alerted_site(definition))
    return DeadlineAlert(
        reference=DeadlineReference.DAGRUN_QUEUED_AT,
        interval=after,
        callback=SyncCallback(run_is_overdue, {"site": site, "after": duration_text(after)}),
        name="stale_after",
    )


def _wire(tasks: ScriptTasks) -> None:
    read_script = _gate(tasks.read_script, execution_timeout=READING_TIMEOUT)
    plan = _gate(tasks.plan, execution_timeout=READING_TIMEOUT)
    branch = _gate(tasks.branch)
    delete = _step(tasks.delete)
    deletemask = _step(tasks.deletemask)
    crawl_timeout = dt.timedelta(minutes=tasks.definition.crawl.max_minutes) + CRAWL_MARGIN
    add = _step(tasks.add, execution_timeout=crawl_timeout)
    update = _step(
        tasks.update, execution_timeout=crawl_timeout, trigger_rule=TriggerRule.NONE_FAILED
    )
    review = _step(tasks.review, trigger_rule=TriggerRule.NONE_FAILED)
    approve = Approve(
        task_id="approve",
        doc_md=docs.TASKS["approve"],
        asking=Asking(tasks.question, tasks.ask, tasks.answer),
        asker="review",
        notifiers=[on_waiting(alerted_site(tasks.definition))],
    )
    publish = _step(tasks.publish, outlets=[live_outlet(tasks.definition.id)])
    tidy = _step(tasks.tidy, trigger_rule=TriggerRule.ALL_DONE)
    result = _step(tasks.result, trigger_rule=TriggerRule.NONE_FAILED)

    read_script >> plan >> branch >> [delete, deletemask, add, update]
    # One crawl of a host at a time.
    add >> update
    [delete, deletemask, add, update] >> review
    # A cleared task is skipped again only by a direct parent: a cleared review must see its gates.
    [read_script, plan, branch] >> review
    review >> approve >> publish >> tidy >> result
    # tidy is run whatever happened; the strict leaf still has to see how publishing ended.
    publish >> result


def _gate(body: Any, **options: Any) -> Gate:  # noqa: ANN401 - a bound method and task options
    return Gate(task_id=body.__name__, body=body, doc_md=docs.TASKS[body.__name__], **options)


def _step(body: Any, **options: Any) -> Step:  # noqa: ANN401 - a bound method and task options
    return Step(task_id=body.__name__, body=body, doc_md=docs.TASKS[body.__name__], **options)
