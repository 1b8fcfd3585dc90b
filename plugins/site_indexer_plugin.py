"""Registers Site Indexer with Airflow."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from site_indexer.orchestration import preloading


class SiteIndexerPlugin(AirflowPlugin):
    """What Site Indexer adds to Airflow's own processes."""

    name = "site_indexer"
    listeners = [preloading]  # noqa: RUF012 - as Airflow declares it
