"""Which logs of runs are kept (docs/spec/05-index-lifecycle.md, *The index log*)."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_store.log_entries import LogRun, RunLogHeader
from site_indexer.index_store.log_store import LogStore

KEPT_RUNS = 20
KEPT_LONGER = dt.timedelta(days=30)
QUIET = frozenset({"unchanged", "held", "dry-run"})
"""Ends of runs that neither failed nor published."""

AT_ONCE = 500
"""How many logs are looked at from each end of the list; the next runs go on."""


def prune_logs(store: LogStore, run: LogRun, now: dt.datetime, *, wait: bool = False) -> int:
    """Delete the old logs of the site, kind and target of ``run``; returns how many.

    Without ``wait`` OpenSearch does it by itself. Raises what ``store_errors`` raises.
    """
    listed = store.runs_like(run, count=KEPT_RUNS + AT_ONCE)
    newest = {header.run.key for header in listed[:KEPT_RUNS]}
    if len(listed) == KEPT_RUNS + AT_ONCE:
        # Where runs are many, those between are too young to go: the old ones are at the other end.
        listed += store.runs_like(run, count=AT_ONCE, began_before=now - KEPT_LONGER)
    doomed = {
        header.run.key: header.run
        for header in listed
        if header.run.key not in newest and is_outdated(header, now)
    }
    if doomed:
        store.delete(list(doomed.values()), wait=wait)
    return len(doomed)


def is_outdated(header: RunLogHeader, now: dt.datetime) -> bool:
    """Whether a log is kept no longer, if it is not one of the 20 newest of its like.

    Those that published or failed stay for 30 days, and so does one that still says ``running``:
    its process was killed.
    """
    return header.status in QUIET or now - header.written_at > KEPT_LONGER
