"""Imports what tasks need into the scheduler, before it forks the workers of the LocalExecutor.

A task would spend about a second on these imports, a run with its eleven tasks several times as
long as on its work; forked workers have them already. Other executors and task processes are left
alone: there it would save nothing.
"""

from __future__ import annotations

import importlib

from airflow.jobs.job import Job
from airflow.listeners import hookimpl

NEEDED_BY_TASKS = (
    "site_indexer.orchestration.site_dags",
    "site_indexer.orchestration.indexing_use_cases",
)


@hookimpl
def on_starting(component: object) -> None:
    """Import the modules when a long-lived part of Airflow starts."""
    if isinstance(component, Job):
        for module in NEEDED_BY_TASKS:
            importlib.import_module(module)
