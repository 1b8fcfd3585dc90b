"""Copies documents on the server, by ``_reindex`` as a task."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from typing import Any

from opensearchpy.exceptions import OpenSearchException, TransportError

from site_indexer.errors import StoreRefusedError, StoreUnreachableError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import Item, ItemError, bulk_write, index_item
from site_indexer.index_store.client import StoreClient, blocked_error, error_type, store_errors
from site_indexer.index_store.instants import iso

MOST_VERDICTS = 20_000
"""Verdicts that travel with one request, as parameters of its script: about a megabyte."""

# OpenSearch answers after 30 s at the latest. (The client takes "timeout" for its own.)
_LONGER_THAN_SERVER_S = 120
_BATCH = 500
_SLICES_FROM = 1_000

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
) -> list[ItemError]:
    """Write the documents of a change set's ``write`` records to ``index``.

    Not those in ``skip``; ``dates`` are block dates that differ from the record's. A document that
    is there with the same or a later fetch time stays. Returns the documents that OpenSearch
    rejects; the others are written. ``writes`` is how many there are, to choose the parallelism.
    """
    verdicts = dict.fromkeys(skip, "") | {key: iso(date) for key, date in dates.items()}
    rejected: list[ItemError] = []
    for query, part in _parts(verdicts):
        body = {
            "source": {"index": changes, "size": _BATCH, "query": query},
            "dest": {"index": index, "version_type": "external"},
            "conflicts": "proceed",
            "script": {"lang": "painless", "source": _UNWRAP, "params": {"verdicts": part}},
        }
        failures = _reindex(client, body, index, slices=2 if writes >= _SLICES_FROM else 1)
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
    failures = _reindex(client, body, index, slices=2)
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


def _reindex(
    client: StoreClient, body: dict[str, Any], index: str, *, slices: int
) -> list[dict[str, Any]]:
    """Run a reindex to its end and return the documents that were rejected.

    As a task, for no connection stays open for as long as a large one takes. Raises what concerns
    all documents. The task ends with this call, so that nobody writes to an index given up.
    """
    with store_errors(f"write to {index}", client):
        params = {"wait_for_completion": "false", "slices": str(slices)}
        task = client.reindex(body=body, params=params)["task"]
        finished = False
        try:
            answer = _wait_for(client, task)
            finished = True
        finally:
            if not finished:
                _cancel(client, task)
    if "error" in answer:
        reason = answer["error"].get("reason", "")
        raise StoreRefusedError(f"OpenSearch could not write to {index}: {reason}.", index=index)
    failures: list[dict[str, Any]] = answer["response"]["failures"]
    for failure in failures:
        _raise_if_general(failure, index)
    return failures


def _wait_for(client: StoreClient, task: str) -> dict[str, Any]:
    while True:
        try:
            answer: dict[str, Any] = client.tasks.get(
                task_id=task,
                params={"wait_for_completion": "true", "request_timeout": _LONGER_THAN_SERVER_S},
            )
        except TransportError as error:
            if error_type(error) != "timeout_exception":
                raise
            continue
        if answer["completed"]:
            return answer


def _cancel(client: StoreClient, task: str) -> None:
    """Stop a task and wait until it writes no more; best effort, as another error is on its way."""
    with suppress(OpenSearchException):
        client.tasks.cancel(task_id=task, params={"wait_for_completion": "true"})


def _raise_if_general(failure: Mapping[str, Any], index: str) -> None:
    """Raise unless the failure concerns one document only."""
    cause = failure.get("cause") or failure.get("reason") or {}
    reason = str(cause.get("reason", ""))
    if cause.get("type") == "cluster_block_exception":
        raise blocked_error(index, reason, f"write to {index}")
    if "id" not in failure or failure.get("status") in (429, 503):
        raise StoreUnreachableError(
            f"OpenSearch could not write all documents to {index}: {reason}.",
            hint="It is overloaded or not all of it is up. Run again later.",
            index=index,
        )
