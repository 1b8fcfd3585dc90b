"""Change sets and their writer on a real OpenSearch."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from site_indexer.errors import RunFailedError, StoreRefusedError
from site_indexer.index_store import change_writer
from site_indexer.index_store.bulk import BulkOutcome, Item, bulk_write
from site_indexer.index_store.change_sets import (
    ChangeRecord,
    ChangeSet,
    ChangeWriter,
    RemovalRecord,
)
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.names import SiteNames
from site_indexer.urls.kinds import MaskKind

from .conftest import day, url

pytestmark = pytest.mark.opensearch

DIGEST = "ab" * 16
LONG = f"https://h/{'a' * 20_000}"


@pytest.fixture
def changes(client: StoreClient, site: str) -> ChangeSet:
    return ChangeSet.create(client, SiteNames(site), DIGEST)


def record(page: str, version: int = 1_000, **more: Any) -> ChangeRecord:
    plain = ChangeRecord(
        document_id=page,
        url=url(page),
        version_ms=version,
        action="write",
        block=1,
        counts_as=day(1),
        document={"url": url(page), "text": page},
        facts={"outcome": "indexed", "line": 3},
    )
    return replace(plain, **more)


def by_id(changes: ChangeSet) -> dict[str, ChangeRecord]:
    return {each.document_id: each for each in changes.pages()}


def test_what_is_put_is_read(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        writer.put(record("a"))
        writer.put(record("b", action="keep", document=None, facts={"links": ["x"]}))
    found = by_id(changes)
    assert found.keys() == {"a", "b"}
    assert found["a"].document is not None
    assert found["a"].document["text"] == "a"
    assert found["b"] == record("b", action="keep", document=None, facts={"links": ["x"]})
    assert changes.get(["b", "none"]) == {"b": found["b"]}


def test_reads_can_be_narrowed(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        for number in range(250):
            writer.put(record(f"w{number}"))
        writer.put(record("k", action="keep"))
    assert {each.document_id for each in changes.pages(actions=["keep"])} == {"k"}
    bare = list(changes.pages(actions=["write"], documents=False))
    assert len(bare) == 250
    assert all(each.document is None and each.facts["line"] == 3 for each in bare)


def test_the_record_fetched_last_counts_whatever_comes_last(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        writer.put(record("a", 2_000, action="remove"))
        writer.put(record("a", 1_000))
        writer.put(record("b", 1_000))
        writer.put(record("b", 1_000, action="keep"))
    found = by_id(changes)
    assert (found["a"].action, found["b"].action) == ("remove", "keep")


def test_one_that_is_opened_is_the_same(client: StoreClient, site: str, changes: ChangeSet) -> None:
    again = ChangeSet.create(client, SiteNames(site), DIGEST)
    assert ChangeSet.open(client, SiteNames(site), DIGEST) == again == changes


def test_records_of_another_plan_are_not_there(
    client: StoreClient, site: str, changes: ChangeSet
) -> None:
    with changes.writer() as writer:
        writer.put(record("a"))
    other = ChangeSet.create(client, SiteNames(site), "cd" * 16)
    assert list(other.pages()) == []
    with pytest.raises(StoreRefusedError, match="first task"):
        ChangeSet.open(client, SiteNames(site), "ef" * 16)


def test_removals_live_beside_pages(changes: ChangeSet) -> None:
    removals = [
        RemovalRecord(9, 2, day(2), url=url("a"), matched=1),
        RemovalRecord(4, 1, day(1), mask="*.pdf", mask_kind=MaskKind.WILDCARD, matched=3),
    ]
    with changes.writer() as writer:
        writer.put(record("a"))
    changes.put_removals(removals)
    changes.put_removals(removals)
    assert changes.removals() == [removals[1], removals[0]]
    pages, commands = changes.to_publish()
    assert [each.document_id for each in pages] == ["a"]
    assert commands == [removals[1], removals[0]]


def test_completions(changes: ChangeSet) -> None:
    changes.complete("add", {"fetched": 1})
    changes.complete("add", {"fetched": 2, "per_host": {"a.b": 1}})
    changes.complete("delete", {})
    assert changes.completions() == {"add": {"fetched": 2, "per_host": {"a.b": 1}}, "delete": {}}
    changes.delete_completion("add")
    changes.delete_completion("add")
    assert changes.completions() == {"delete": {}}
    assert list(changes.pages()) == []


def test_counts(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        writer.put(record("a"))
        writer.put(record("b"))
        writer.put(record("c", action="keep", facts={"outcome": "unchanged"}))
    changes.put_removals([RemovalRecord(9, 2, day(2), url=url("a"))])
    assert changes.counts() == {
        "pages": 3,
        "action:write": 2,
        "action:keep": 1,
        "outcome:indexed": 2,
        "outcome:unchanged": 1,
    }


def test_dropped_twice(changes: ChangeSet) -> None:
    changes.drop()
    changes.drop()


class TestTheWriter:
    def test_flushed_means_durable(self, changes: ChangeSet) -> None:
        with changes.writer() as writer:
            writer.put(record("a"))
            writer.flush()
            assert changes.get(["a"]).keys() == {"a"}

    def test_it_writes_by_itself_within_a_second(
        self, changes: ChangeSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        written = threading.Event()

        def note(*args: Any) -> BulkOutcome:
            outcome = bulk_write(*args)
            written.set()
            return outcome

        monkeypatch.setattr(change_writer, "bulk_write", note)
        with changes.writer() as writer:
            writer.put(record("a"))
            assert written.wait(timeout=30)
            assert changes.get(["a"]).keys() == {"a"}

    def test_records_are_read_back_written_or_not(
        self, changes: ChangeSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(change_writer, "LONGEST_WAIT_S", 3_600)
        with changes.writer() as writer:
            writer.put(record("a"))
            writer.flush()
            writer.put(record("b"))
            writer.put(record("a", 2_000, action="remove"))
            found = writer.get(["a", "b", "c"])
        assert {key: each.action for key, each in found.items()} == {"a": "remove", "b": "write"}

    def test_many_records_from_many_threads(self, changes: ChangeSet) -> None:
        with changes.writer() as writer:

            def put(start: int) -> None:
                for number in range(1_200):
                    writer.put(record(f"{start}-{number}"))

            threads = [threading.Thread(target=put, args=(start,)) for start in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert changes.counts()["pages"] == 3_600

    def test_a_document_that_can_never_be_indexed_is_kept_as_a_failure(
        self, changes: ChangeSet
    ) -> None:
        with changes.writer() as writer:
            writer.put(record("a", document={"url": url("a"), "colour": "red"}))
            writer.put(record("b"))
        assert [each.document_id for each in writer.rejected] == ["a"]
        found = by_id(changes)
        assert (found["a"].action, found["b"].action) == ("keep", "write")
        assert "colour" in found["a"].facts["rejected"]

    def test_an_error_is_raised_by_what_comes_next(self, changes: ChangeSet) -> None:
        writer = changes.writer()
        changes.drop()
        writer.put(record("a"))
        with pytest.raises(StoreRefusedError, match="not there"):
            writer.flush()
        with pytest.raises(StoreRefusedError, match="not there"):
            writer.put(record("b"))
        with pytest.raises(StoreRefusedError, match="not there"):
            writer.__exit__(None, None, None)

    def test_an_error_at_the_end_is_raised_by_leaving(self, changes: ChangeSet) -> None:
        changes.drop()
        with pytest.raises(StoreRefusedError, match="not there"), changes.writer() as writer:
            writer.put(record("a"))

    def test_the_error_of_the_block_is_not_hidden(self, changes: ChangeSet) -> None:
        changes.drop()
        writer = changes.writer()
        writer.put(record("a"))
        error = KeyError()
        writer.__exit__(KeyError, error, None)

    @pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
    def test_nobody_waits_for_a_thread_that_died(
        self, changes: ChangeSet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def break_down(client: StoreClient, index: str, items: Iterable[Item]) -> BulkOutcome:
            raise SystemExit

        monkeypatch.setattr(change_writer, "bulk_write", break_down)
        writer = ChangeWriter(changes.client, changes.index)
        writer.put(record("a"))
        with pytest.raises(RunFailedError, match="has ended"):
            writer.flush()
        with pytest.raises(RunFailedError, match="has ended"):
            writer.put(record("b"))
        with pytest.raises(RunFailedError, match="has ended"):
            writer.__exit__(None, None, None)


def test_it_tells_whether_any_document_may_go(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        writer.put(record("a"))
        writer.put(record("b", action="keep"))
    changes.complete("add", {})
    assert not changes.may_remove()
    with changes.writer() as writer:
        writer.put(record("c", action="remove"))
    assert changes.may_remove()


def test_a_removal_by_a_command_may_meet_a_document(changes: ChangeSet) -> None:
    changes.put_removals([RemovalRecord(9, 2, day(2), url=url("a"))])
    assert changes.may_remove()


def test_of_a_write_publishing_gets_no_facts(changes: ChangeSet) -> None:
    with changes.writer() as writer:
        writer.put(record("a"))
        writer.put(replace(record("long"), url=LONG))
        writer.put(record("b", action="remove"))
    pages, _ = changes.to_publish()
    found = {each.document_id: each for each in pages}
    assert found["a"] == replace(record("a"), document=None, facts={})
    assert found["long"] == replace(record("long"), url=LONG, document=None, facts={})
    assert found["b"].facts["line"] == record("b").facts["line"]
