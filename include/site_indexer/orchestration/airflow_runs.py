"""What became of Airflow's runs: one that was marked as failed asks nobody any more."""

from __future__ import annotations

import logging

from airflow.sdk import get_current_context
from airflow.sdk.exceptions import AirflowRuntimeError

from site_indexer.indexing.run_identity import is_shell_run
from site_indexer.orchestration.operation_dags import OPERATION_PREFIX
from site_indexer.orchestration.script_dag import script_dag_id

ENDED = frozenset({"success", "failed"})
_NOT_FOUND = 404

logger = logging.getLogger(__name__)


class AirflowRuns:
    """The Runs port on Airflow's own; works inside tasks only."""

    def has_ended(self, site: str, run_id: str) -> bool:
        """Whether the run is green or red by now, or was deleted; False where Airflow is silent."""
        if is_shell_run(run_id):
            return False
        dag_id, name = _run_of(site, run_id)
        try:
            return get_current_context()["ti"].get_dagrun_state(dag_id, name) in ENDED
        except AirflowRuntimeError as error:
            detail = error.error.detail or {}
            if detail.get("status_code") == _NOT_FOUND:
                return True
            logger.warning("What became of run %s is not known: %s", run_id, error)
            return False


def _run_of(site: str, run_id: str) -> tuple[str, str]:
    """The Dag and the run in it; the log names runs of operations by both."""
    dag_id, _, name = run_id.partition("/")
    if name and dag_id.startswith(OPERATION_PREFIX):
        return dag_id, name
    return script_dag_id(site), run_id
