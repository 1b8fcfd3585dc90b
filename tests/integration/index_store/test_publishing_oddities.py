"""Publishing where something goes wrong halfway, or is larger than usual."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from opensearchpy.exceptions import ConnectionError as ClientConnectionError

from site_indexer.errors import StoreRefusedError, StoreUnreachableError
from site_indexer.index_store import applying, building, publishing, reindex_task, reindexing
from site_indexer.index_store.applying import apply_changes
from site_indexer.index_store.bulk import update_item
from site_indexer.index_store.client import StoreClient, StoreFullError, connect
from site_indexer.index_store.generations import all_generations, current, describe, put_meta
from site_indexer.index_store.mappings import MAPPING_VERSION
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import PublishStatus, publish
from site_indexer.index_store.setup import create_index
from site_indexer.urls import document_id

from .conftest import Run, Shown, StartRun, url
from .killing import killed_at

pytestmark = pytest.mark.opensearch


def test_many_verdicts_travel_in_parts(
    run: StartRun, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "MOST_VERDICTS", 4)
    pages = [f"p{number}" for number in range(30)]
    run().write(*pages[:20], block=5).publish()
    changes = run().write(*pages, block=3, text="new")
    changes.delete(*pages[20:25], block=4)
    published = changes.publish()
    assert (published.written, len(published.refused)) == (25, 5)
    assert shown() == dict.fromkeys([*pages[:20], *pages[25:]], "new")
    # The twenty kept the date of block 5.
    assert run().deletemask(url(""), block=4).publish().removed == 5


def test_many_pages_are_written_in_slices(
    run: StartRun, shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_MANY", 10)
    pages = [f"p{number}" for number in range(300)]
    assert run().write(*pages).publish().written == 300
    assert len(shown()) == 300


class TestANewMapping:
    @pytest.fixture
    def outdated(self, client: StoreClient, names: SiteNames, run: StartRun) -> str:
        run().write("a", "b").publish()
        base = describe(client, names, names.alias(Target.LIVE))
        assert base is not None
        put_meta(client, base.name, {**base.meta, "mapping_version": MAPPING_VERSION - 1})
        return base.name

    def test_all_documents_are_copied_with_their_versions(
        self, client: StoreClient, names: SiteNames, run: StartRun, shown: Shown, outdated: str
    ) -> None:
        before = client.get(index=outdated, id=document_id(url("b")))
        run().write("a", block=2, text="new").publish()
        after = client.get(index=names.alias(Target.LIVE), id=document_id(url("b")))
        assert (after["_version"], after["_source"]) == (before["_version"], before["_source"])
        assert shown() == {"a": "new", "b": "text"}
        found = describe(client, names, names.alias(Target.LIVE))
        assert found is not None
        assert found.meta["mapping_version"] == MAPPING_VERSION
        assert found.sealed

    def test_documents_that_do_not_fit_it_are_not_lost(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        outdated: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        create = create_index

        def narrower(client: StoreClient, index: str, body: dict[str, Any]) -> bool:
            del body["mappings"]["properties"]["text"]
            return create(client, index, body)

        monkeypatch.setattr(building, "create_index", narrower)
        with pytest.raises(StoreRefusedError, match="new mapping"):
            run().write("c", block=2).publish()
        assert current(client, names, Target.LIVE) == outdated
        assert len(all_generations(client, names)) == 2


def test_another_number_of_shards_takes_effect_with_the_next_publish(
    client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
) -> None:
    run().write("a", "b").publish()
    request = dataclasses.replace(run().write("c", block=2).request(), shards=2)
    publish(client, request)
    found = describe(client, names, names.alias(Target.LIVE))
    assert found is not None
    assert found.shards == 2
    assert shown() == {"a": "text", "b": "text", "c": "text"}


class TestTheDiskFillsUp:
    def test_while_the_new_generation_is_written(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        shown: Shown,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        run().write("a", "b").publish()
        changes = run().delete("a", block=2)

        def fill(client: StoreClient, changes: str, wanted: Any, index: str, draft: None) -> Any:
            body = {"index.blocks.read_only_allow_delete": True}
            client.indices.put_settings(index=index, body=body)
            return apply_changes(client, changes, wanted, index)

        with monkeypatch.context() as patch:
            patch.setattr(publishing, "apply_changes", fill)
            # Deleting is what such a block allows; marking the documents is writing.
            patch.setattr(applying, "delete_item", applying_mark)
            with pytest.raises(StoreFullError, match=names.site):
                changes.publish()
        assert shown() == {"a": "text", "b": "text"}
        assert len(all_generations(client, names)) == 2
        changes.publish()
        assert shown() == {"b": "text"}

    def test_while_a_crawl_writes(self, client: StoreClient, run: StartRun) -> None:
        changes = run()
        block = {"index.blocks.read_only_allow_delete": True}
        client.indices.put_settings(index=changes.changes.index, body=block)
        with pytest.raises(StoreFullError, match=changes.changes.index):
            changes.write("a")


def applying_mark(key: str) -> Any:
    return update_item(key, {"tier": "gone"})


class TestTheAnswerToTheSwapIsLost:
    @pytest.fixture
    def fragile(self, opensearch_url: str) -> StoreClient:
        return connect(opensearch_url)

    def lose(self, client: StoreClient, monkeypatch: pytest.MonkeyPatch, *, before: bool) -> None:
        real: Callable[..., Any] = client.indices.update_aliases

        def update(**more: Any) -> None:
            if not before:
                real(**more)
            raise ClientConnectionError("N/A", "lost", OSError("lost"))

        monkeypatch.setattr(client.indices, "update_aliases", update)

    def test_and_it_came_about(
        self,
        fragile: StoreClient,
        names: SiteNames,
        shown: Shown,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        changes = Run(fragile, names).write("a")
        self.lose(fragile, monkeypatch, before=False)
        published = changes.publish()
        assert (published.status, published.rounds) == (PublishStatus.PUBLISHED, 1)
        assert shown() == {"a": "text"}

    def test_and_it_may_still_come_about(
        self,
        fragile: StoreClient,
        names: SiteNames,
        shown: Shown,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        changes = Run(fragile, names).write("a")
        with monkeypatch.context() as patch:
            self.lose(fragile, patch, before=True)
            with pytest.raises(StoreUnreachableError, match="move the alias"):
                changes.publish()
        # So the new generation must not be deleted: the request may be on its way yet.
        newest = all_generations(fragile, names)[0]
        assert newest.sealed
        assert newest.meta["run_id"] == changes.request().run_id
        assert shown() == {}
        assert changes.publish().documents_after == 1
        assert shown() == {"a": "text"}

    def test_and_the_client_asked_twice(
        self,
        fragile: StoreClient,
        names: SiteNames,
        shown: Shown,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        changes = Run(fragile, names).write("a").delete("x", block=5)
        real: Callable[..., Any] = fragile.indices.update_aliases

        def twice(**more: Any) -> None:
            real(**more)
            real(**more)

        monkeypatch.setattr(fragile.indices, "update_aliases", twice)
        assert changes.publish().rounds == 1
        assert shown() == {"a": "text"}
        # What counts from the swap on does.
        assert Run(fragile, names).write("x", block=4).publish().refused


def test_an_index_that_an_alias_shows_is_never_discarded(
    client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
) -> None:
    generation = run().write("a").publish().generation
    assert generation is not None
    assert not building.discard(client, names, generation)
    assert shown() == {"a": "text"}
    assert building.discard(client, names, names.generation(run().now))


def test_killed_while_building_the_leftover_harms_nobody(
    client: StoreClient,
    names: SiteNames,
    run: StartRun,
    shown: Shown,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run().write("a").publish()
    changes = run().write("b", block=2)
    with monkeypatch.context() as patch:
        patch.setattr(building, "discard", lambda *args: False)  # as kill -9 leaves it
        with killed_at(publishing, "verify_count"):
            changes.publish()
    assert len(all_generations(client, names)) == 3
    assert shown() == {"a": "text"}
    changes.publish()
    assert shown() == {"a": "text", "b": "text"}


def test_a_name_that_is_taken_is_left_alone(
    client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
) -> None:

    changes = run().write("a")
    moment = changes.now
    taken = names.generation(moment)
    client.indices.create(index=taken)
    published = publish(client, changes.request(), lambda: moment)
    assert published.generation is not None
    assert published.generation > taken
    assert shown() == {"a": "text"}
    assert client.count(index=taken)["count"] == 0


def test_a_try_that_was_thought_dead_publishes_while_another_does(
    client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
) -> None:
    changes = run().write("a")
    first: list[Any] = []

    def meanwhile(_: Any) -> None:
        if not first:
            first.append(None)
            first.append(changes.publish())

    second = publish(client, changes.request(), gate=meanwhile)
    assert second == first[1]
    assert second.status is PublishStatus.PUBLISHED
    assert second.generation == current(client, names, Target.LIVE)
    assert shown() == {"a": "text"}


def test_a_killed_publish_whose_change_set_is_gone_blocks_nobody(
    client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
) -> None:
    changes = run().write("a")
    with killed_at(publishing, "describe"):
        changes.publish()
    changes.changes.drop()
    run().write("b", block=2).publish()
    assert shown() == {"a": "text", "b": "text"}


def test_a_reindex_ends_with_whoever_waits_for_it(
    client: StoreClient, names: SiteNames, run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    changes = run().write(*(f"p{number}" for number in range(3_000)))
    with killed_at(reindex_task, "_wait_for"):
        changes.publish()
    assert names.site not in str(reindex_task.written_to(client))
    assert len(all_generations(client, names)) == 1
    assert changes.publish().documents_after == 3_000


def test_the_server_keeps_no_results_of_tasks(client: StoreClient, run: StartRun) -> None:
    changes = run().write(*(f"p{number}" for number in range(1_000)))
    changes.publish()
    client.indices.refresh(index=".tasks")
    found = client.search(index=".tasks", body={"size": 100})["hits"]["hits"]
    assert changes.changes.index not in str(found)
