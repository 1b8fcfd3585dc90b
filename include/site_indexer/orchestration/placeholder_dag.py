"""The Dag of a site whose file cannot be used: it shows the error, and costs only itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from airflow.sdk import DAG, Context

from site_indexer.orchestration.script_dag import START, TAG, retrying
from site_indexer.orchestration.steps import Step
from site_indexer.sites.loader import SiteFileError

ERROR_TAG = "config-error"


def build_placeholder_dag(dag_id: str, error: SiteFileError) -> DAG:
    """Build a Dag that shows ``error`` as its text, and whose one task fails with it."""

    def site_file(context: Context) -> Mapping[str, Any]:
        raise error

    dag = DAG(
        dag_id=dag_id,
        description="The site file has errors: see the Dag's documentation",
        doc_md=_doc(error),
        schedule=None,
        start_date=START,
        catchup=False,
        tags={TAG, ERROR_TAG},
        default_args={"owner": TAG, **retrying()},
    )
    with dag:
        Step(
            task_id="site_file",
            body=site_file,
            doc_md="Fails with what is wrong in the site file. Correct the file; this Dag then "
            "becomes the site's own within a minute or two.",
        )
    return dag


def _doc(error: SiteFileError) -> str:
    return f"""\
### The site file cannot be used

```
{error}
```

Correct the file. Until then the site is not indexed; its index and its watermark stay as they are.
"""
