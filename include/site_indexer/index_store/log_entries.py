"""What the index log is made of: runs, and the entries of each."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from site_indexer.index_store.instants import iso, parse
from site_indexer.values import value_object


class Level(StrEnum):
    """How much an entry matters."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class LogRun:
    """The run that a log belongs to. ``kind`` is that of its Dag: ``script``, and so on."""

    site: str
    kind: str
    target: str
    run_id: str

    @property
    def key(self) -> str:
        """Names the run in all its entries; 20 hex digits."""
        identity = [self.site, self.kind, self.target, self.run_id]
        return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:20]


@value_object
class LogEntry:
    """One event of a run. ``line`` is that of the index script, ``status`` an HTTP status.

    ``number`` counts from 1 in each run, in the order of writing; 0 before that.
    """

    time: dt.datetime
    level: Level
    action: str
    message: str
    line: int | None = None
    url: str | None = None
    status: int | None = None
    bytes: int | None = None
    milliseconds: int | None = None
    number: int = 0

    def source(self, run: str, number: int) -> dict[str, Any]:
        """The stored form, for the run of that key."""
        source: dict[str, Any] = {
            "run": run,
            "number": number,
            "time": iso(self.time),
            "level": self.level.value,
            "action": self.action,
            "message": self.message,
        }
        for name in ("line", "url", "status", "bytes", "milliseconds"):
            value = getattr(self, name)
            if value is not None:
                source[name] = value
        return source

    @classmethod
    def of_source(cls, source: Mapping[str, Any]) -> LogEntry:
        """The entry of a stored form."""
        return cls(
            time=parse(source["time"]),
            level=Level(source["level"]),
            action=source["action"],
            message=source["message"],
            line=source.get("line"),
            url=source.get("url"),
            status=source.get("status"),
            bytes=source.get("bytes"),
            milliseconds=source.get("milliseconds"),
            number=source["number"],
        )


@dataclass(frozen=True, slots=True)
class RunLogHeader:
    """A run as the log knows it.

    ``status`` is ``running`` until the run says how it ended; that of a run whose process was
    killed stays so. ``counts`` are those of its summary. ``entries`` is the number of the last.
    """

    run: LogRun
    started_at: dt.datetime
    written_at: dt.datetime
    status: str
    entries: int
    errors: int
    warnings: int
    counts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_source(cls, source: Mapping[str, Any]) -> RunLogHeader:
        """The header of a stored form."""
        return cls(
            run=LogRun(source["site"], source["kind"], source["target"], source["run_id"]),
            started_at=parse(source["started_at"]),
            written_at=parse(source["written_at"]),
            status=source["status"],
            entries=source["entries"],
            errors=source["errors"],
            warnings=source["warnings"],
            counts=source["counts"],
        )
