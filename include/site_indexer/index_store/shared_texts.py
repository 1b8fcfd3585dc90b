"""Which pages of a change set share one text (docs/spec/05-index-lifecycle.md, 5.10 Review)."""

from __future__ import annotations

from collections.abc import Iterator

from site_indexer.index_store import scan
from site_indexer.index_store.change_records import ChangeRecord, Kind, to_page
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.client import store_errors

_SHORT = ("kind", "action", "url", "version_ms", "block", "counts_as")


def shared_texts(change_set: ChangeSet, *, at_least: int, most: int) -> dict[str, int]:
    """The texts, by digest, that so many pages share at least, with how many; the ``most`` largest.

    Raises what ``store_errors`` raises.
    """
    change_set.refresh()
    terms = {"field": "text_digest", "size": most, "min_doc_count": max(1, at_least)}
    body = {
        "size": 0,
        "query": {"term": {"kind": Kind.PAGE.value}},
        "aggs": {"texts": {"terms": terms}},
    }
    with store_errors(f"count {change_set.index}", change_set.client):
        answer = change_set.client.search(index=change_set.index, body=body)
    return {each["key"]: each["doc_count"] for each in answer["aggregations"]["texts"]["buckets"]}


def pages_with_text(change_set: ChangeSet, digest: str) -> Iterator[ChangeRecord]:
    """The records, without documents and facts, of the pages with the text of that digest."""
    filters = [{"term": {"kind": Kind.PAGE.value}}, {"term": {"text_digest": digest}}]
    query = {"bool": {"filter": filters}}
    hits = scan.scan(
        change_set.client, change_set.index, query=query, source=_SHORT, size=scan.PAGE * 5
    )
    for hit in hits:
        yield to_page(hit["_id"], hit["_source"])
