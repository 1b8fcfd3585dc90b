"""Bulk writes: batches, repetition, and what becomes of single items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from site_indexer.errors import StoreRefusedError, StoreUnreachableError
from site_indexer.index_store import bulk, scan
from site_indexer.index_store.bulk import (
    Item,
    bulk_write,
    delete_item,
    index_item,
    update_item,
)
from site_indexer.index_store.client import StoreClient, StoreFullError, connect

from .scripted_server import Request, answering


@pytest.fixture
def index(client: StoreClient, site: str) -> str:
    name = f"{site}.bulk"
    mapping = {"dynamic": "strict", "properties": {"n": {"type": "integer"}}}
    body = {"settings": {"number_of_replicas": 0}, "mappings": mapping}
    client.indices.create(index=name, body=body)
    return name


def never_waited(seconds: float) -> None:
    raise AssertionError(f"waited {seconds} s")


@pytest.mark.opensearch
class TestOnARealNode:
    def test_all_are_written_in_batches(self, client: StoreClient, index: str) -> None:
        items = (index_item(str(n), {"n": n}) for n in range(bulk.MAX_ITEMS * 2 + 1))
        outcome = bulk_write(client, index, items, refresh=True, wait=never_waited)
        assert outcome.written == bulk.MAX_ITEMS * 2 + 1
        assert not outcome.errors
        assert scan.count(client, index) == outcome.written

    def test_a_bad_one_costs_only_itself(self, client: StoreClient, index: str) -> None:
        items = [
            index_item("1", {"n": 1}),
            index_item("2", {"n": "many"}),
            index_item("3", {"m": 3}),
            index_item("4", b'{"n": 4}'),
        ]
        outcome = bulk_write(client, index, items, refresh=True)
        assert outcome.written == 2
        assert [(each.document_id, each.status) for each in outcome.errors] == [
            ("2", 400),
            ("3", 400),
        ]
        assert "integer" in outcome.errors[0].reason

    def test_an_older_version_is_a_conflict(self, client: StoreClient, index: str) -> None:
        items = [
            index_item("1", {"n": 2}, version=20),
            index_item("1", {"n": 1}, version=10),
            index_item("1", {"n": 3}, version=20),
            index_item("1", {"n": 4}, version=20, version_type="external_gte"),
        ]
        outcome = bulk_write(client, index, items)
        assert (outcome.written, outcome.conflicts) == (2, ["1", "1"])
        assert dict(scan.by_ids(client, index, ["1"], source=True)) == {"1": {"n": 4}}

    def test_deletes_and_updates(self, client: StoreClient, index: str) -> None:
        bulk_write(client, index, [index_item("1", {"n": 1}), index_item("2", {"n": 2})])
        items = [
            delete_item("1"),
            delete_item("none"),
            update_item("2", {"n": 9}),
            update_item("no", {}),
        ]
        outcome = bulk_write(client, index, items)
        assert outcome.missing == ["no"]
        assert not outcome.errors
        assert dict(scan.by_ids(client, index, ["1", "2"], source=True)) == {"2": {"n": 9}}

    def test_nothing_to_write(self, client: StoreClient, index: str) -> None:
        assert bulk_write(client, index, []).written == 0

    def test_a_sealed_index(self, client: StoreClient, index: str) -> None:
        client.indices.put_settings(index=index, body={"index.blocks.write": True})
        with pytest.raises(StoreRefusedError, match="sealed") as error:
            bulk_write(client, index, [index_item("1", {"n": 1})], wait=never_waited)
        assert index in error.value.message

    def test_a_full_disk(self, client: StoreClient, index: str) -> None:
        body = {"index.blocks.read_only_allow_delete": True}
        client.indices.put_settings(index=index, body=body)
        with pytest.raises(StoreFullError, match=index):
            bulk_write(client, index, [index_item("1", {"n": 1})], wait=never_waited)

    def test_an_index_that_is_gone_is_not_made_anew(self, client: StoreClient, site: str) -> None:
        with pytest.raises(StoreRefusedError, match="not there"):
            bulk_write(client, f"{site}.gone", [index_item("1", {"n": 1})])
        assert not client.indices.exists(index=f"{site}.gone")


Answers = Callable[[list[str]], tuple[int, Any]]


class Node:
    """A node that answers as told, with the ids of each request; keeps what it took."""

    def __init__(self, answers: Answers) -> None:
        self.requests: list[list[str]] = []
        self._answers = answers

    def __call__(self, request: Request) -> tuple[int, Any]:
        heads = [orjson.loads(line) for line in request.body.splitlines()[::2]]
        ids = [head["index"]["_id"] for head in heads]
        self.requests.append(ids)
        return self._answers(ids)


def results(statuses: dict[str, int]) -> dict[str, Any]:
    items = []
    for key, status in statuses.items():
        error = {"error": {"type": "busy", "reason": "later"}} if status >= 400 else {}
        items.append({"index": {"_id": key, "status": status, **error}})
    return {"errors": any(status >= 400 for status in statuses.values()), "items": items}


def items(*ids: str) -> list[Item]:
    return [index_item(each, {"n": 1}) for each in ids]


class TestOddAnswers:
    def test_what_it_is_too_busy_for_is_sent_again(self) -> None:
        busy = {"b": 2, "c": 1}

        def answer(ids: list[str]) -> tuple[int, Any]:
            statuses = {}
            for each in ids:
                left = busy.get(each, 0)
                busy[each] = left - 1
                statuses[each] = 429 if left > 0 else 201
            return 200, results(statuses)

        node = Node(answer)
        waits: list[float] = []
        with answering(node) as url:
            outcome = bulk_write(connect(url), "x", items("a", "b", "c"), wait=waits.append)
        assert node.requests == [["a", "b", "c"], ["b", "c"], ["b"]]
        assert outcome.written == 3
        assert waits == [0.25, 0.5]

    def test_a_whole_request_it_is_too_busy_for(self) -> None:
        waits: list[float] = []

        def answer(ids: list[str]) -> tuple[int, Any]:
            return (
                (429, {"error": "later"}) if not waits else (200, results(dict.fromkeys(ids, 201)))
            )

        with answering(Node(answer)) as url:
            assert bulk_write(connect(url), "x", items("a"), wait=waits.append).written == 1
        assert len(waits) == 1

    def test_it_gives_up_after_a_while(self) -> None:
        waits: list[float] = []
        with (
            answering(Node(lambda ids: (200, results(dict.fromkeys(ids, 429))))) as url,
            pytest.raises(StoreUnreachableError, match="too busy for 2 writes"),
        ):
            bulk_write(connect(url), "x", items("a", "b"), wait=waits.append)
        assert len(waits) == bulk.MAX_TRIES - 1
        assert waits == sorted(waits)

    def test_a_request_that_is_too_large_is_split_until_one_fails_alone(self) -> None:
        def answer(ids: list[str]) -> tuple[int, Any]:
            if "huge" in ids:
                return 413, {"error": "too large"}
            return 200, results(dict.fromkeys(ids, 201))

        node = Node(answer)
        with answering(node) as url:
            outcome = bulk_write(
                connect(url), "x", items("a", "b", "huge", "c", "d"), wait=never_waited
            )
        assert outcome.written == 4
        assert [(each.document_id, each.status) for each in outcome.errors] == [("huge", 413)]
        assert len(node.requests) == len({tuple(ids) for ids in node.requests})

    def test_batches_are_bounded_in_bytes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(bulk, "MAX_BYTES", 100)
        node = Node(lambda ids: (200, results(dict.fromkeys(ids, 201))))
        written = [*items("a", "b"), index_item("long", {"n": "x" * 200}), *items("c")]
        with answering(node) as url:
            bulk_write(connect(url), "x", written, wait=never_waited)
        assert node.requests == [["a", "b"], ["long"], ["c"]]
