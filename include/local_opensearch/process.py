"""The node as a process: is it there, is it ours, end it."""

from __future__ import annotations

import time
from pathlib import Path

import psutil

from local_opensearch.errors import NodeNotStoppedError
from local_opensearch.java import home_property

POLL_S = 0.05


def is_node(pid: int, home: Path) -> bool:
    """Whether the process ``pid`` is the node of ``home``.

    A pid is used again after its process ended, so the command line decides; one that ended and
    was not yet waited for by its parent has none.
    """
    try:
        return home_property(home) in psutil.Process(pid).cmdline()
    except psutil.Error:
        return False


def end_node(pid: int, home: Path, grace_seconds: float) -> None:
    """End the node of ``home``: asked first, killed if it has not ended after the grace time.

    Raises :class:`NodeNotStoppedError` if it may not be ended or stays.
    """
    try:
        process = psutil.Process(pid)
        process.terminate()
        if not _wait_gone(process, grace_seconds):
            process.kill()
            if not _wait_gone(process, grace_seconds):
                raise _not_stopped(pid, home, "it does not end")
    except psutil.NoSuchProcess:
        return
    except psutil.AccessDenied as error:
        raise _not_stopped(pid, home, "it belongs to another user") from error


def _wait_gone(process: psutil.Process, seconds: float) -> bool:
    """Wait until the process has ended; False if it has not after so many seconds.

    While it ends it has no command line any more, and holds its files and ports still.
    """
    deadline = time.monotonic() + seconds
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > deadline:
            return False
        time.sleep(POLL_S)
    return True


def _not_stopped(pid: int, home: Path, reason: str) -> NodeNotStoppedError:
    return NodeNotStoppedError(
        f"The OpenSearch of {home} (pid {pid}) could not be stopped: {reason}.",
        hint=f"End process {pid} as its owner.",
        home=str(home),
        pid=str(pid),
    )
