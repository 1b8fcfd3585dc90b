"""The few calls of Airflow's REST API that the demo and the end-to-end tests need."""

from __future__ import annotations

import re
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3 import Retry

from local_stack.errors import AirflowRefusedError

TIMEOUT_S = 30

# With SQLite many tasks at once can keep a read waiting for longer than anyone waits: ask again.
ASK_AGAIN = Retry(
    total=5, backoff_factor=0.5, allowed_methods={"GET"}, status_forcelist={500, 503},
    raise_on_status=False,
)  # fmt: skip


class AirflowApi:
    """Airflow's REST API (v2) as one logged-in user."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url
        self._session = requests.Session()
        self._session.mount(url, HTTPAdapter(max_retries=ASK_AGAIN))
        answer = self._session.post(
            f"{url}/auth/token", json={"username": user, "password": password}, timeout=TIMEOUT_S
        )
        token = _checked(answer)["access_token"]
        self._session.headers["Authorization"] = f"Bearer {token}"

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Make one call below ``/api/v2``. Raises AirflowRefusedError with Airflow's reason."""
        return _checked(
            self._session.request(method, f"{self._url}/api/v2{path}", json=body, timeout=TIMEOUT_S)
        )

    def dag(self, dag_id: str) -> dict[str, Any] | None:
        """The Dag, or None while it has not been parsed."""
        answer = self._session.get(f"{self._url}/api/v2/dags/{dag_id}", timeout=TIMEOUT_S)
        return None if answer.status_code == 404 else _checked(answer)

    def unpause(self, dag_id: str) -> None:
        """Let the scheduler run the Dag."""
        self.call("PATCH", f"/dags/{dag_id}", {"is_paused": False})

    def pause(self, dag_id: str) -> None:
        """Let new and queued runs of the Dag wait."""
        self.call("PATCH", f"/dags/{dag_id}", {"is_paused": True})

    def trigger(self, dag_id: str, conf: dict[str, Any] | None = None) -> str:
        """Trigger a run by hand; returns its id."""
        body = {"logical_date": None, "conf": conf or {}}
        run_id: str = self.call("POST", f"/dags/{dag_id}/dagRuns", body)["dag_run_id"]
        return run_id

    def run_state(self, dag_id: str, run_id: str) -> str:
        """``queued``, ``running``, ``success`` or ``failed``."""
        state: str = self.call("GET", f"/dags/{dag_id}/dagRuns/{run_id}")["state"]
        return state

    def task_states(self, dag_id: str, run_id: str) -> dict[str, str | None]:
        """The state of each task of a run; None where it has none yet."""
        tasks = self.call("GET", f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances?limit=100")
        return {task["task_id"]: task["state"] for task in tasks["task_instances"]}

    def task_log(self, dag_id: str, run_id: str, task_id: str, try_number: int = 1) -> list[str]:
        """The messages of a task's log, in order."""
        path = f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances/{task_id}/logs/{try_number}"
        content = self.call("GET", f"{path}?full_content=true")["content"]
        return [line["event"] if isinstance(line, dict) else str(line) for line in content]

    def result(self, dag_id: str, run_id: str, task_id: str) -> Any:  # noqa: ANN401 - any JSON
        """What a task returned, or None."""
        path = f"/dags/{dag_id}/dagRuns/{run_id}/taskInstances/{task_id}/xcomEntries/return_value"
        answer = self._session.get(f"{self._url}/api/v2{path}", timeout=TIMEOUT_S)
        return None if answer.status_code == 404 else _checked(answer)["value"]

    def variable(self, key: str) -> str | None:
        """The value of a Variable, or None where there is none."""
        answer = self._session.get(f"{self._url}/api/v2/variables/{key}", timeout=TIMEOUT_S)
        if answer.status_code == 404:
            return None
        value: str = _checked(answer)["value"]
        return value

    def variable_keys(self, pattern: re.Pattern[str]) -> list[str]:
        """The keys of all Variables that the pattern matches whole."""
        found = self.call("GET", "/variables?limit=1000")["variables"]
        return [variable["key"] for variable in found if pattern.fullmatch(variable["key"])]

    def delete_variable(self, key: str) -> None:
        """Delete a Variable if it is there."""
        answer = self._session.delete(f"{self._url}/api/v2/variables/{key}", timeout=TIMEOUT_S)
        if answer.status_code != 404:
            _checked(answer)

    def import_errors(self) -> list[str]:
        """What went wrong with Dag files, as text."""
        errors = self.call("GET", "/importErrors")["import_errors"]
        return [f"{error['filename']}: {error['stack_trace']}" for error in errors]


def _checked(answer: requests.Response) -> dict[str, Any]:
    if not answer.ok:
        raise AirflowRefusedError(
            f"Airflow answered {answer.status_code} to {answer.request.method} "
            f"{answer.request.path_url}: {answer.text[:500]}"
        )
    parsed: dict[str, Any] = answer.json() if answer.content else {}
    return parsed
