"""Who is called about an operation: the owner of the site that was chosen when it was triggered.

docs/spec/05-index-lifecycle.md, 5.17.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.sdk import Context

from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_files import load_one
from site_indexer.orchestration import alerts
from site_indexer.orchestration.alerts import AlertedSite
from site_indexer.orchestration.notifying import (
    AlertNotifier,
    alerted_site,
    failed_task,
    run_of,
)
from site_indexer.orchestration.operation_options import SITE

NOBODY = "site-indexer"
"""The owner where the site has none that is known."""


def on_operation_failure(dag_id: str, operation: str) -> AlertNotifier:
    """For the ``on_failure_callback`` of an operation's Dag. ``operation`` is in words."""
    return AlertNotifier(
        lambda context: alerts.operation_failed(
            chosen_site(context), operation, f"{dag_id}/{run_of(context)}", failed_task(context)
        )
    )


def on_operation_waiting(dag_id: str, operation: str) -> AlertNotifier:
    """For the ``notifiers`` of the task in which an operation asks a person."""
    return AlertNotifier(
        lambda context: alerts.operation_waiting(
            chosen_site(context), operation, f"{dag_id}/{run_of(context)}"
        )
    )


def chosen_site(context: Context) -> AlertedSite:
    """The site of a run, also where its file cannot be read or none was chosen."""
    site = _chosen(context)
    if not site:
        return AlertedSite("no site", "no site was chosen", NOBODY)
    found = load_one(Settings.from_environment().sites_dir / f"{site}.yaml")
    if found.definition is None:
        return AlertedSite(site, site, NOBODY)
    return alerted_site(found.definition)


def _chosen(context: Context) -> str:
    run: Any = context.get("dag_run")
    given: Mapping[str, Any] = context.get("params") or getattr(run, "conf", None) or {}
    return str(given.get(SITE) or "")
