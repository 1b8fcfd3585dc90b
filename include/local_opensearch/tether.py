"""Starts the node's process: ``tether.py attached|detached CONSOLE_LOG COMMAND...``.

Run as a program of its own, with the standard library alone. It writes ``pid N`` or ``error TEXT``
to its standard output and then either

* ``detached``: ends, and leaves the node running in a session of its own; or
* ``attached``: stays, and ends the node when its owner is gone, however that went: the owner holds
  the other end of standard input, which the kernel closes when the owner dies. (Its parent is
  watched too, because processes forked from the owner hold that end as well.)
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import signal
import subprocess
import sys
import threading
from types import FrameType

PR_SET_PDEATHSIG = 1
GRACE_S = 15.0
OWNER_CHECK_S = 1.0


def die_with_parent() -> None:
    """Have the kernel end this process (the node) if the tether is killed. Linux only."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end(node: subprocess.Popen[bytes]) -> None:
    """Ask the node to end, then make it."""
    node.terminate()
    try:
        node.wait(GRACE_S)
    except subprocess.TimeoutExpired:
        node.kill()


def end_with_owner(node: subprocess.Popen[bytes], owner: int) -> None:
    """Wait until the owner is gone, then end the node."""
    while os.getppid() == owner:
        readable, _, _ = select.select([0], [], [], OWNER_CHECK_S)
        if readable and not os.read(0, 1024):
            break
    end(node)


def main(mode: str, console: str, *command: str) -> int:
    """Start ``command`` and stay with it if ``mode`` is ``attached``; the exit status."""
    owner = os.getppid()
    attached = mode == "attached"
    before_exec = die_with_parent if attached and sys.platform == "linux" else None
    with open(console, "wb") as output:
        try:
            node = subprocess.Popen(  # noqa: S603 - our own call; no threads yet
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                preexec_fn=before_exec,  # noqa: PLW1509 - there are no threads yet
            )
        except OSError as error:
            sys.stdout.write(f"error {error.strerror}\n")
            return 1
    sys.stdout.write(f"pid {node.pid}\n")
    sys.stdout.flush()
    if not attached:
        return 0
    # The owner may be gone or may not read on.
    with contextlib.suppress(OSError):
        os.close(1)
    signal.signal(signal.SIGTERM, lambda number, frame: terminate(node, frame))
    threading.Thread(target=end_with_owner, args=(node, owner), daemon=True).start()
    return node.wait()


def terminate(node: subprocess.Popen[bytes], _frame: FrameType | None) -> None:
    """Pass a request to end on to the node."""
    node.terminate()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
