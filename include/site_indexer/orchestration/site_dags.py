"""From site files to Dags: one file a site, and an invalid one costs only its own Dag."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from airflow.sdk import DAG

from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_files import load_one
from site_indexer.orchestration.placeholder_dag import build_placeholder_dag
from site_indexer.orchestration.script_dag import build_script_dag, script_dag_id
from site_indexer.orchestration.use_cases import UseCaseSource, indexing_use_cases
from site_indexer.sites.loader import site_files

_NOT_IN_AN_ID = re.compile(r"[^\w.-]", re.ASCII)


def sites_directory() -> Path:
    """Where the site files are: ``SITE_INDEXER_SITES``, else ``include/sites``."""
    return Settings.from_environment().sites_dir


def script_dags(
    directory: Path, *, only: str | None = None, use_cases: UseCaseSource = indexing_use_cases
) -> Iterator[DAG]:
    """The Dags of a folder of site files, in the order of their names.

    With ``only``, the id of a Dag, no other site's file is read.
    """
    for path in site_files(directory):
        dag_id = script_dag_id(_NOT_IN_AN_ID.sub("-", path.stem))
        if only not in (None, dag_id):
            continue
        site = load_one(path)
        if site.definition is not None:
            yield build_script_dag(site.definition, use_cases)
        elif site.error is not None:
            yield build_placeholder_dag(dag_id, site.error)
