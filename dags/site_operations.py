"""The Dags ``site_indexer_<operation>``: what a person does to a site's indexes."""

from __future__ import annotations

from airflow.sdk import get_parsing_context

from site_indexer.orchestration.operation_dags import operation_dags
from site_indexer.orchestration.site_dags import sites_directory

for dag in operation_dags(sites_directory(), only=get_parsing_context().dag_id):
    globals()[dag.dag_id] = dag
