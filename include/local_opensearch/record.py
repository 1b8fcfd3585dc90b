"""What a home says about its running node: the pid file, as JSON in ``node.json``."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

NAME = "node.json"


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """One started node. ``http_port`` is 0 until it is known."""

    pid: int
    http_port: int
    heap_mb: int
    attached: bool
    version: str


def read_record(home: Path) -> NodeRecord | None:
    """The record of ``home``; none if there is none or it is not one."""
    try:
        return NodeRecord(**json.loads((home / NAME).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_record(home: Path, record: NodeRecord) -> None:
    """Put ``record`` in its place in one step."""
    new = home / f"{NAME}.new"
    new.write_text(json.dumps(asdict(record)) + "\n", encoding="utf-8")
    os.replace(new, home / NAME)


def remove_record(home: Path) -> None:
    """Remove the record, if any."""
    (home / NAME).unlink(missing_ok=True)
