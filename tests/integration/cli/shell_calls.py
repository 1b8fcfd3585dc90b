"""Calls of ``site-indexer`` as a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SHELL = Path(sys.executable).with_name("site-indexer")

Done = subprocess.CompletedProcess[str]


def call_shell(*words: str | Path, status: int = 0, given: bytes = b"", **environment: str) -> Done:
    """Call the shell, which ends with a status and shows no traceback; its output as text."""
    done = subprocess.run(
        [SHELL, *words],
        input=given,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    out, errors = done.stdout.decode(), done.stderr.decode()
    assert done.returncode == status, (done.returncode, out, errors)
    assert "Traceback" not in errors
    return Done(done.args, done.returncode, out, errors)
