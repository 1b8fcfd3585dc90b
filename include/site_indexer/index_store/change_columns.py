"""Page records read by columns: what publishing and reviewing ask of each page of a run.

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
_FACTS = ("line", "cause", "named", "status", "bytes", "not_modified")


def read_columns(
    client: StoreClient, index: str, filters: Sequence[Mapping[str, Any]], *, facts: bool
) -> Iterator[ChangeRecord]:
    """The page records of a change set that pass all filters, in no order and without documents.

    ``facts``: with those that tell what became of the page; without, none are there.
    """
    columns = [*_RECORD, *(("outcome", *(f"facts.{name}" for name in _FACTS)) if facts else ())]
    without: list[str] = []
    query = {"bool": {"filter": list(filters)}}
    for found in scan.columns(client, index, columns, query=query):
        if "url" in found:
            yield _record(found, facts=facts)
        else:
            without.append(found["document_id"][0])
    # Columns hold no URL of many thousand characters.
    for document_id, source in scan.by_ids(client, index, without, source=True):
        yield to_page(document_id, {**source, "document": None})


def _record(fields: Mapping[str, Sequence[Any]], *, facts: bool) -> ChangeRecord:
    counts_as = fields.get("counts_as")
    block = fields.get("block")
    return ChangeRecord(
        document_id=fields["document_id"][0],
        url=fields["url"][0],
        version_ms=int(fields["version_ms"][0]),
        action=_ACTIONS.get(fields["action"][0], fields["action"][0]),
        block=None if block is None else int(block[0]),
        counts_as=None if counts_as is None else _instant(counts_as[0]),
        facts=_facts(fields) if facts else _NONE,
    )


def _facts(fields: Mapping[str, Sequence[Any]]) -> dict[str, Any]:
    found = {name: fields[f"facts.{name}"][0] for name in _FACTS if f"facts.{name}" in fields}
    found["outcome"] = fields["outcome"][0]
    return found


# Of these there are few, and of records very many.
_ACTIONS = {action: action for action in ("write", "remove", "keep")}
_NONE: Mapping[str, Any] = {}


@lru_cache(maxsize=10_000)
def _instant(milliseconds: str) -> dt.datetime:
    return from_ms(int(milliseconds))
