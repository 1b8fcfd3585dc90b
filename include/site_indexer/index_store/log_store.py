"""Reads and writes the index log (docs/spec/05-index-lifecycle.md, *The index log*).

Each run has a header, whose counter numbers the entries of all its tasks: a batch reserves as many
numbers as it has entries, so that they are in one order, without gaps, whoever writes.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from opensearchpy.exceptions import NotFoundError

from site_indexer.index_store.bulk import bulk_write, index_item
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import iso
from site_indexer.index_store.log_entries import Level, LogEntry, LogRun, RunLogHeader
from site_indexer.index_store.names import LOG_INDEX

RUNNING = "running"
_TRIES = 20
_EXPORTED_AT_ONCE = 5_000
_MOST_RUNS = 10_000

_NOTHING: Mapping[str, Any] = {"hits": {"hits": []}, "aggregations": {"all": {"value": 0}}}

_RESERVE = """
ctx._source.entries += params.entries;
ctx._source.errors += params.errors;
ctx._source.warnings += params.warnings;
ctx._source.written_at = params.now;
if (params.status != null && (!params.if_running || ctx._source.status == params.running)) {
  ctx._source.status = params.status;
}
ctx._source.counts.putAll(params.counts);
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, and the counts of its summary.

    ``if_running``: only if nothing else was said before.
    """

    status: str | None
    counts: Mapping[str, Any]
    if_running: bool = False

    def then(self, later: Ending) -> Ending:
        """What both come to, one said after the other."""
        keeps = later.status is None or (later.if_running and self.status is not None)
        status, if_running = (
            (self.status, self.if_running) if keeps else (later.status, later.if_running)
        )
        return Ending(status, {**self.counts, **later.counts}, if_running)


NO_ENDING = Ending(status=None, counts={})


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some entries of a run in order, and how many there are of the kind asked for."""

    entries: Sequence[LogEntry]
    total: int


