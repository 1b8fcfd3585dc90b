"""Writes many items by raw NDJSON, and says of each that failed why."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson
from opensearchpy.exceptions import TransportError

from site_indexer.errors import StoreRefusedError, StoreUnreachableError
from site_indexer.index_store.client import StoreClient, blocked_error, is_blocked, store_errors
from site_indexer.values import value_object

MAX_ITEMS = 1_000
MAX_BYTES = 5_000_000
MAX_TRIES = 6
FIRST_WAIT_S = 0.25

_BUSY = (429, 503)
_ANSWER = "errors,items.*._id,items.*.status,items.*.error.type,items.*.error.reason"


@value_object
class Item:
    """One write, ready to send: ``lines`` is its NDJSON with a line end after each line."""

    document_id: str
    lines: bytes


@dataclass(frozen=True, slots=True)
class ItemError:
    """An item that was not written: its document, the HTTP status, OpenSearch's reason."""

    document_id: str
    status: int
    reason: str


@dataclass(slots=True)
class BulkOutcome:
    """What became of all items.

    ``conflicts``: a version as new was there. ``missing``: nothing was there to update.
    """

    written: int = 0
    conflicts: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    errors: list[ItemError] = field(default_factory=list)

    def add(self, other: BulkOutcome) -> None:
        """Count another outcome in."""
        self.written += other.written
        self.conflicts += other.conflicts
        self.missing += other.missing
        self.errors += other.errors


def index_item(
    document_id: str,
    source: Mapping[str, Any] | bytes,
    *,
    version: int | None = None,
    version_type: str = "external",
) -> Item:
    """An item that writes a whole document; with ``version``, if none as new is there.

    ``source`` may be JSON already.
    """
    action: dict[str, Any] = {"_id": document_id}
    if version is not None:
        action.update(version=version, version_type=version_type)
    body = source if isinstance(source, bytes) else encode(source)
    return Item(document_id, orjson.dumps({"index": action}) + b"\n" + body + b"\n")


def delete_item(document_id: str) -> Item:
    """An item that deletes a document; that it is not there is no error."""
    return Item(document_id, orjson.dumps({"delete": {"_id": document_id}}) + b"\n")


def update_item(document_id: str, fields: Mapping[str, Any]) -> Item:
    """An item that sets some fields of a document that is there."""
    head = orjson.dumps({"update": {"_id": document_id}})
    return Item(document_id, head + b"\n" + encode({"doc": fields}) + b"\n")


def encode(source: Mapping[str, Any]) -> bytes:
    """JSON in one line. What is no text (half a surrogate pair) becomes ``?``."""
    try:
        return orjson.dumps(source, option=orjson.OPT_UTC_Z)
    except TypeError:
        # Odd text of one page must not cost the others of its batch.
        return json.dumps(source, ensure_ascii=False, default=str).encode("utf-8", "replace")


def bulk_write(
    client: StoreClient,
    index: str,
    items: Iterable[Item],
    *,
    refresh: bool = False,
    wait: Callable[[float], None] = time.sleep,
) -> BulkOutcome:
    """Send all items to ``index``, 1,000 or 5 MB a request, in order.

    Items that OpenSearch is too busy for (429, 503) are sent again after growing pauses; a request
    that is too large (413) is split. A document that OpenSearch rejects is in ``errors``, and the
    others are written all the same. A document that comes twice needs versions.
    Raises what concerns all of them: StoreUnreachableError, StoreFullError (a full disk),
    StoreRefusedError (the index is sealed, or gone).
    """
    outcome = BulkOutcome()
    for batch in _batches(items):
        outcome.add(_send(client, index, batch, refresh, wait))
    return outcome


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    batch: list[Item] = []
    size = 0
    for item in items:
        if batch and (len(batch) >= MAX_ITEMS or size + len(item.lines) > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += len(item.lines)
    if batch:
        yield batch


def _send(
    client: StoreClient,
    index: str,
    batch: list[Item],
    refresh: bool,
    wait: Callable[[float], None],
) -> BulkOutcome:
    outcome = BulkOutcome()
    pause = FIRST_WAIT_S
    for tries_left in reversed(range(MAX_TRIES)):
        try:
            answer = _post(client, index, batch, refresh)
        except TransportError as error:
            if error.status_code == 413:
                outcome.add(_split(client, index, batch, refresh, wait))
                return outcome
            if error.status_code not in _BUSY or is_blocked(error) or not tries_left:
                with store_errors(f"write to {index}", client):
                    raise
            answer = {}
        else:
            batch = _sort_out(index, batch, answer, outcome)
            if not batch:
                return outcome
        if tries_left:
            wait(pause)
            pause *= 2
    raise StoreUnreachableError(
        f"OpenSearch was too busy for {len(batch)} writes to {index}, {MAX_TRIES} times.",
        hint="Run again later, or give OpenSearch more room.",
        index=index,
    )


def _post(client: StoreClient, index: str, batch: list[Item], refresh: bool) -> Mapping[str, Any]:
    answer: Mapping[str, Any] = client.bulk(
        index=index,
        body=b"".join(item.lines for item in batch),
        params={"filter_path": _ANSWER, **({"refresh": "true"} if refresh else {})},
    )
    return answer


def _split(
    client: StoreClient,
    index: str,
    batch: list[Item],
    refresh: bool,
    wait: Callable[[float], None],
) -> BulkOutcome:
    """Send both halves, so that one huge item fails alone."""
    if len(batch) == 1:
        (item,) = batch
        reason = f"with {len(item.lines):,} bytes it is larger than OpenSearch takes"
        return BulkOutcome(errors=[ItemError(item.document_id, 413, reason)])
    middle = len(batch) // 2
    outcome = _send(client, index, batch[:middle], refresh, wait)
    outcome.add(_send(client, index, batch[middle:], refresh, wait))
    return outcome


def _sort_out(
    index: str, batch: list[Item], answer: Mapping[str, Any], outcome: BulkOutcome
) -> list[Item]:
    """Count what was done, and return what has to be sent again."""
    if not answer["errors"]:
        outcome.written += len(batch)
        return []
    again = []
    for item, described in zip(batch, answer["items"], strict=True):
        (result,) = described.values()
        error = result.get("error", {})
        kind, status = error.get("type", ""), result["status"]
        if kind == "cluster_block_exception" and status != 503:
            raise blocked_error(index, error["reason"], f"write to {index}")
        if kind == "index_not_found_exception":
            raise StoreRefusedError(
                f"The index {index} is not there (any more), so nothing can be written to it.",
                hint="Run again from the first task.",
                index=index,
            )
        if status in _BUSY:
            again.append(item)
        elif not error:  # a delete of what is not there answers 404, and has none
            outcome.written += 1
        elif status == 409:
            outcome.conflicts.append(item.document_id)
        elif status == 404:
            outcome.missing.append(item.document_id)
        else:
            reason = f"{error.get('reason', '')} ({kind})"
            outcome.errors.append(ItemError(item.document_id, status, reason))
    return again
