"""Reads many documents of one index."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeVar

from opensearchpy.exceptions import NotFoundError

from site_indexer.index_store.client import StoreClient, store_errors

KEEP_ALIVE = "10m"
PAGE = 1_000
COLUMNS_AT_ONCE = 5_000
FEW = 100

T = TypeVar("T")


def scan(
    client: StoreClient,
    index: str,
    *,
    query: Mapping[str, Any],
    source: bool | Sequence[str],
    size: int = PAGE,
) -> Iterator[dict[str, Any]]:
    """The hits of a query in no order, as of one moment, ``size`` (up to 10,000) a request.

    Few take one plain search; more are read by a scroll, twice as fast as search_after.
    Raises what ``store_errors`` raises.
    """
    yield from _scan(client, index, {"query": query, "_source": source}, size)


Column = str | Mapping[str, str]


def columns(
    client: StoreClient,
    index: str,
    wanted: Sequence[Column],
    *,
    query: Mapping[str, Any],
    size: int = COLUMNS_AT_ONCE,
) -> Iterator[dict[str, list[Any]]]:
    """The values of these fields, as lists, of every document that a query finds, in no order.

    A field without a value is missing. It costs a sixth of what :func:`scan` does, as nothing that
    is stored has to be unpacked; so there are no ids, which are stored.
    """
    for hit in _scan(client, index, {"query": query, **only_columns(wanted)}, size):
        yield hit.get("fields", {})


def only_columns(wanted: Sequence[Column]) -> dict[str, Any]:
    """What to ask of a search that wants nothing but these columns."""
    return {"stored_fields": "_none_", "docvalue_fields": list(wanted)}


def _scan(
    client: StoreClient, index: str, asked: Mapping[str, Any], size: int
) -> Iterator[dict[str, Any]]:
    body = {**asked, "sort": ["_doc"]}
    with store_errors(f"read {index}", client):
        hits = client.search(
            index=index, body={**body, "size": FEW + 1, "track_total_hits": False}
        )["hits"]["hits"]
    if len(hits) <= FEW:
        yield from hits
        return
    yield from _scroll(client, index, body, size)


def _scroll(
    client: StoreClient, index: str, body: Mapping[str, Any], size: int
) -> Iterator[dict[str, Any]]:
    scroll_id = None
    try:
        with store_errors(f"read {index}", client):
            answer = client.search(
                index=index, body=body, params={"scroll": KEEP_ALIVE, "size": str(size)}
            )
        while True:
            scroll_id = answer["_scroll_id"]
            hits = answer["hits"]["hits"]
            yield from hits
            if len(hits) < size:
                return
            with store_errors(f"read {index}", client):
                answer = client.scroll(body={"scroll_id": scroll_id, "scroll": KEEP_ALIVE})
    finally:
        if scroll_id is not None:
            with store_errors("end a scroll", client):
                client.clear_scroll(body={"scroll_id": [scroll_id]}, params={"ignore": 404})


def by_ids(
    client: StoreClient, index: str, ids: Sequence[str], *, source: bool | Sequence[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Id and source of those documents that are there, by multi-get: also unrefreshed ones."""
    for chunk in chunks(ids, PAGE):
        params = {} if isinstance(source, bool) else {"_source_includes": ",".join(source)}
        with store_errors(f"read {index}", client):
            answer = client.mget(index=index, body={"ids": chunk}, params=params)
        for found in answer["docs"]:
            if found.get("found"):
                yield found["_id"], found["_source"]


def get(
    client: StoreClient, index: str, document_id: str, *, index_may_be_missing: bool = False
) -> dict[str, Any] | None:
    """A whole answer of a get (``_source``, ``_seq_no``, ...), or None where there is none."""
    with store_errors(f"read {index}", client):
        try:
            answer: dict[str, Any] = client.get(index=index, id=document_id)
        except NotFoundError as error:
            absent = isinstance(error.info, Mapping) and error.info.get("found") is False
            if absent or (index_may_be_missing and error.error == "index_not_found_exception"):
                return None
            raise
    return answer


def count(client: StoreClient, index: str, query: Mapping[str, Any] | None = None) -> int:
    """How many documents match; of all without a query."""
    with store_errors(f"count {index}", client):
        answer = client.count(index=index, body={"query": query} if query else None)
    return int(answer["count"])


def chunks(values: Sequence[T], size: int) -> Iterator[list[T]]:
    """Lists of at most ``size`` values, in order."""
    remaining = iter(values)
    while chunk := list(islice(remaining, size)):
        yield chunk
