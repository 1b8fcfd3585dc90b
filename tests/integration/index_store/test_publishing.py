"""Publishing on a real OpenSearch (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

import dataclasses
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from opensearchpy.exceptions import AuthorizationException

from site_indexer.errors import PublishConflictError, RunFailedError, StoreRefusedError
from site_indexer.index_store import applying, publishing
from site_indexer.index_store.changes import Changes
from site_indexer.index_store.client import StoreClient, StoreFullError
from site_indexer.index_store.generations import all_generations, current, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.publishing import MOST_ROUNDS, PublishStatus, publish
from site_indexer.index_store.state import StateStore
from site_indexer.urls import document_id
from site_indexer.urls.kinds import MaskKind

from .conftest import Run, Shown, StartRun, day, url
from .killing import killed_at

pytestmark = pytest.mark.opensearch


def live(client: StoreClient, names: SiteNames) -> str:
    shown = current(client, names, Target.LIVE)
    assert shown is not None
    return shown


def test_what_a_run_wrote_is_what_searchers_see(run: StartRun, shown: Shown) -> None:
    published = run().write("a", "b").publish()
    assert published.status is PublishStatus.PUBLISHED
    assert (published.documents_before, published.documents_after) == (0, 2)
    assert (published.written, published.removed, published.rounds) == (2, 0, 1)
    assert shown() == {"a": "text", "b": "text"}


def test_a_later_run_changes_only_what_it_met(run: StartRun, shown: Shown) -> None:
    run().write("a", "b", "c").publish()
    published = (
        run().write("b", block=2, text="new").gone("c", block=2).unchanged("a", block=2).publish()
    )
    assert (published.written, published.removed) == (1, 1)
    assert shown() == {"a": "text", "b": "new"}


def test_the_last_record_of_a_url_counts(run: StartRun, shown: Shown) -> None:
    changes = run().write("a", text="first").gone("a").write("a", text="last").write("b").gone("b")
    assert changes.publish().documents_after == 1
    assert shown() == {"a": "last"}


def test_nothing_to_do_publishes_no_generation(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    run().write("a").publish()
    before = live(client, names)
    published = run().unchanged("a", block=2).gone("never-there", block=2).publish()
    assert published.status is PublishStatus.UNCHANGED
    assert published.generation is None
    assert published.base == live(client, names) == before
    assert len(all_generations(client, names)) == 2


def test_a_generation_describes_itself(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    first = run().write("a", "b").publish()
    second = run().write("c", block=2).delete("a", block=2).publish()
    assert second.generation is not None
    found = describe(client, names, second.generation)
    assert found is not None
    assert found.own
    assert found.published
    assert found.sealed
    assert found.current == (Target.LIVE,)
    meta = found.meta
    assert (meta["site"], meta["target"], meta["base"]) == (names.site, "live", first.generation)
    assert meta["documents"] == 2
    assert meta["counts"]["written"] == 1
    assert meta["counts"]["removed"] == 1


def test_documents_carry_what_the_rules_compare(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    changes = run().write("a", block=3)
    changes.publish()
    document = client.get(index=names.alias(Target.LIVE), id=document_id(url("a")))
    source = document["_source"]
    assert source["block_date"] == day(3).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    assert source["tier"] == "full"
    record = next(changes.changes.pages())
    assert document["_version"] == record.version_ms
    assert source["fetched_at"].endswith("Z")


class TestTheNewerBlockWins:
    def test_a_delete_of_a_later_block_keeps_a_page_out(self, run: StartRun, shown: Shown) -> None:
        published = run().write("a", "b", block=1).delete("a", block=2, line=12).publish()
        assert [(each.url, each.line) for each in published.refused] == [(url("a"), 12)]
        assert shown() == {"b": "text"}

    def test_a_delete_of_an_earlier_block_does_not(self, run: StartRun, shown: Shown) -> None:
        run().write("a", text="old").publish()
        published = run().delete("a", block=2).write("a", block=3, text="new").publish()
        assert (published.written, published.removed) == (1, 0)
        assert shown() == {"a": "new"}

    def test_within_a_block_deletes_come_first(self, run: StartRun, shown: Shown) -> None:
        run().write("a", text="old").publish()
        run().delete("a", block=2).write("a", block=2, text="new").publish()
        assert shown() == {"a": "new"}

    def test_a_deletemask_removes_what_matches_and_is_not_newer(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("x/1", "x/2", "y", block=1).publish()
        run().write("x/2", block=5).publish()
        published = run().deletemask(url("x"), block=3).publish()
        assert published.removed == 1
        assert shown() == {"2": "text", "y": "text"}

    def test_a_standing_removal_refuses_an_older_block(self, run: StartRun, shown: Shown) -> None:
        run().write("a", "b", block=1).publish()
        run().deletemask("*/a", MaskKind.WILDCARD, block=5, line=40).publish()
        published = run().write("a", "c", block=3).publish()
        assert [(each.url, each.line) for each in published.refused] == [(url("a"), 40)]
        assert shown() == {"b": "text", "c": "text"}

    def test_it_stands_for_good(self, run: StartRun, shown: Shown) -> None:
        run().write("b").delete("a", block=5).publish()
        run().write("c", block=6).publish()
        run().write("d", block=7).publish()
        run().write("a", block=4).publish()
        assert shown().keys() == {"b", "c", "d"}

    def test_a_standing_removal_lets_a_newer_block_pass(self, run: StartRun, shown: Shown) -> None:
        run().write("b").publish()
        run().delete("a", block=5).publish()
        run().write("a", block=6).publish()
        assert shown() == {"a": "text", "b": "text"}

    def test_removals_of_a_run_without_changes_stand_too(self, run: StartRun, shown: Shown) -> None:
        run().write("b").publish()
        assert run().delete("a", block=5).publish().status is PublishStatus.UNCHANGED
        assert run().write("a", block=4).publish().status is PublishStatus.UNCHANGED
        assert shown() == {"b": "text"}

    def test_robots_are_older_than_any_block(self, run: StartRun, shown: Shown) -> None:
        run().write("a", "b", block=5).publish()
        run().delete("b", block=6).publish()
        run().write("a", "b", "c", block=None, text="robot").publish()
        assert shown() == {"a": "robot", "c": "robot"}
        assert run().delete("a", "c", block=4).publish().removed == 1
        assert shown() == {"a": "robot"}

    def test_robots_see_that_a_page_is_gone_whatever_block_wrote_it(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b", block=5).publish()
        run().gone("a", block=None).publish()
        assert shown() == {"b": "text"}

    def test_a_page_gone_in_an_old_window_stays_if_a_newer_block_wrote_it(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", block=5).publish()
        assert run().gone("a", block=4).publish().status is PublishStatus.UNCHANGED
        assert shown() == {"a": "text"}

    def test_an_old_window_refreshes_a_page_and_leaves_its_date(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", block=5).publish()
        run().write("a", block=3, text="fresh").publish()
        assert shown() == {"a": "fresh"}
        assert run().delete("a", block=4).publish().status is PublishStatus.UNCHANGED

    def test_a_newer_block_that_found_a_page_unchanged_shields_it(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b", block=1).publish()
        assert run().unchanged("a", block=5).publish().status is PublishStatus.UNCHANGED
        published = run().delete("a", "b", block=3).publish()
        assert published.removed == 1
        assert shown() == {"a": "text"}

    def test_a_run_that_was_not_published_confirms_nothing(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b", block=1).publish()
        run().unchanged("a", block=5)
        run().delete("a", block=3).publish()
        assert shown() == {"b": "text"}

    def test_a_page_fetched_earlier_never_replaces_one_fetched_later(
        self, run: StartRun, shown: Shown
    ) -> None:
        early = run().write("a", "b", block=6, text="early")
        run().write("a", block=5, text="late").publish()
        published = early.publish()
        assert (published.written, published.superseded) == (1, 1)
        assert shown() == {"a": "late", "b": "early"}
        # The document is the newer block's now, though its text is not.
        run().deletemask(url(""), block=5).publish()
        assert shown() == {"a": "late", "b": "early"}


class TestAFreshStart:
    def test_neither_standing_removals_nor_block_dates_count(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b", block=8).delete("c", block=9).publish()
        run(fresh_start=True).delete("a", block=2).write("c", block=2).publish()
        assert shown() == {"b": "text", "c": "text"}

    def test_nor_do_they_in_later_runs(self, run: StartRun, shown: Shown) -> None:
        run().write("a", block=8).delete("c", block=9).publish()
        run(fresh_start=True).write("x", block=1).publish()
        run().delete("a", block=2).write("c", block=2).publish()
        assert shown() == {"c": "text", "x": "text"}

    def test_its_own_removals_stand(self, run: StartRun, shown: Shown) -> None:
        run().write("a", block=8).publish()
        run(fresh_start=True).delete("a", block=4).publish()
        run().write("a", "b", block=3).publish()
        assert shown() == {"b": "text"}

    def test_without_changes_it_counts_all_the_same(self, run: StartRun, shown: Shown) -> None:
        run().write("a", block=8).delete("c", block=9).publish()
        fresh = run(fresh_start=True).unchanged("a", block=1).publish()
        assert fresh.status is PublishStatus.UNCHANGED
        run().write("c", block=2).publish()
        assert shown() == {"a": "text", "c": "text"}

    def test_one_that_failed_drops_nothing(self, run: StartRun, shown: Shown) -> None:
        run().write("a", block=8).delete("c", block=9).publish()
        with killed_at(publishing, "swap"):
            run(fresh_start=True).write("x", block=1).publish()
        run().write("c", "d", block=2).publish()
        assert shown() == {"a": "text", "d": "text"}


class TestStaged:
    def test_a_staged_index_begins_as_a_copy_of_live(self, run: StartRun, shown: Shown) -> None:
        run().write("a").publish()
        run(Target.STAGED).write("b", block=2).publish()
        assert shown() == {"a": "text"}
        assert shown(Target.STAGED) == {"a": "text", "b": "text"}

    def test_it_remembers_what_live_was(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        first = run().write("a").publish()
        run(Target.STAGED).write("b", block=2).publish()
        run().write("c", block=2).publish()
        run(Target.STAGED).write("d", block=3).publish()
        staged = describe(client, names, names.alias(Target.STAGED))
        assert staged is not None
        assert staged.meta["base_live"] == first.generation

    def test_live_removals_stand_in_it_and_its_own_do_not_in_live(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a").delete("x", block=5).publish()
        run(Target.STAGED).write("b", block=2).delete("y", block=5).publish()
        run(Target.STAGED).write("x", "y", block=3).publish()
        run().write("x", "y", block=3).publish()
        assert shown(Target.STAGED) == {"a": "text", "b": "text"}
        assert shown() == {"a": "text", "y": "text"}

    def test_the_stand_in_alias_is_gone_while_it_is_there(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        assert client.indices.exists_alias(name=names.none_alias)
        run(Target.STAGED).write("b").publish()
        assert not client.indices.exists_alias(name=names.none_alias)


class TestFailures:
    def test_killed_before_the_swap_nothing_has_changed(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        shown: Shown,
    ) -> None:
        run().write("a").publish()
        before = live(client, names)
        changes = run().delete("a", block=2).write("b", block=2)
        with killed_at(publishing, "swap"):
            changes.publish()
        assert live(client, names) == before
        assert shown() == {"a": "text"}
        # Nor do its removals count.
        run().write("a", "c", block=1).publish()
        assert shown() == {"a": "text", "c": "text"}
        assert changes.publish().rounds == 1
        assert shown() == {"b": "text", "c": "text"}

    def test_killed_after_the_swap_it_is_published_once(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        shown: Shown,
    ) -> None:
        changes = run().write("a", "b")
        with killed_at(publishing, "describe"):
            changes.publish()
        generation = live(client, names)
        again = changes.publish()
        assert again.status is PublishStatus.PUBLISHED
        assert (again.generation, again.written, again.documents_after) == (generation, 2, 2)
        found = describe(client, names, generation)
        assert found is not None
        assert found.published_at is not None
        assert changes.publish() == again
        assert shown() == {"a": "text", "b": "text"}

    def test_killed_after_the_swap_the_next_run_completes_it(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        shown: Shown,
    ) -> None:
        changes = run().write("a").delete("x", block=5)
        with killed_at(publishing, "describe"):
            changes.publish()
        killed_one = live(client, names)
        run().write("b", "x", block=2).publish()
        found = describe(client, names, killed_one)
        assert found is not None
        assert found.published
        assert found.meta["documents"] == 1
        assert shown() == {"a": "text", "b": "text"}
        assert changes.publish().generation == killed_one
        assert shown() == {"a": "text", "b": "text"}

    def test_counts_that_disagree_publish_nothing(
        self,
        client: StoreClient,
        names: SiteNames,
        run: StartRun,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        run().write("a").publish()
        before = {each.name for each in all_generations(client, names)}
        monkeypatch.setattr(applying, "copy_writes", lambda *args, **more: [])
        with pytest.raises(RunFailedError, match="1 documents where 2 are expected"):
            run().write("b", block=2).publish()
        assert {each.name for each in all_generations(client, names)} == before

    def test_the_gate_stops_it(
        self, client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b").publish()
        seen: list[Changes] = []

        def brake(changes: Changes) -> None:
            seen.append(changes)
            raise RunFailedError("too much would go")

        changes = run().deletemask(url(""), block=2, line=9)
        with pytest.raises(RunFailedError, match="too much"):
            publish(client, changes.request(), gate=brake)
        assert {(each.url, each.line) for each in seen[0].decisions.removed} == {
            (url("a"), 9),
            (url("b"), 9),
        }
        assert (seen[0].documents_before, seen[0].documents_after) == (2, 0)
        assert shown() == {"a": "text", "b": "text"}
        assert publishing.preview(client, changes.request()) == seen[0]

    def test_a_document_that_opensearch_rejects_costs_only_itself(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("old", "bad").publish()
        changes = run().write("a", "b", block=2).write("bad", block=2, bytes="not a number")
        changes.write("never", block=2, bytes="nor this").delete("old", block=2)
        published = changes.publish()
        reasons = {each.document_id: each.reason for each in published.rejected}
        assert reasons.keys() == {document_id(url("bad")), document_id(url("never"))}
        assert "bytes" in reasons[document_id(url("bad"))]
        assert (published.written, published.documents_after) == (2, 3)
        assert shown() == {"a": "text", "b": "text", "bad": "text"}

    def test_a_removed_page_that_cannot_be_written_again_is_gone(
        self, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "bad").publish()
        changes = run().delete("bad", block=2).write("bad", block=2, bytes="no number")
        published = changes.publish()
        assert (published.removed, published.documents_after) == (1, 1)
        assert shown() == {"a": "text"}

    def test_a_full_disk_is_named_and_changes_nothing(
        self, client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
    ) -> None:
        run().write("a").publish()
        base = live(client, names)
        changes = run().write("b", block=2)
        block = {"index.blocks.read_only_allow_delete": True}
        client.indices.put_settings(index=base, body=block)
        with pytest.raises(StoreFullError, match=f"publish to .*{base}") as error:
            changes.publish()
        assert error.value.transient
        assert "read_only_allow_delete" in error.value.hint
        client.indices.put_settings(index=base, body={"index.blocks.read_only_allow_delete": None})
        changes.publish()
        assert shown() == {"a": "text", "b": "text"}

    def test_no_change_set(self, client: StoreClient, names: SiteNames, run: StartRun) -> None:
        changes = run().write("a")
        changes.changes.drop()
        with pytest.raises(StoreRefusedError, match="not there"):
            changes.publish()

    def test_a_site_that_is_not_set_up(self, client: StoreClient, site: str) -> None:
        names = SiteNames(site)
        with pytest.raises(StoreRefusedError, match="no index"):
            Run(client, names).write("a").publish()


class TestSeals:
    def test_who_writes_late_is_refused(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        run().write("a").publish()
        with pytest.raises(AuthorizationException, match="write"):
            client.index(index=live(client, names), body={"url": "x"})

    def test_the_base_stays_sealed(
        self, client: StoreClient, names: SiteNames, run: StartRun
    ) -> None:
        run().write("a").publish()
        run().write("b", block=2).publish()
        assert all(each.sealed for each in all_generations(client, names))

    def test_a_base_that_somebody_unsealed_is_sealed_again(
        self, client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
    ) -> None:
        run().write("a").publish()
        base = live(client, names)
        client.indices.put_settings(index=base, body={"index.blocks.write": False})
        run().write("b", block=2).publish()
        found = describe(client, names, base)
        assert found is not None
        assert found.sealed
        assert shown() == {"a": "text", "b": "text"}


class TestSeveralAtOnce:
    def test_all_land_and_searchers_see_only_whole_indexes(
        self, client: StoreClient, names: SiteNames, run: StartRun, shown: Shown
    ) -> None:
        pairs = [(f"{number}a", f"{number}b") for number in range(4)]
        runs = [run().write(*pair, block=number) for number, pair in enumerate(pairs)]
        ended = threading.Event()
        seen: list[frozenset[str]] = []

        def watch() -> None:
            while not ended.is_set():
                seen.append(frozenset(shown()))

        with ThreadPoolExecutor(len(runs) + 1) as pool:
            watching = pool.submit(watch)
            published = list(pool.map(Run.publish, runs))
            ended.set()
            watching.result()
        assert {each.status for each in published} == {PublishStatus.PUBLISHED}
        assert max(each.rounds for each in published) > 1
        assert frozenset(shown()) == {name for pair in pairs for name in pair}
        for names_seen in seen:
            assert all((a in names_seen) == (b in names_seen) for a, b in pairs)
        # The losers' clones are gone.
        assert len(all_generations(client, names)) == len(runs) + 1

    def test_the_newer_block_wins_whoever_comes_first(
        self, client: StoreClient, run: StartRun, shown: Shown
    ) -> None:
        run().write("a", "b", "c", block=1).publish()
        older = run().write("a", block=2, text="older").delete("b", block=2)
        newer = run().delete("a", block=3).write("b", block=3, text="newer")
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(Run.publish, [newer, older]))
        assert shown() == {"b": "newer", "c": "text"}

    def test_a_removal_recorded_without_a_generation_is_not_missed(
        self, client: StoreClient, run: StartRun, shown: Shown
    ) -> None:
        run().write("z").publish()
        removing = run().delete("a", block=5)
        writing = run().write("a", "b", block=4)

        def remove_meanwhile(changes: Changes) -> None:
            if not removing_done:
                removing_done.append(removing.publish().status)

        removing_done: list[PublishStatus] = []
        published = publish(client, writing.request(), gate=remove_meanwhile)
        assert removing_done == [PublishStatus.UNCHANGED]
        assert shown() == {"b": "text", "z": "text"}
        assert published.documents_after == 2

    def test_it_gives_up_after_many_rounds(
        self, run: StartRun, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(publishing, "swap", lambda *args: False)
        monkeypatch.setattr(publishing, "MOST_ROUNDS", 2)
        assert MOST_ROUNDS > 2
        with pytest.raises(PublishConflictError, match="2 times"):
            run().write("a").publish()


def test_an_intent_is_written_before_the_swap(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    changes = run().write("a")
    request = dataclasses.replace(
        changes.request(), watermark_before=day(1), watermark_after=day(2)
    )
    published = publish(client, request)
    (intent,) = StateStore(client).intents(names.site, Target.LIVE)
    assert (intent.old, intent.new) == (day(1), day(2))
    assert intent.generation == published.generation
    found = describe(client, names, intent.generation)
    assert found is not None
    assert found.watermark == day(2)
    StateStore(client).finish_intent(names.site, Target.LIVE, intent.generation)
    assert StateStore(client).intents(names.site, Target.LIVE) == []


def test_replicas_are_set_when_a_generation_is_sealed_and_not_before(
    client: StoreClient, run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is written to, each copy of a shard would do the same work again."""
    real = vars(publishing)["seal"]
    seen: list[tuple[str, str | None]] = []

    def replicas(index: str | None) -> tuple[str, str | None]:
        settings = client.indices.get_settings(index=index)[index]["settings"]["index"]
        return settings["number_of_replicas"], settings.get("blocks", {}).get("write")

    def look_first(client: StoreClient, index: str, **options: int) -> None:
        seen.append(replicas(index))
        real(client, index, **options)

    monkeypatch.setattr(publishing, "seal", look_first)
    # The site file's number counts, not that of the base.
    for block, wanted in ((1, 2), (2, 1)):
        request = run().write(str(block), block=block).request()
        published = publish(client, dataclasses.replace(request, replicas=wanted))
        assert seen.pop() == ("0", None)
        assert replicas(published.generation) == (str(wanted), "true")
