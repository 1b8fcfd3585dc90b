"""Setting sites up on a real OpenSearch."""

from __future__ import annotations

import datetime as dt
from concurrent.futures import ThreadPoolExecutor

import pytest

from site_indexer.errors import ConfigurationError, StoreRefusedError
from site_indexer.index_store import setup
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import all_generations, describe
from site_indexer.index_store.mappings import shared_bodies
from site_indexer.index_store.names import STATE_INDEX, URLS_INDEX, SiteNames, Target
from site_indexer.index_store.setup import ensure_shared, ensure_site, resolve

from .conftest import START, StartRun

pytestmark = pytest.mark.opensearch


def test_a_new_site_has_an_empty_sealed_generation(client: StoreClient, names: SiteNames) -> None:
    (first,) = all_generations(client, names)
    assert first.name == names.generation(START)
    assert first.current == (Target.LIVE,)
    assert first.own
    assert first.sealed
    assert first.published_at == START
    assert client.count(index=names.alias(Target.LIVE))["count"] == 0


def test_and_a_stand_in_for_the_staged_index(client: StoreClient, names: SiteNames) -> None:
    assert resolve(client, names.none_alias) == names.none_index
    assert resolve(client, names.alias(Target.STAGED)) is None
    none = describe(client, names, names.none_index)
    assert none is not None
    assert none.sealed
    assert not names.is_generation(none.name)


def test_again_it_changes_nothing(client: StoreClient, names: SiteNames, run: StartRun) -> None:
    run().write("a").publish()
    before = all_generations(client, names)
    later = START + dt.timedelta(days=1)
    assert ensure_site(client, names.site, later, replicas=0) == names
    assert all_generations(client, names) == before


def test_several_at_once_make_one(client: StoreClient, site: str) -> None:
    moments = [START + dt.timedelta(seconds=number) for number in range(6)]
    with ThreadPoolExecutor(len(moments)) as pool:
        list(pool.map(lambda now: ensure_site(client, site, now, replicas=0), moments))
    names = SiteNames(site)
    assert len(all_generations(client, names)) == 1
    assert resolve(client, names.alias(Target.LIVE)) is not None


def test_a_lost_alias_is_not_answered_with_an_empty_index(
    client: StoreClient, names: SiteNames, run: StartRun
) -> None:
    generation = run().write("a").publish().generation
    client.indices.delete_alias(index=generation, name=names.alias(Target.LIVE))
    with pytest.raises(StoreRefusedError, match=r"alias .* is gone"):
        ensure_site(client, names.site, START, replicas=0)
    assert resolve(client, names.alias(Target.LIVE)) is None


def test_an_alias_on_two_indexes_is_reported(client: StoreClient, names: SiteNames) -> None:
    client.indices.put_alias(index=names.none_index, name=names.alias(Target.LIVE))
    with pytest.raises(StoreRefusedError, match="several indexes"):
        ensure_site(client, names.site, START)


def test_a_bad_id_creates_nothing(client: StoreClient) -> None:
    with pytest.raises(ConfigurationError):
        ensure_site(client, "Not.A.Site", START)


def test_the_shared_indexes(client: StoreClient) -> None:
    ensure_shared(client)
    for index in (STATE_INDEX, URLS_INDEX):
        assert client.indices.exists(index=index)


def test_a_mapping_that_has_grown_is_added(
    client: StoreClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    bodies = shared_bodies()
    bodies["urls"]["mappings"]["properties"]["grown"] = {"type": "keyword"}
    monkeypatch.setattr(setup, "shared_bodies", lambda: bodies)
    ensure_shared(client)
    mapping = client.indices.get_mapping(index=URLS_INDEX)[URLS_INDEX]["mappings"]
    assert mapping["properties"]["grown"] == {"type": "keyword"}