@dataclass(frozen=True, slots=True)
class LogStore:
    """The log of all runs. All calls raise what ``store_errors`` raises."""

    client: StoreClient

    def append(self, run: LogRun, entries: Sequence[LogEntry], ending: Ending = NO_ENDING) -> None:
        """Write entries at the end of a run's log; begins it where there is none yet."""
        first = self._reserve(run, entries, ending)
        key = run.key
        items = (
            index_item(f"{key}-{number}", entry.source(key, number))
            for number, entry in enumerate(entries, start=first)
        )
        bulk_write(self.client, LOG_INDEX, items)

    def runs(
        self, site: str, *, target: str | None = None, kind: str | None = None, count: int = 20
    ) -> list[RunLogHeader]:
        """The runs of a site that have a log, newest first."""
        wanted = {"site": site, "target": target, "kind": kind}
        return self._headers(wanted, min(count, _MOST_RUNS))

    def runs_like(
        self, run: LogRun, *, count: int, began_before: dt.datetime | None = None
    ) -> list[RunLogHeader]:
        """The newest ``count`` runs of the same site, target and kind, newest first.

        With ``began_before`` the oldest that began before then, oldest first. What was written
        within the last half minute may be missing.
        """
        wanted = {"site": run.site, "target": run.target, "kind": run.kind}
        return self._headers(wanted, count, began_before=began_before, fresh=False)

    def run(self, site: str, run_id: str) -> RunLogHeader | None:
        """The newest log of a run's id, or None."""
        return next(iter(self._headers({"site": site, "run_id": run_id}, 1)), None)

    def page(
        self,
        run: LogRun,
        *,
        start: int = 1,
        count: int = 100,
        errors_only: bool = False,
        words: str = "",
    ) -> LogPage:
        """The first ``count`` entries from number ``start`` on; see :meth:`last_page`."""
        query = _query(run, errors_only=errors_only, words=words)
        return self._page(query, {"gte": start}, "asc", count)

    def last_page(
        self,
        run: LogRun,
        *,
        before: int | None = None,
        count: int = 100,
        errors_only: bool = False,
        words: str = "",
    ) -> LogPage:
        """The last ``count`` entries, or those before number ``before``.

        With ``errors_only`` only errors, with ``words`` only entries whose message or URL has all
        of them. ``total`` counts all of the kind, wherever the page begins.
        """
        query = _query(run, errors_only=errors_only, words=words)
        page = self._page(query, {"gte": 1} if before is None else {"lt": before}, "desc", count)
        return LogPage(page.entries[::-1], page.total)

    def all(self, run: LogRun, *, errors_only: bool = False, words: str = "") -> Iterator[LogEntry]:
        """All entries of a run that are there now, in order."""
        start = 1
        while True:
            page = self.page(
                run, start=start, count=_EXPORTED_AT_ONCE, errors_only=errors_only, words=words
            )
            yield from page.entries
            if len(page.entries) < _EXPORTED_AT_ONCE:
                return
            start = page.entries[-1].number + 1

    def delete(self, runs: Sequence[LogRun], *, wait: bool = False) -> None:
        """Delete the logs of runs, headers too; without ``wait`` OpenSearch does it by itself."""
        body = {"query": {"terms": {"run": [run.key for run in runs]}}}
        params = {
            "conflicts": "proceed",
            "wait_for_completion": "true" if wait else "false",
            "refresh": "true",
        }
        with store_errors("delete old logs", self.client):
            self.client.delete_by_query(index=LOG_INDEX, body=body, params=params)

    def _reserve(self, run: LogRun, entries: Sequence[LogEntry], ending: Ending) -> int:
        """Count entries in the header, and return the number of the first of them."""
        now = iso(dt.datetime.now(dt.UTC))
        header = {
            "run": run.key,
            "site": run.site,
            "kind": run.kind,
            "target": run.target,
            "run_id": run.run_id,
            "started_at": now,
            "written_at": now,
            "status": RUNNING,
            "entries": 0,
            "errors": 0,
            "warnings": 0,
            "counts": {},
        }
        params = {
            "entries": len(entries),
            "errors": sum(entry.level is Level.ERROR for entry in entries),
            "warnings": sum(entry.level is Level.WARNING for entry in entries),
            "now": now,
            "running": RUNNING,
            "status": ending.status,
            "if_running": ending.if_running,
            "counts": dict(ending.counts),
        }
        with store_errors(f"write to {LOG_INDEX}", self.client):
            answer = self.client.update(
                index=LOG_INDEX,
                id=run.key,
                body={
                    "scripted_upsert": True,
                    "upsert": header,
                    "script": {"source": _RESERVE, "params": params},
                },
                params={"_source": "entries", "retry_on_conflict": str(_TRIES)},
            )
        last: int = answer["get"]["_source"]["entries"]
        return last - len(entries) + 1

    def _page(
        self, query: Mapping[str, Any], bounds: Mapping[str, int], order: str, count: int
    ) -> LogPage:
        body = {
            "query": query,
            # Beside the query, so that what is counted is the whole log and not this page.
            "post_filter": {"range": {"number": dict(bounds)}},
            "aggs": {"all": {"value_count": {"field": "number"}}},
            "sort": [{"number": order}],
            "size": count,
            "track_total_hits": False,
        }
        answer = self._search(body)
        entries = tuple(LogEntry.of_source(hit["_source"]) for hit in answer["hits"]["hits"])
        return LogPage(entries, int(answer["aggregations"]["all"]["value"]))

    def _headers(
        self,
        wanted: Mapping[str, str | None],
        count: int,
        *,
        began_before: dt.datetime | None = None,
        fresh: bool = True,
    ) -> list[RunLogHeader]:
        terms = [{"term": {name: value}} for name, value in wanted.items() if value is not None]
        headers: dict[str, Any] = {"exists": {"field": "started_at"}}
        if began_before is not None:
            headers = {"range": {"started_at": {"lt": iso(began_before)}}}
        body = {
            "query": {"bool": {"filter": [*terms, headers]}},
            "sort": [{"started_at": "desc" if began_before is None else "asc"}],
            "size": count,
            "track_total_hits": False,
        }
        hits = self._search(body, fresh=fresh)["hits"]["hits"]
        return [RunLogHeader.of_source(hit["_source"]) for hit in hits]

    def _search(self, body: Mapping[str, Any], *, fresh: bool = True) -> Mapping[str, Any]:
        with store_errors(f"read {LOG_INDEX}", self.client):
            try:
                if fresh:
                    self.client.indices.refresh(index=LOG_INDEX)
                answer: Mapping[str, Any] = self.client.search(index=LOG_INDEX, body=body)
            except NotFoundError:
                return _NOTHING
        return answer


def _query(run: LogRun, *, errors_only: bool, words: str) -> dict[str, Any]:
    filters: list[dict[str, Any]] = [{"term": {"run": run.key}}, {"range": {"number": {"gte": 1}}}]
    if errors_only:
        filters.append({"term": {"level": Level.ERROR.value}})
    # Each word of its own: what stands together in it, such as the parts of a URL, must do so.
    filters += [{"match_phrase": {"words": word}} for word in words.split()]
    return {"bool": {"filter": filters}}
