"""Which logs of runs are kept (docs/spec/05-index-lifecycle.md, *The index log*)."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_store.log_entries import LogRun, RunLogHeader
from site_indexer.index_store.log_store import LogStore

KEPT_RUNS = 20
KEPT_LONGER = dt.timedelta(days=30)
QUIET = frozenset({"unchanged", "held", "dry-run"})
"""Ends of runs that neither failed nor published."""

_AT_ONCE = 500


def prune_logs(store: LogStore, run: LogRun, now: dt.datetime, *, wait: bool = False) -> int:
    """Delete the old logs of the site, kind and target of ``run``; returns how many.

    Without ``wait`` OpenSearch does it by itself. Raises what ``store_errors`` raises.
    """
    listed = store.runs_like(run, after=KEPT_RUNS, count=_AT_ONCE)
    doomed = [header.run for header in listed if is_outdated(header, now)]
    if doomed:
        store.delete(doomed, wait=wait)
    return len(doomed)


def is_outdated(header: RunLogHeader, now: dt.datetime) -> bool:
    """Whether a log is kept no longer, if it is not one of the 20 newest of its like.

    Those that published or failed stay for 30 days, and so does one that still says ``running``:
    its process was killed.
    """
    return header.status in QUIET or now - header.written_at > KEPT_LONGER
