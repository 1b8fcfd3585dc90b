"""Pruning on a real OpenSearch: what goes, and above all what stays."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from site_indexer.index_store import publishing, retention
from site_indexer.index_store.alias_swap import put_back
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import all_generations, current, list_generations
from site_indexer.index_store.names import STATE_INDEX, SiteNames, Target
from site_indexer.index_store.plans import PlanStore
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.reopening import open_generation
from site_indexer.index_store.retention import prune

from .conftest import StartRun
from .killing import killed_at

pytestmark = pytest.mark.opensearch

SOON = dt.timedelta(minutes=5)
LATER = dt.timedelta(hours=2)
FAR = dt.timedelta(days=30)


def now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def names_of(client: StoreClient, names: SiteNames) -> set[str]:
    return {each.name for each in all_generations(client, names)}


def test_the_newest_stay(client: StoreClient, names: SiteNames, run: StartRun) -> None:
    made = [run().write(str(n), block=n).publish().generation for n in range(1, 5)]
    deleted = prune(client, names.site, keep=2, now=now() + FAR)
    left = [each.generation for each in list_generations(client, names)]
    assert left == [made[3], made[2], made[1]]
    assert set(deleted) >= {made[0]}
    assert prune(client, names.site, keep=2, now=now() + FAR) == []


def test_what_searchers_may_still_read_stays_open(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    run().write("a").publish()
    run().write("b", block=2).publish()
    prune(client, names.site, keep=3, now=now() + SOON)
    newest, previous, _ = list_generations(client, names)
    assert previous.open
    prune(client, names.site, keep=3, now=now() + LATER)
    newest, previous, _ = list_generations(client, names)
    assert (newest.open, previous.open) == (True, False)
    assert previous.documents == 1


def test_what_is_rolled_back_to_at_the_moment_of_its_deletion_stays(
    client: StoreClient, names: SiteNames, run: StartRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Live is moved once pruning has looked a last time whether an alias is on what it deletes."""
    first = str(run().write("a").publish().generation)
    newest = run().write("b", block=2).publish().generation
    real = vars(retention)["describe"]
    moves: list[bool] = []

    def move_behind(*arguments: Any) -> Any:
        found = real(*arguments)
        if found.name == first and not moves:
            moves.append(put_back(client, names, first, newest))
        return found

    monkeypatch.setattr(retention, "describe", move_behind)
    assert first not in prune(client, names.site, keep=0, now=now() + FAR)
    assert moves == [True]
    assert current(client, names, Target.LIVE) == first


@pytest.mark.parametrize("after", ["closable", "describe"])
def test_what_is_rolled_back_to_while_pruning_goes_on_is_open_in_the_end(
    client: StoreClient,
    names: SiteNames,
    run: StartRun,
    monkeypatch: pytest.MonkeyPatch,
    after: str,
) -> None:
    """Live is moved once pruning knows what to close, and again once it has looked a last time."""
    first = str(run().write("a").publish().generation)
    newest = run().write("b", block=2).publish().generation
    real = vars(retention)[after]
    moves: list[bool] = []

    def stop_behind(*arguments: Any, **options: Any) -> Any:
        found = real(*arguments, **options)
        if not moves and (after == "closable" or found.name == first):
            open_generation(client, first)
            moves.append(put_back(client, names, first, newest))
            open_generation(client, first)
        return found

    monkeypatch.setattr(retention, after, stop_behind)
    prune(client, names.site, keep=3, now=now() + LATER)
    assert moves == [True]
    assert current(client, names, Target.LIVE) == first
    assert {each.generation: each.open for each in list_generations(client, names)}[first]


def test_nothing_with_an_alias_goes(client: StoreClient, names: SiteNames, run: StartRun) -> None:
    run().write("a").publish()
    staged = run(Target.STAGED).write("b").publish().generation
    base = next(each.base for each in [run().write("c", block=2).publish()])
    kept_by_hand = run().write("d", block=3).publish().generation
    client.indices.put_alias(index=kept_by_hand, name=f"{names.site}.exhibition")
    run().write("e", block=4).publish()
    prune(client, names.site, keep=0, now=now() + FAR)
    left = names_of(client, names)
    assert {staged, kept_by_hand} <= left
    # What the staged index began from is needed to compare it with live.
    assert base in left
    assert client.indices.exists(index=names.none_index)


def test_foreign_indexes_with_such_names_stay(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    original = run().write("a").publish().generation
    run().write("b", block=2).publish()
    copy = f"{names.site}.g-20200101t000000z"
    client.indices.clone(index=original, target=copy)
    client.indices.create(index=f"{names.site}.g-20200101t000000z-mine")
    client.indices.create(index=f"{names.site}.g-20200101t000001z")
    prune(client, names.site, keep=0, now=now() + FAR)
    assert client.indices.exists(index=copy)
    assert client.indices.exists(index=f"{names.site}.g-20200101t000000z-mine")
    assert client.indices.exists(index=f"{names.site}.g-20200101t000001z")
    assert not client.indices.exists(index=original)


def test_unfinished_ones_go_after_an_hour_with_what_waited_for_them(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    run().write("a").publish()
    before = names_of(client, names)
    with killed_at(publishing, "swap"):
        run().write("b", block=2).delete("x", block=2).publish()
    (unfinished,) = names_of(client, names) - before
    assert unfinished not in {each.generation for each in list_generations(client, names)}
    assert prune(client, names.site, keep=3, now=now() + SOON) == []
    assert unfinished in names_of(client, names)
    store = RemovalStore(client)
    assert store.pending(names.site, Target.LIVE) == {unfinished}
    assert prune(client, names.site, keep=3, now=now() + LATER) == [unfinished]
    assert store.pending(names.site, Target.LIVE) == frozenset()


def test_change_sets_and_plans_go_after_a_week(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    changes = run().write("a")
    changes.publish()
    PlanStore(client).put(changes.digest, {"plan": 1})
    client.indices.refresh(index=STATE_INDEX)
    foreign = f"{names.site}.changes-{'ab' * 16}"
    client.indices.create(index=foreign)
    prune(client, names.site, keep=3, now=changes.now + dt.timedelta(days=6))
    assert client.indices.exists(index=changes.changes.index)
    assert PlanStore(client).get(changes.digest) == {"plan": 1}
    deleted = prune(client, names.site, keep=3, now=now() + FAR)
    assert changes.changes.index in deleted
    assert PlanStore(client).get(changes.digest) is None
    assert client.indices.exists(index=foreign)
