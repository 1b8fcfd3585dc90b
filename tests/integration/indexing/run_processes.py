"""Runs in processes of their own, which can be stopped, killed and let go on at any request."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from site_indexer.indexing.model import RunRequest
from tests.integration.indexing import run_server
from tests.integration.indexing.conftest import Workbench

ROOT = Path(__file__).parents[3]
SHORT_TURN_S = "0.3"
"""What a killed process holds is free again soon."""


@dataclass
class RunProcess:
    """One run in a process of its own."""

    server: subprocess.Popen[str]
    pid: int

    def paused_at(self) -> str | None:
        """Wait until it stops; the request that it stops before, or None where it has ended."""
        found: str | None = self._next().get("paused")
        return found

    def ended(self) -> tuple[str, int]:
        """Wait for its end: the status or the error's code, and how many requests it made."""
        told = self._next()
        return str(told["ended"]), int(str(told["requests"]))

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def freeze(self) -> None:
        """Stop all its threads, as a machine does that hangs."""
        os.kill(self.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        os.kill(self.pid, signal.SIGCONT)
        os.kill(self.pid, signal.SIGUSR1)

    def _next(self) -> dict[str, str | None]:
        told: dict[str, str | None] = json.loads(read_line(self.server))
        return told


class RunServer:
    """Starts runs in processes of their own."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def start(
        self, request: RunRequest, *, pause_at: int | None = None, pause_after: str | None = None
    ) -> RunProcess:
        order = {
            "site": request.site,
            "run_id": request.run_id,
            "now": request.now.isoformat(),
            "target": request.target.value,
            "pause_at": pause_at,
            "pause_after": pause_after,
            # With a draft nothing is left to be copied in the end.
            "drafts": pause_after != "/_reindex",
        }
        if self._process.stdin is None:
            raise RuntimeError("the server has no standard input")
        self._process.stdin.write(json.dumps(order) + "\n")
        self._process.stdin.flush()
        return RunProcess(self._process, json.loads(read_line(self._process))["pid"])


def read_line(process: subprocess.Popen[str]) -> str:
    if process.stdout is None:
        raise RuntimeError("the server has no standard output")
    line = process.stdout.readline()
    if not line:
        raise RuntimeError("the server has ended")
    return line


@contextmanager
def run_processes(workbench: Workbench, opensearch_url: str | None = None) -> Iterator[RunServer]:
    """A server for the runs of a workbench; it ends with all it has started."""
    environment = {
        **os.environ,
        TURN_VARIABLE: SHORT_TURN_S,
        "PYTHONPATH": str(ROOT / "include"),
        "SITE_INDEXER_SITES": str(workbench.collaborators.sites_dir),
        "SITE_INDEXER_OPENSEARCH_URL": opensearch_url or workbench.opensearch_url,
    }
    process = subprocess.Popen(
        [sys.executable, run_server.__file__],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield RunServer(process)
        finally:
            process.kill()
