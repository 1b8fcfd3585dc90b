"""Workers of the LocalExecutor are forked with the imports of the tasks (plugin)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PROGRAM = """
import sys
from airflow.jobs.job import Job
from airflow.plugins_manager import get_import_errors
assert get_import_errors() == {}, get_import_errors()
before = "site_indexer.orchestration.indexing_use_cases" in sys.modules
Job()
after = "site_indexer.orchestration.indexing_use_cases" in sys.modules
assert (before, after) == (False, True), (before, after)
"""


def test_starting_a_scheduler_loads_what_tasks_need(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={
            **os.environ,
            "AIRFLOW_HOME": str(tmp_path),
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(PROJECT / "plugins"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
