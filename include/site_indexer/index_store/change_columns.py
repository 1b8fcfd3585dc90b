"""Page records read by columns: what publishing asks of each page of a run.

A stored record holds its whole document. To unpack and parse that for a few facts costs OpenSearch
several times as much as to look these up in columns.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from site_indexer.index_store import scan
from site_indexer.index_store.change_records import ChangeRecord, to_page
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import from_ms

_RECORD: Sequence[scan.Column] = (
    "document_id",
    "url",
    "version_ms",
    "action",
    "block",
    {"field": "counts_as", "format": "epoch_millis"},
)


def read_columns(
    client: StoreClient, index: str, filters: Sequence[Mapping[str, Any]]
) -> Iterator[ChangeRecord]:
    """The page records of a change set that pass all filters, without documents and facts.

    They come in no order.
    """
    without: list[str] = []
    query = {"bool": {"filter": list(filters)}}
    for found in scan.columns(client, index, _RECORD, query=query):
        if "url" in found:
            yield _record(found)
        else:
            without.append(found["document_id"][0])
    # Columns hold no URL of many thousand characters.
    for document_id, source in scan.by_ids(client, index, without, source=True):
        yield to_page(document_id, {**source, "document": None, "facts": None})


def _record(fields: Mapping[str, Sequence[Any]]) -> ChangeRecord:
    counts_as = fields.get("counts_as")
    block = fields.get("block")
    return ChangeRecord(
        document_id=fields["document_id"][0],
        url=fields["url"][0],
        version_ms=int(fields["version_ms"][0]),
        action=_ACTIONS.get(fields["action"][0], fields["action"][0]),
        block=None if block is None else int(block[0]),
        counts_as=None if counts_as is None else _instant(counts_as[0]),
        facts=_NONE,
    )


# Of these there are few, and of records very many.
_ACTIONS = {action: action for action in ("write", "remove", "keep")}
_NONE: Mapping[str, Any] = {}


@lru_cache(maxsize=10_000)
def _instant(milliseconds: str) -> dt.datetime:
    return from_ms(int(milliseconds))
