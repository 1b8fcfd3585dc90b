"""Plans of runs, kept in OpenSearch, as tasks may run on different machines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from site_indexer.errors import StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import bulk_write, delete_item, encode, index_item
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso
from site_indexer.index_store.names import STATE_INDEX

PART_CHARACTERS = 2_000_000
"""A larger plan is kept in parts, each well below what OpenSearch takes in one request."""


@dataclass(frozen=True, slots=True)
class PlanStore:
    """Plans by digest, in ``site-indexer.state``. Raises what ``store_errors`` raises."""

    client: StoreClient

    def put(self, digest: str, plan: Mapping[str, Any]) -> None:
        """Keep a plan (JSON-safe, of any size); again under its digest, it replaces itself.

        It is pruned after 7 days, as change sets are.
        """
        now = iso(dt.datetime.now(dt.UTC))
        text = encode(plan).decode()
        parts = [text[at : at + PART_CHARACTERS] for at in range(0, len(text), PART_CHARACTERS)]
        items = [
            index_item(
                _key(digest, number),
                {"kind": "plan-part", "recorded_at": now, "text": part},
            )
            for number, part in enumerate(parts[1:], start=1)
        ]
        head = {
            "kind": "plan",
            "digest": digest,
            "parts": len(parts),
            "recorded_at": now,
            "text": parts[0],
        }
        # The first part goes last: where it is, all are.
        items.append(index_item(_key(digest, 0), head))
        outcome = bulk_write(self.client, STATE_INDEX, items)
        if outcome.errors:
            reason = outcome.errors[0].reason
            raise StoreRefusedError(f"OpenSearch refused to keep the plan {digest}: {reason}.")

    def get(self, digest: str) -> dict[str, Any] | None:
        """A plan, or None where there is none."""
        head = scan.get(self.client, STATE_INDEX, _key(digest, 0))
        if head is None:
            return None
        source = head["_source"]
        keys = [_key(digest, number) for number in range(1, source["parts"])]
        rest = dict(scan.by_ids(self.client, STATE_INDEX, keys, source=True))
        if len(rest) < len(keys):
            return None
        text = source["text"] + "".join(rest[key]["text"] for key in keys)
        plan: dict[str, Any] = orjson.loads(text)
        return plan

    def remove(self, digest: str) -> None:
        """Forget a plan; that it is gone already is no error."""
        head = scan.get(self.client, STATE_INDEX, _key(digest, 0))
        parts = head["_source"]["parts"] if head else 0
        items = [delete_item(_key(digest, number)) for number in range(parts)]
        bulk_write(self.client, STATE_INDEX, items)


def _key(digest: str, number: int) -> str:
    return f"plan:{digest}" if number == 0 else f"plan:{digest}:{number}"
