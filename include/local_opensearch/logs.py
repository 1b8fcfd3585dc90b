"""The last lines of a node's logs, for the error of a node that died."""

from __future__ import annotations

from pathlib import Path

from local_opensearch.configuration import CONSOLE_NAME, LOG_NAME

TAIL_BYTES = 8192
FRAMES = ("\tat ", "\t... ")
"""How lines of a Java stack trace begin: they would hide the lines that say what is wrong."""


def last_lines(home: Path, since: float, count: int = 12) -> str:
    """Last ``count`` lines of what the node of ``home`` wrote after ``since`` (seconds, epoch).

    The console has what Java itself says; the log is read only if there is nothing.
    """
    for name in (CONSOLE_NAME, LOG_NAME):
        lines = _tail(home / "logs" / name, since)
        if lines:
            return "\n".join(lines[-count:])
    return ""


def _tail(path: Path, since: float) -> list[str]:
    try:
        if path.stat().st_mtime < since:
            return []
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except OSError:
        return []
    return [line for line in text.splitlines() if line.strip() and not line.startswith(FRAMES)]
