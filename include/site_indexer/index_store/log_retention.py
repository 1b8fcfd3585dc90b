"""Which logs of runs are kept (docs/spec/05-index-lifecycle.md, *The index log*)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from site_indexer.index_store.log_entries import LogRun, RunLogHeader
from site_indexer.index_store.log_store import LogStore

KEPT_RUNS = 20
KEPT_LONGER = dt.timedelta(days=30)
QUIET = frozenset({"unchanged", "held", "dry-run"})
"""Ends of runs that neither failed nor published."""

_LISTED = 2_000


def prune_logs(store: LogStore, run: LogRun, now: dt.datetime, *, wait: bool = False) -> int:
    """Delete the old logs of the site, kind and target of ``run``; returns how many.

    Without ``wait`` OpenSearch does it by itself. Raises what ``store_errors`` raises.
    """
    listed = store.runs(run.site, target=run.target, kind=run.kind, count=_LISTED)
    doomed = [header.run for header in outdated(listed, now)]
    if doomed:
        store.delete(doomed, wait=wait)
    return len(doomed)


def outdated(headers: Sequence[RunLogHeader], now: dt.datetime) -> list[RunLogHeader]:
    """Those of one site, kind and target, newest first, that are kept no longer.

    The 20 newest stay, and for 30 days those that published or failed; one that still says
    ``running`` was killed, if it is not one of the newest.
    """
    return [
        header
        for header in headers[KEPT_RUNS:]
        if header.status in QUIET or now - header.written_at > KEPT_LONGER
    ]
