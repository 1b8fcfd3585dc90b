"""Which newer blocks found a page unchanged, and so wrote nothing though they wanted it there.

Without them the order of runs would matter: a block that adds a page which is there already leaves
no trace in the sealed generation, and an older ``delete`` that runs afterwards would remove it.
They are read from the change sets of runs that ended well, as long as these are kept.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from site_indexer.index_store import scan
from site_indexer.index_store.bulk import bulk_write, delete_item, index_item
from site_indexer.index_store.change_records import UNCHANGED, Kind
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import all_generations
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import STATE_INDEX, SiteNames, Target

_KIND = "ended-run"


@dataclass(frozen=True, slots=True)
class Confirmations:
    """What runs of a site and target that ended well found unchanged.

    ``since``: only runs that began then or later count (a fresh start), None for all.
    """

    client: StoreClient
    site: str
    target: Target
    since: dt.datetime | None

    def dates(self, document_ids: Sequence[str]) -> dict[str, dt.datetime]:
        """Of those documents, the date of the newest block that found each unchanged."""
        found: dict[str, dt.datetime] = {}
        ended = self._ended_change_sets() if document_ids else frozenset()
        for chunk in scan.chunks(document_ids, scan.PAGE) if ended else ():
            filters = [
                {"term": {"kind": Kind.PAGE.value}},
                {"term": {"outcome": UNCHANGED}},
                {"ids": {"values": chunk}},
            ]
            hits = scan.scan(
                self.client,
                f"{self.site}.changes-*",
                query={"bool": {"filter": filters}},
                source=["counts_as"],
            )
            for hit in hits:
                counts_as = hit["_source"].get("counts_as")
                if counts_as and hit["_index"] in ended:
                    date = parse(counts_as)
                    found[hit["_id"]] = max(date, found.get(hit["_id"], date))
        return found

    def _ended_change_sets(self) -> frozenset[str]:
        terms = {"kind": _KIND, "site": self.site, "target": self.target.value}
        filters: list[dict[str, Any]] = [{"term": {key: each}} for key, each in terms.items()]
        if self.since is not None:
            filters.append({"range": {"recorded_at": {"gte": iso(self.since)}}})
        query = {"bool": {"filter": filters}}
        hits = scan.scan(self.client, STATE_INDEX, query=query, source=["changes", "generation"])
        ended = {hit["_source"]["changes"]: hit["_source"].get("generation") for hit in hits}
        if any(ended.values()):
            names = SiteNames(self.site)
            shown = {each.name for each in all_generations(self.client, names) if each.published}
            ended = {key: name for key, name in ended.items() if name is None or name in shown}
        return frozenset(ended)


def mark_ended(
    client: StoreClient,
    site: str,
    target: Target,
    changes: str,
    now: dt.datetime,
    *,
    generation: str | None = None,
) -> None:
    """Record that the run of a change set, begun ``now``, ended well: what it confirms counts.

    With ``generation`` it counts from the moment that is shown.
    """
    source = {
        "kind": _KIND,
        "site": site,
        "target": target.value,
        "changes": changes,
        "recorded_at": iso(now),
        "generation": generation,
    }
    item = index_item(ended_key(target, changes), source)
    bulk_write(client, STATE_INDEX, [item], refresh=True)


def forget_ended(client: StoreClient, target: Target, changes: str) -> None:
    """Take :func:`mark_ended` back."""
    bulk_write(client, STATE_INDEX, [delete_item(ended_key(target, changes))], refresh=True)


def hand_over_ended(client: StoreClient, site: str, source: Target, target: Target) -> None:
    """Let what runs of ``source`` confirmed count for ``target`` as well.

    For a staged index that begins as a copy of live, and for push live.
    """
    items = [
        index_item(ended_key(target, each["changes"]), {**each, "target": target.value})
        for each in _ended(client, site, source)
    ]
    bulk_write(client, STATE_INDEX, items, refresh=True)


def forget_all_ended(client: StoreClient, site: str, target: Target) -> None:
    """Forget what all runs of a target confirmed."""
    items = [
        delete_item(ended_key(target, each["changes"])) for each in _ended(client, site, target)
    ]
    bulk_write(client, STATE_INDEX, items, refresh=True)


def _ended(client: StoreClient, site: str, target: Target) -> list[dict[str, Any]]:
    terms = {"kind": _KIND, "site": site, "target": target.value}
    query = {"bool": {"filter": [{"term": {key: each}} for key, each in terms.items()]}}
    return [hit["_source"] for hit in scan.scan(client, STATE_INDEX, query=query, source=True)]


def ended_key(target: Target, changes: str) -> str:
    """The key of that record in the state index."""
    return f"{_KIND}:{target.value}:{changes}"
