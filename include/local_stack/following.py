"""Following a Dag run to its end, telling each change of a task's state."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from local_stack.airflow_api import AirflowApi
from local_stack.errors import AirflowNotReadyError

ENDED = {"success", "failed"}
POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class FinishedRun:
    """A run at its end: its state and those of its tasks."""

    dag_id: str
    run_id: str
    state: str
    tasks: dict[str, str | None]


def wait_for_dag(api: AirflowApi, dag_id: str, wait_seconds: float) -> None:
    """Return once the Dag is parsed. Raises AirflowNotReadyError, on import errors at once."""
    deadline = time.monotonic() + wait_seconds
    while api.dag(dag_id) is None:
        errors = api.import_errors()
        if errors or time.monotonic() > deadline:
            found = "\n".join(errors) or "no import errors"
            raise AirflowNotReadyError(f"The Dag {dag_id} did not appear; {found}")
        time.sleep(POLL_S)


def follow(
    api: AirflowApi,
    dag_id: str,
    run_id: str,
    *,
    wait_seconds: float,
    tell: Callable[[str], None] = lambda line: None,
) -> FinishedRun:
    """Wait for the end of a run. Raises AirflowNotReadyError when it takes too long."""
    deadline = time.monotonic() + wait_seconds
    started = time.monotonic()
    seen: dict[str, str | None] = {}
    while True:
        state = api.run_state(dag_id, run_id)
        tasks = api.task_states(dag_id, run_id)
        for task, task_state in tasks.items():
            if task_state is not None and seen.get(task) != task_state:
                tell(f"{time.monotonic() - started:6.1f} s  {task:<12} {task_state}")
        seen = tasks
        if state in ENDED:
            return FinishedRun(dag_id, run_id, state, tasks)
        if time.monotonic() > deadline:
            raise AirflowNotReadyError(
                f"{run_id} of {dag_id} did not end within {wait_seconds:.0f} s: {tasks}"
            )
        time.sleep(POLL_S)
