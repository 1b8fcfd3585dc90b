"""``log``: the index log of a run (docs/spec/08-shell.md, 8.6)."""

from __future__ import annotations

import argparse

from site_indexer.cli.connection import collaborators_of
from site_indexer.cli.output import Output
from site_indexer.index_store.log_entries import LogEntry, RunLogHeader
from site_indexer.index_store.log_store import LogPage
from site_indexer.index_store.names import Target
from site_indexer.indexing import log_reading
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso


def log(arguments: argparse.Namespace, output: Output) -> int:
    """Show a part of a run's log, or all of it as JSON lines with ``--export``."""
    collaborators = collaborators_of(arguments)
    target = Target(arguments.target) if arguments.target else None
    found = log_reading.find_log(collaborators, arguments.site, run_id=arguments.run, target=target)
    view = log_reading.LogView(arguments.errors_only, arguments.search or "")
    if arguments.export:
        entries = log_reading.all_entries(collaborators, found, view) if found else iter(())
        output.json_lines(map(log_reading.entry_as_json, entries))
        return 0
    page = _page(collaborators, found, view, arguments) if found else LogPage((), 0)
    if output.as_json:
        output.document(
            {
                **(log_reading.header_as_json(found) if found else {"site": arguments.site}),
                "total": page.total,
                "lines": [log_reading.entry_as_json(entry) for entry in page.entries],
            }
        )
    elif found is None:
        output.text(f"No run of {arguments.site} has a log yet.")
    else:
        _print(found, page, output)
    return 0


def _page(
    collaborators: Collaborators,
    found: RunLogHeader,
    view: log_reading.LogView,
    arguments: argparse.Namespace,
) -> LogPage:
    """The part asked for: from a line on, or the first lines, or (the default) the last."""
    count: int = arguments.lines
    if arguments.from_line is not None or arguments.first:
        start = arguments.from_line or 1
        return log_reading.first_entries(collaborators, found, view, start=start, count=count)
    return log_reading.last_entries(collaborators, found, view, count=count)


def _print(found: RunLogHeader, page: LogPage, output: Output) -> None:
    run = found.run
    output.text(
        f"{run.run_id}: {run.kind} run of {run.site}, {run.target}, {found.status}; "
        f"{found.entries} lines, {found.errors} errors, {found.warnings} warnings"
    )
    for entry in page.entries:
        output.text(in_words(entry))
    if len(page.entries) < page.total:
        output.text(f"({len(page.entries)} of {page.total} lines)")


def in_words(entry: LogEntry) -> str:
    """An entry as one line for people."""
    place = f" line {entry.line}" if entry.line is not None else ""
    url = f" {entry.url}" if entry.url else ""
    status = f" {entry.status}" if entry.status is not None else ""
    size = f" ({entry.bytes:,} bytes, {entry.milliseconds} ms)" if entry.bytes is not None else ""
    return (
        f"{entry.number:>6} {iso(entry.time)} {entry.level.value:<7} {entry.action}{place}"
        f"{status}{url}: {entry.message}{size}"
    )
