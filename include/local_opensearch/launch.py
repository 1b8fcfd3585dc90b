"""Starts the node's process through :mod:`local_opensearch.tether`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from local_opensearch import tether
from local_opensearch.errors import JavaUnusableError, LocalNodeError
from local_opensearch.java import unusable

TETHER_END_S = 20.0

FOREIGN_OPTIONS = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH")
"""Variables by which options for other Java programs would reach the node."""


@dataclass(frozen=True, slots=True)
class Launched:
    """A started node: its pid and, if it is attached, the tether that ends it with its owner."""

    pid: int
    tether: subprocess.Popen[bytes] | None

    def release(self) -> None:
        """Let go of the node. An attached one ends, if it has not yet; a detached one lives on."""
        if self.tether is not None:
            _close(self.tether)


def launch(command: Sequence[str], folder: Path, console: Path, *, attached: bool) -> Launched:
    """Start ``command`` in ``folder`` with its output in ``console``.

    ``attached``: it ends with this process, however this one ends. Otherwise it outlives it.
    Raises :class:`~local_opensearch.errors.JavaUnusableError` if the system cannot run it.
    """
    environment = {key: value for key, value in os.environ.items() if key not in FOREIGN_OPTIONS}
    # Java reads names of files by the locale: with the plain C locale it fails at any umlaut.
    environment["LC_ALL"] = "C.UTF-8"
    mode = "attached" if attached else "detached"
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-I", "-S", tether.__file__, mode, str(console), *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=folder,
        env=environment,
        start_new_session=True,
    )
    word, _, value = _first_line(process).partition(" ")
    if word != "pid":
        _close(process)
        raise _failure(command[0], word, value)
    if attached:
        return Launched(int(value), process)
    _close(process)
    return Launched(int(value), None)


def _first_line(process: subprocess.Popen[bytes]) -> str:
    return process.stdout.readline().decode().strip() if process.stdout else ""


def _failure(java: str, word: str, reason: str) -> LocalNodeError | JavaUnusableError:
    if word == "error":
        return unusable(Path(java), reason)
    return LocalNodeError(
        "The program that starts OpenSearch ended without a word.",
        hint=f"Check that {sys.executable} runs.",
    )


def _close(process: subprocess.Popen[bytes]) -> None:
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            pipe.close()
    process.wait(TETHER_END_S)
