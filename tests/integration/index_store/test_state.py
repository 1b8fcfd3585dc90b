"""Facts that outlive runs, on a real OpenSearch."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.index_store import plans
from site_indexer.index_store.change_records import RemovalRecord
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.names import Target
from site_indexer.index_store.plans import PlanStore
from site_indexer.index_store.removals import RemovalStore
from site_indexer.index_store.state import PublishIntent, StateStore
from site_indexer.urls.kinds import MaskKind

from .conftest import START, day, url

pytestmark = pytest.mark.opensearch


@pytest.fixture
def store(client: StoreClient) -> StateStore:
    return StateStore(client)


def test_watermarks_of_targets_are_apart(store: StateStore, site: str) -> None:
    assert store.get_watermark(site, Target.LIVE) is None
    store.set_watermark(site, Target.LIVE, day(1))
    store.set_watermark(site, Target.STAGED, day(2))
    store.set_watermark(site, Target.LIVE, day(3))
    assert store.get_watermark(site, Target.LIVE) == day(3)
    assert store.get_watermark(site, Target.STAGED) == day(2)
    store.clear_watermark(site, Target.LIVE)
    store.clear_watermark(site, Target.LIVE)
    assert store.get_watermark(site, Target.LIVE) is None


def test_compare_and_set(store: StateStore, site: str) -> None:
    key = f"fact:{site}"
    assert store.replace(key, {"n": 1}, None)
    assert not store.replace(key, {"n": 2}, None)
    seen = store.read(key)
    assert seen is not None
    assert store.replace(key, {"n": 3}, seen)
    assert not store.replace(key, {"n": 4}, seen)
    assert not store.remove(key, seen)
    now = store.read(key)
    assert now is not None
    assert now.value == {"n": 3}
    assert store.remove(key, now)
    assert store.remove(key)
    assert store.read(key) is None


def test_intents(store: StateStore, site: str) -> None:
    intents = [
        PublishIntent(site, Target.LIVE, f"run-{n}", f"{site}.g-{n}", None, day(n), START)
        for n in (1, 2)
    ]
    for intent in reversed(intents):
        store.put_intent(intent)
        store.put_intent(intent)
    assert store.intents(site, Target.LIVE) == intents
    assert store.intents(site, Target.STAGED) == []
    store.finish_intent(site, Target.LIVE, f"{site}.g-1")
    store.finish_intent(site, Target.LIVE, f"{site}.g-1")
    assert store.intents(site, Target.LIVE) == intents[1:]


class TestPlans:
    def test_of_any_size(
        self, client: StoreClient, site: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(plans, "PART_CHARACTERS", 50)
        store = PlanStore(client)
        plan = {"site": site, "steps": [{"url": url(str(n)), "é": "“”"} for n in range(40)]}
        store.put(site, plan)
        assert store.get(site) == plan
        store.put(site, plan)
        assert store.get(site) == plan
        store.remove(site)
        assert store.get(site) is None

    def test_small_and_missing(self, client: StoreClient, site: str) -> None:
        store = PlanStore(client)
        assert store.get(site) is None
        store.put(site, {})
        assert store.get(site) == {}
        store.remove(site)
        store.remove(site)

    def test_one_that_is_not_whole_is_none(
        self, client: StoreClient, site: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(plans, "PART_CHARACTERS", 10)
        store = PlanStore(client)
        store.put(site, {"url": url("a")})
        StateStore(client).remove(f"plan:{site}:1")
        assert store.get(site) is None


class TestRemovals:
    @pytest.fixture
    def removals(self, client: StoreClient) -> RemovalStore:
        return RemovalStore(client)

    def of(self, store: RemovalStore, site: str, shown: str | None, **more: object) -> set[str]:
        found = store.effective(site, Target.LIVE, shown, **more)  # type: ignore[arg-type]
        return {each.url or f"{each.mask_kind}:{each.mask}" for each in found.removals}

    def test_they_wait_for_their_generation(self, removals: RemovalStore, site: str) -> None:
        records = [
            RemovalRecord(3, 0, day(5), url="u"),
            RemovalRecord(4, 0, day(6), mask="*", mask_kind=MaskKind.WILDCARD),
        ]
        removals.record(site, Target.LIVE, records, generation="g1", now=START)
        assert self.of(removals, site, None) == set()
        assert self.of(removals, site, "g0") == set()
        assert self.of(removals, site, "g1") == {"u", "wildcard:*"}
        assert self.of(removals, site, "g1", after=day(5)) == {"wildcard:*"}
        removals.make_standing(site, Target.LIVE, "g1")
        removals.make_standing(site, Target.LIVE, "g1")
        assert self.of(removals, site, "g2") == {"u", "wildcard:*"}
        assert removals.pending(site, Target.LIVE) == frozenset()

    def test_repeated_runs_leave_one(self, removals: RemovalStore, site: str) -> None:
        record = RemovalRecord(3, 0, day(5), url="u")
        for generation in ("g1", "g2", None):
            removals.record(site, Target.LIVE, [record], generation=generation, now=START)
            if generation:
                removals.make_standing(site, Target.LIVE, generation)
        assert len(removals.effective(site, Target.LIVE, None).removals) == 1

    def test_dropped_with_a_generation_that_never_came(
        self, removals: RemovalStore, site: str
    ) -> None:
        record = RemovalRecord(3, 0, day(5), url="u")
        removals.record(site, Target.LIVE, [record], generation="g1", now=START)
        assert removals.pending(site, Target.LIVE) == {"g1"}
        removals.drop_of(site, Target.LIVE, "g1")
        assert self.of(removals, site, "g1") == set()

    def test_a_roll_back_drops_newer_ones(self, removals: RemovalStore, site: str) -> None:
        records = [RemovalRecord(n, 0, day(n), url=str(n)) for n in (4, 5, 6)]
        removals.record(site, Target.LIVE, records, generation=None, now=START)
        removals.drop_newer(site, Target.LIVE, day(5))
        assert self.of(removals, site, None) == {"4", "5"}
        removals.drop_newer(site, Target.LIVE, None)
        assert self.of(removals, site, None) == set()

    def test_a_fresh_start_voids_what_was_before(self, removals: RemovalStore, site: str) -> None:
        old, new = (RemovalRecord(n, 0, day(n), url=str(n)) for n in (1, 2))
        removals.record(site, Target.LIVE, [old], generation=None, now=START)
        later = START + dt.timedelta(hours=1)
        removals.record_fresh_start(site, Target.LIVE, generation="g1", now=later)
        removals.record(site, Target.LIVE, [new], generation="g1", now=later)
        assert self.of(removals, site, "g0") == {"1"}
        assert self.of(removals, site, "g1") == {"2"}
        assert removals.fresh_since(site, Target.LIVE, "g0") is None
        assert removals.fresh_since(site, Target.LIVE, "g1") == later
        removals.drop_void(site, Target.LIVE)
        assert self.of(removals, site, "g0") == {"1"}
        removals.make_standing(site, Target.LIVE, "g1")
        removals.drop_void(site, Target.LIVE)
        assert self.of(removals, site, "g0") == {"2"}

    def test_push_live_takes_them_along(self, removals: RemovalStore, site: str) -> None:
        live = RemovalRecord(1, 0, day(1), url="live")
        staged = RemovalRecord(2, 0, day(2), url="staged")
        removals.record(site, Target.LIVE, [live], generation=None, now=START)
        removals.record(site, Target.STAGED, [staged], generation="g1", now=START)
        removals.take_along(site, Target.STAGED, "g1", Target.LIVE, "g1")
        assert self.of(removals, site, "g0") == {"live"}
        assert self.of(removals, site, "g1") == {"live", "staged"}
