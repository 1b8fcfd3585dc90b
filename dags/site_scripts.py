"""The Dags ``<site>_script``, one for each file in ``include/sites`` (docs/adr/0004)."""

from __future__ import annotations

from airflow.sdk import get_parsing_context

from site_indexer.orchestration.site_dags import script_dags, sites_directory

for dag in script_dags(sites_directory(), only=get_parsing_context().dag_id):
    globals()[dag.dag_id] = dag
