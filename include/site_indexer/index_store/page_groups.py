"""What became of the pages of a change set, counted by OpenSearch: there may be a million of them.

What is asked of them: docs/spec/05-index-lifecycle.md, 5.10 Review.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from site_indexer.index_store.change_records import Kind
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.client import store_errors

_GROUPS_AT_ONCE = 1_000
# The name of each by which pages are grouped, and its column.
_ALIKE_IN: Mapping[str, str] = {
    "action": "action",
    "outcome": "outcome",
    "status": "facts.status",
    "named": "facts.named",
    "not_modified": "facts.not_modified",
}


@dataclass(frozen=True, slots=True)
class PageGroup:
    """Pages that are alike in what they have by name here: so many ``pages``, ``bytes`` together.

    ``with_text`` of them have a text, ``of_blocks`` belong to the blocks that were asked for.
    """

    action: str
    outcome: str
    status: int | None
    named: bool
    not_modified: bool
    pages: int
    bytes: int
    with_text: int
    of_blocks: int


def page_groups(change_set: ChangeSet, blocks: Collection[int] = ()) -> Iterator[PageGroup]:
    """All pages of a change set, in groups. Raises what ``store_errors`` raises."""
    change_set.refresh()
    grouped: dict[str, Any] = {
        "size": _GROUPS_AT_ONCE,
        "sources": [
            {name: {"terms": {"field": column, "missing_bucket": True}}}
            for name, column in _ALIKE_IN.items()
        ],
    }
    body = {
        "size": 0,
        "query": {"term": {"kind": Kind.PAGE.value}},
        "aggs": {
            "groups": {
                "composite": grouped,
                "aggs": {
                    "bytes": {"sum": {"field": "facts.bytes"}},
                    "with_text": {"filter": {"exists": {"field": "text_digest"}}},
                    "of_blocks": {"filter": {"terms": {"block": sorted(blocks)}}},
                },
            }
        },
    }
    while True:
        with store_errors(f"count {change_set.index}", change_set.client):
            answer = change_set.client.search(index=change_set.index, body=body)
        found = answer["aggregations"]["groups"]
        yield from map(_group, found["buckets"])
        if len(found["buckets"]) < _GROUPS_AT_ONCE:
            return
        grouped["after"] = found["after_key"]


def _group(bucket: Mapping[str, Any]) -> PageGroup:
    alike = bucket["key"]
    return PageGroup(
        action=alike["action"],
        outcome=alike["outcome"],
        status=alike["status"],
        named=bool(alike["named"]),
        not_modified=bool(alike["not_modified"]),
        pages=bucket["doc_count"],
        bytes=int(bucket["bytes"]["value"]),
        with_text=bucket["with_text"]["doc_count"],
        of_blocks=bucket["of_blocks"]["doc_count"],
    )
