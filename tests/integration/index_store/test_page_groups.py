"""Pages of a change set, counted in groups by a real OpenSearch."""

from __future__ import annotations

from typing import Any

import pytest

from site_indexer.index_store import page_groups as module
from site_indexer.index_store.change_sets import ChangeRecord, ChangeSet
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.page_groups import PageGroup, page_groups

from .conftest import day, url

pytestmark = pytest.mark.opensearch


@pytest.fixture
def changes(client: StoreClient, site: str) -> ChangeSet:
    return ChangeSet.create(client, SiteNames(site), "ab" * 16)


def record(page: str, block: int, action: str, **facts: Any) -> ChangeRecord:
    return ChangeRecord(
        document_id=page,
        url=url(page),
        version_ms=1_000,
        action=action,
        block=block,
        counts_as=day(1),
        document={"title": page} if action == "write" else None,
        facts={"named": False, **facts},
    )


def fill(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        for page, block in (("a", 0), ("b", 1), ("c", 1)):
            read = {"status": 200, "bytes": 7, "text_digest": "t"}
            writer.put(record(page, block, "write", outcome="indexed", **read))
        writer.put(record("d", 0, "keep", outcome="failed", named=True))
        writer.put(record("e", 2, "keep", outcome="failed", named=True))
        kept = {"outcome": "unchanged", "status": 304, "not_modified": True}
        writer.put(record("f", 2, "keep", **kept))
        writer.put(record("g", 2, "keep", outcome="unchanged", status=200))
    changes.complete("add", {})


GROUPS = {
    PageGroup("write", "indexed", 200, False, False, 3, 21, 3, 1),
    PageGroup("keep", "failed", None, True, False, 2, 0, 0, 2),
    PageGroup("keep", "unchanged", 304, False, True, 1, 0, 0, 1),
    PageGroup("keep", "unchanged", 200, False, False, 1, 0, 0, 1),
}


def test_pages_are_grouped_by_what_became_of_them(changes: ChangeSet) -> None:
    fill(changes)
    found = list(page_groups(changes, {0, 2}))
    assert len(found) == len(GROUPS)
    assert set(found) == GROUPS


def test_of_no_blocks_there_are_no_pages(changes: ChangeSet) -> None:
    fill(changes)
    assert {each.of_blocks for each in page_groups(changes)} == {0}


def test_there_may_be_more_groups_than_one_answer_holds(
    changes: ChangeSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_GROUPS_AT_ONCE", 2)
    fill(changes)
    assert set(page_groups(changes, {0, 2})) == GROUPS


def test_without_pages_there_are_no_groups(changes: ChangeSet) -> None:
    changes.complete("add", {})
    assert list(page_groups(changes)) == []
