"""Which newer blocks found a page unchanged, and so wrote nothing though they wanted it there.

Without them the order of runs would matter: a block that adds a page which is there already leaves
no trace in the sealed generation, and an older ``delete`` that runs afterwards would remove it.
They are read from the change sets that were published, as long as these are kept.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from opensearchpy.exceptions import NotFoundError

from site_indexer.index_store import scan
from site_indexer.index_store.change_records import Kind
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import SiteNames, Target

UNCHANGED = "unchanged"
"""The outcome, among the facts of a page record, of a page that is as the index has it."""


@dataclass(frozen=True, slots=True)
class Confirmations:
    """What published runs of a site and target found unchanged, since a fresh start if any."""

    client: StoreClient
    names: SiteNames
    target: Target
    since: dt.datetime | None

    def dates(self, document_ids: Sequence[str]) -> dict[str, dt.datetime]:
        """Of those documents, the date of the newest block that found each unchanged."""
        if not document_ids:
            return {}
        published = self._published()
        found: dict[str, dt.datetime] = {}
        for chunk in scan.chunks(document_ids, scan.PAGE) if published else ():
            query = {
                "bool": {
                    "filter": [
                        {"term": {"kind": Kind.PAGE.value}},
                        {"term": {"outcome": UNCHANGED}},
                        {"ids": {"values": chunk}},
                    ]
                }
            }
            hits = scan.scan(
                self.client, f"{self.names.site}.changes-*", query=query, source=["counts_as"]
            )
            for hit in hits:
                counts_as = hit["_source"].get("counts_as")
                if counts_as and hit["_index"] in published:
                    date = parse(counts_as)
                    found[hit["_id"]] = max(date, found.get(hit["_id"], date))
        return found

    def _published(self) -> frozenset[str]:
        with store_errors(f"list the change sets of {self.names.site}", self.client):
            try:
                indices = self.client.indices.get_mapping(index=f"{self.names.site}.changes-*")
            except NotFoundError:
                return frozenset()
        start = "" if self.since is None else iso(self.since)
        return frozenset(
            name
            for name, state in indices.items()
            if self.names.is_changes(name)
            and (meta := state["mappings"].get("_meta", {})).get("target") == self.target.value
            and meta.get("run_now", "") >= start
        )


def mark_published(
    client: StoreClient, index: str, *, target: Target, run_id: str, now: dt.datetime
) -> None:
    """Record on a change set that its run has ended well, so that what it confirms counts."""
    with store_errors(f"label {index}", client):
        try:
            (state,) = client.indices.get_mapping(index=index).values()
        except NotFoundError:
            return  # kept for 7 days only
        meta = state["mappings"].get("_meta", {})
        mark = {"target": target.value, "run_id": run_id, "run_now": iso(now)}
        client.indices.put_mapping(index=index, body={"_meta": {**meta, **mark}})
