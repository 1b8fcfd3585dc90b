"""Use case: read the index log of a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from site_indexer.errors import UsageError
from site_indexer.index_store.log_entries import LogEntry, RunLogHeader
from site_indexer.index_store.log_store import LogPage, LogStore
from site_indexer.index_store.names import Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso

_NAMED = 5


@dataclass(frozen=True, slots=True)
class LogView:
    """Which entries are wanted: all, or errors only, or those that have all ``words``."""

    errors_only: bool = False
    words: str = ""


def find_log(
    collaborators: Collaborators, site: str, *, run_id: str | None, target: Target | None
) -> RunLogHeader | None:
    """The log of a run, or without ``run_id`` that of the newest; None where there is none yet.

    Raises UsageError, which names the newest runs, where that run has no log (any more).
    """
    site = collaborators.definition(site).id
    store = LogStore(collaborators.client)
    newest = store.runs(site, target=target and target.value, count=_NAMED)
    if run_id is None:
        return newest[0] if newest else None
    found = store.run(site, run_id)
    if found is None:
        names = ", ".join(header.run.run_id for header in newest)
        raise UsageError(
            f"The run {run_id!r} of {site} has no log (any more).",
            hint=f"The newest runs are {names}." if names else "No run of this site has one yet.",
            site=site,
        )
    return found


def first_entries(
    collaborators: Collaborators, log: RunLogHeader, view: LogView, *, start: int, count: int
) -> LogPage:
    """The first entries from number ``start`` on."""
    return LogStore(collaborators.client).page(
        log.run, start=start, count=count, errors_only=view.errors_only, words=view.words
    )


def last_entries(
    collaborators: Collaborators, log: RunLogHeader, view: LogView, *, count: int
) -> LogPage:
    """The last entries."""
    return LogStore(collaborators.client).last_page(
        log.run, count=count, errors_only=view.errors_only, words=view.words
    )


def all_entries(
    collaborators: Collaborators, log: RunLogHeader, view: LogView
) -> Iterator[LogEntry]:
    """All entries that are there now, in order."""
    return LogStore(collaborators.client).all(
        log.run, errors_only=view.errors_only, words=view.words
    )


def entry_as_json(entry: LogEntry) -> dict[str, Any]:
    """An entry with all its fields, JSON-safe; times in UTC."""
    return {
        "number": entry.number,
        "time": iso(entry.time),
        "level": entry.level.value,
        "action": entry.action,
        "line": entry.line,
        "url": entry.url,
        "status": entry.status,
        "message": entry.message,
        "bytes": entry.bytes,
        "milliseconds": entry.milliseconds,
    }


def header_as_json(log: RunLogHeader) -> dict[str, Any]:
    """What is known of the run, JSON-safe."""
    return {
        "site": log.run.site,
        "kind": log.run.kind,
        "target": log.run.target,
        "run_id": log.run.run_id,
        "status": log.status,
        "started_at": iso(log.started_at),
        "written_at": iso(log.written_at),
        "entries": log.entries,
        "errors": log.errors,
        "warnings": log.warnings,
        "summary": dict(log.counts),
    }
