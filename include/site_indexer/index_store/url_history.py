"""What the change sets that are still kept say of one URL (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from site_indexer.index_store.change_records import ChangeRecord, Kind, to_page
from site_indexer.index_store.client import StoreClient, store_errors
from site_indexer.index_store.names import SiteNames

_FIELDS = ("kind", "action", "url", "version_ms", "block", "counts_as", "facts")
# A site has fewer change sets: those of a week, a run every quarter of an hour.
_MOST_CHANGE_SETS = 1_000


@dataclass(frozen=True, slots=True)
class KeptRecord:
    """A page record, without document and links, and the digest of the plan that it belongs to."""

    digest: str
    record: ChangeRecord


def records_of(
    client: StoreClient, names: SiteNames, document_ids: Sequence[str]
) -> list[KeptRecord]:
    """The page records of those ids over all change sets of a site, the one fetched last first.

    Raises what ``store_errors`` raises.
    """
    pattern = names.all_changes
    filters = [{"term": {"kind": Kind.PAGE.value}}, {"ids": {"values": list(document_ids)}}]
    body = {
        "size": _MOST_CHANGE_SETS,
        "query": {"bool": {"filter": filters}},
        "_source": {"includes": list(_FIELDS), "excludes": ["facts.links"]},
    }
    with store_errors(f"read {pattern}", client):
        # Change sets are refreshed by whoever reads them.
        client.indices.refresh(index=pattern)
        hits = client.search(index=pattern, body=body)["hits"]["hits"]
    found = [
        KeptRecord(names.digest_of(hit["_index"]), to_page(hit["_id"], hit["_source"]))
        for hit in hits
        if names.is_changes(hit["_index"])
    ]
    return sorted(found, key=lambda kept: kept.record.version_ms, reverse=True)


def has_change_sets(client: StoreClient, names: SiteNames) -> bool:
    """Whether any run of the last days left a change set. Raises what ``store_errors`` raises."""
    with store_errors(f"list the change sets of {names.site}", client):
        indices = client.indices.get_alias(index=names.all_changes)
    return any(map(names.is_changes, indices))
