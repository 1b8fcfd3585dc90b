"""Runs a program and ends all of its processes when the owner is gone: ``guard.py COMMAND...``.

The owner holds the other end of standard input, which the kernel closes when the owner ends,
however that goes. Airflow starts many processes, some of which outlive their parents, so the end
goes by session: everything in this process's session is ended, first asked, then made to.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading

import psutil

GRACE_S = 6.0


def main(*command: str) -> int:
    """Run ``command`` until it or the owner ends; returns its exit status."""
    signal.signal(signal.SIGTERM, lambda number, frame: end_session())
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL)  # noqa: S603 - our own call
    threading.Thread(target=end_with_owner, daemon=True).start()
    status = program.wait()
    end_session()
    return status


def end_with_owner() -> None:
    """Block until standard input closes, then end everything."""
    while os.read(0, 1024):
        pass
    end_session()
    os._exit(0)


def end_session() -> None:
    """Ask every other process of this session to end, then make it."""
    for number, patience in ((signal.SIGTERM, GRACE_S), (signal.SIGKILL, GRACE_S)):
        others = list(session_members())
        for process in others:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(number)
        psutil.wait_procs(others, timeout=patience)


def session_members() -> list[psutil.Process]:
    """The other processes of this session that still run."""
    own = os.getsid(0)
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, ProcessLookupError, PermissionError):
            ends_by_itself = process.status() == psutil.STATUS_ZOMBIE
            if os.getsid(process.pid) == own and process.pid != os.getpid() and not ends_by_itself:
                found.append(process)
    return found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
