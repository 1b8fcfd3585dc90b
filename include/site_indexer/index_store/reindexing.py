"""Copies documents on the server."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, ItemError, bulk_write, index_item
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso
from site_indexer.index_store.reindex_task import run_reindex

MOST_VERDICTS = 20_000
"""Verdicts that travel with one request, as parameters of its script: about a megabyte."""

_BATCH = 500
_MANY = 1_000

# A verdict is "" for a document that is not wanted, else the block date it gets.
_UNWRAP = """
String verdict = params.verdicts.get(ctx._id);
ctx._source = ctx._source.document;
if (verdict != null) {
  if (verdict.isEmpty()) { ctx.op = 'noop' } else { ctx._source.block_date = verdict }
}
"""


def copy_writes(
    client: StoreClient,
    changes: str,
    index: str,
    *,
    skip: frozenset[str],
    dates: Mapping[str, dt.datetime],
    writes: int,
    only: Collection[str] | None = None,
) -> list[ItemError]:
    """Write the documents of a change set's ``write`` records to ``index``.

    Not those in ``skip``, and with ``only`` just those. ``dates`` are block dates that differ from
    the record's. A document that is there with the same or a later fetch time stays. Returns the
    documents that OpenSearch rejects; the others are written. ``writes`` is how many there are, to
    choose the parallelism.
    """
    verdicts = dict.fromkeys(skip, "") | {key: iso(date) for key, date in dates.items()}
    rejected: list[ItemError] = []
    for query, part in _parts(verdicts) if only is None else _named_parts(only, verdicts):
        body = {
            "source": {"index": changes, "size": _BATCH, "query": query},
            "dest": {"index": index, "version_type": "external"},
            "conflicts": "proceed",
            "script": {"lang": "painless", "source": _UNWRAP, "params": {"verdicts": part}},
        }
        failures = run_reindex(client, body, index, many=writes >= _MANY)
        if failures:
            # The server stops at the first batch with a failure and tells only of that one.
            rejected += _copy_singly(client, changes, index, query, part)
    return rejected


def copy_all(client: StoreClient, source: str, index: str) -> None:
    """Write all documents of ``source`` to ``index``, with their versions.

    Raises StoreRefusedError where one is rejected: none must be lost.
    """
    body = {
        "source": {"index": source, "size": _BATCH},
        "dest": {"index": index, "version_type": "external"},
    }
    failures = run_reindex(client, body, index, many=True)
    if failures:
        first = failures[0]
        raise StoreRefusedError(
            f"The documents of {source} do not all fit the new mapping, e.g. {first['id']}:"
            f" {first['cause']['reason']}.",
            index=source,
        )


def _parts(verdicts: Mapping[str, str]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Queries that together find all ``write`` records once, each with its verdicts.

    Ids are hex digits of a digest, so equal ranges of them hold about as many verdicts each.
    """
    write: dict[str, Any] = {"term": {"action": "write"}}
    if len(verdicts) <= MOST_VERDICTS:
        yield write, dict(verdicts)
        return
    ordered = sorted(verdicts)
    starts = ["", *ordered[MOST_VERDICTS::MOST_VERDICTS], None]
    for start, end in pairwise(starts):
        bounds = {"gte": start} if end is None else {"gte": start, "lt": end}
        part = {
            key: verdict
            for key, verdict in verdicts.items()
            if key >= (start or "") and (end is None or key < end)
        }
        yield {"bool": {"filter": [write, {"range": {"document_id": bounds}}]}}, part


def _named_parts(
    ids: Collection[str], verdicts: Mapping[str, str]
) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """The same for the records of some documents."""
    for chunk in scan.chunks(sorted(ids), MOST_VERDICTS):
        filters = [{"term": {"action": "write"}}, {"terms": {"document_id": chunk}}]
        part = {key: verdicts[key] for key in chunk if key in verdicts}
        yield {"bool": {"filter": filters}}, part


def _copy_singly(
    client: StoreClient, changes: str, index: str, query: dict[str, Any], verdicts: dict[str, str]
) -> list[ItemError]:
    """The same through this process, where each document has an answer of its own."""
    hits = scan.scan(client, changes, query=query, source=("document", "version_ms"), size=_BATCH)
    outcome = bulk_write(client, index, _unwrapped(hits, verdicts))
    return outcome.errors


def _unwrapped(hits: Iterator[dict[str, Any]], verdicts: dict[str, str]) -> Iterator[Item]:
    for hit in hits:
        verdict = verdicts.get(hit["_id"])
        document = hit["_source"]["document"]
        if verdict:
            document["block_date"] = verdict
        if verdict != "":
            yield index_item(hit["_id"], document, version=hit["_source"]["version_ms"])
