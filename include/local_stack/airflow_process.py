"""Airflow standalone as a child process, bound to 127.0.0.1, that leaves nothing behind."""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import requests

from local_stack import guard
from local_stack.errors import AirflowNotReadyError, PortInUseError

HOST = "127.0.0.1"
PROJECT = Path(__file__).parents[2]
POLL_S = 0.25


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def require_free(port: int, program: str, otherwise: str) -> None:
    """Raise PortInUseError where something listens on a port that a program needs."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise PortInUseError(
                f"Port {port} for {program} is taken by another program (a demo that still runs?).",
                hint=f"Stop that program, or {otherwise}.",
            ) from error


class AirflowStandalone:
    """One Airflow with its own home folder, database (SQLite) and log-in.

    ``environment`` is added to that of this process. Its output is in ``<home>/standalone.log``.
    Attribute ``environment``: all that its processes are given.
    """

    def __init__(self, home: Path, port: int, environment: Mapping[str, str]) -> None:
        self.home = home
        self.port = port
        self.url = f"http://{HOST}:{port}"
        self.log = home / "standalone.log"
        self.environment = {**os.environ, **_settings(home, port), **environment}
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the processes; :meth:`wait_until_ready` waits for them.

        Raises PortInUseError where something listens on the port.
        """
        require_free(self.port, "Airflow", "set SITE_INDEXER_AIRFLOW_PORT to a free port")
        self.home.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as log:
            airflow = Path(sys.executable).with_name("airflow")
            self._process = subprocess.Popen(  # noqa: S603 - programs of this environment
                [sys.executable, guard.__file__, airflow, "standalone"],
                cwd=PROJECT,
                env=self.environment,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def pid(self) -> int:
        """The process from which all others of this Airflow come; it has to be started."""
        if self._process is None:
            raise AirflowNotReadyError("Airflow is not started.")
        return self._process.pid

    def wait_until_ready(self, wait_seconds: float) -> None:
        """Return once the API answers, and the scheduler and the Dag processor work.

        Raises AirflowNotReadyError with the last lines of the log.
        """
        deadline = time.monotonic() + wait_seconds
        while time.monotonic() < deadline:
            if self._process is None or self._process.poll() is not None:
                raise AirflowNotReadyError(f"Airflow ended while starting.\n{self._last_lines()}")
            if self._is_healthy():
                return
            time.sleep(POLL_S)
        raise AirflowNotReadyError(
            f"Airflow did not get ready within {wait_seconds:.0f} s.\n{self._last_lines()}",
            hint=f"See {self.log}.",
        )

    def credentials(self) -> tuple[str, str]:
        """User and password of the log-in that Airflow made up at its first start."""
        path = self.home / "simple_auth_manager_passwords.json.generated"
        user, password = next(iter(json.loads(path.read_text()).items()))
        return user, password

    def stop(self) -> None:
        """End every process that was started, by force where it does not end by itself."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            process.stdin.close()
            process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _is_healthy(self) -> bool:
        try:
            answer = requests.get(f"{self.url}/api/v2/monitor/health", timeout=5)
            health = answer.json() if answer.ok else {}
        except (requests.RequestException, ValueError):
            return False
        parts = ("metadatabase", "scheduler", "dag_processor")
        return all(health.get(part, {}).get("status") == "healthy" for part in parts)

    def _last_lines(self, count: int = 15) -> str:
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])


def _settings(home: Path, port: int) -> dict[str, str]:
    """Airflow's settings for one machine: small, quick, closed to the outside."""
    return {
        "AIRFLOW_HOME": str(home),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "PYTHONPATH": str(PROJECT / "include"),
        "AIRFLOW__CORE__DAGS_FOLDER": str(PROJECT / "dags"),
        "AIRFLOW__CORE__PLUGINS_FOLDER": str(PROJECT / "plugins"),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__PARALLELISM": "4",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://{HOST}:{port}/execution/",
        "AIRFLOW__API__HOST": HOST,
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://{HOST}:{port}",
        "AIRFLOW__API__WORKERS": "1",
        "AIRFLOW__API__SECRET_KEY": secrets.token_hex(32),
        "AIRFLOW__API_AUTH__JWT_SECRET": secrets.token_hex(64),
        # Unpausing a Dag would at once run its latest tick, beside the runs shown here.
        "AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE": "False",
        "AIRFLOW__SCHEDULER__SCHEDULER_IDLE_SLEEP_TIME": "0.1",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "60",
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "15",
        "AIRFLOW__DAG_PROCESSOR__REFRESH_INTERVAL": "30",
        "AIRFLOW__LOGGING__WORKER_LOG_SERVER_PORT": str(free_port()),
        "AIRFLOW__LOGGING__TRIGGER_LOG_SERVER_PORT": str(free_port()),
        "NO_COLOR": "1",
    }
