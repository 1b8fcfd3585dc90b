"""Airflow's scheduler, killed as a machine or its kernel does it, and started again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from local_stack import guard
from local_stack.airflow_process import PROJECT, AirflowStandalone


@dataclass
class Scheduler:
    """The scheduler of one Airflow. Tasks are run by workers that are its children."""

    airflow: AirflowStandalone
    _restarted: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def kill(self, *, workers: bool) -> None:
        """SIGKILL it; with ``workers``, all it has started as well, as when a container dies."""
        process = self._process()
        family = [process, *(process.children(recursive=True) if workers else ())]
        for each in family:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.SIGKILL)
        while any(map(_runs, family)):
            time.sleep(0.01)

    def start(self, **settings: str) -> None:
        """Start another, with further settings of Airflow; it ends with this process."""
        airflow = Path(sys.executable).with_name("airflow")
        with (self.airflow.home / "scheduler.log").open("ab") as log:
            self._restarted.append(
                subprocess.Popen(
                    [sys.executable, guard.__file__, airflow, "scheduler"],
                    cwd=PROJECT,
                    env={**self.airflow.environment, **settings},
                    stdin=subprocess.PIPE,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
            )

    @contextmanager
    def keeping_schedules(self) -> Iterator[None]:
        """Have another one in its place meanwhile, which also runs Dags at their times."""
        self.kill(workers=False)
        self.start(AIRFLOW__SCHEDULER__USE_JOB_SCHEDULE="True")
        try:
            yield
        finally:
            self.kill(workers=False)
            self.start()

    def stop(self) -> None:
        """End what was started here."""
        for process in self._restarted:
            if process.stdin is not None:
                process.stdin.close()
            process.wait()

    def _process(self) -> psutil.Process:
        roots = [self.airflow.pid, *(process.pid for process in self._restarted)]
        found = [
            process
            for root in roots
            if psutil.pid_exists(root)
            for process in psutil.Process(root).children(recursive=True)
            if _is_scheduler(process)
        ]
        # Its workers are forks with the same command line: the eldest is the scheduler itself.
        return min(found, key=lambda process: len(process.parents()))


def _is_scheduler(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return _runs(process) and process.cmdline()[-1:] == ["scheduler"]
    return False


def _runs(process: psutil.Process) -> bool:
    """Whether it is there; nobody may have asked yet how a dead one has ended."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
