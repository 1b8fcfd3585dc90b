"""Of a million records that publishing reads, each byte counts (docs/benchmarks.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from site_indexer.index_store.change_columns import _record

FOUND: Mapping[str, Sequence[Any]] = {
    "document_id": ["a"],
    "url": ["https://h/"],
    "version_ms": [1],
    "action": ["write"],
    "block": [0],
    "counts_as": ["1000"],
}


def test_records_share_what_is_the_same_for_all() -> None:
    one, other = _record(FOUND), _record(FOUND)
    assert one.facts is other.facts
    assert one.counts_as is other.counts_as
    assert one.action is other.action
