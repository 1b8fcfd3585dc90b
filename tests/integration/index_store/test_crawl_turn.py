"""The crawl turn on a real OpenSearch."""

from __future__ import annotations

import threading

import pytest

from site_indexer.errors import CrawlTurnTakenError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.crawl_turn import CrawlTurn
from site_indexer.index_store.state import StateStore

pytestmark = pytest.mark.opensearch


def test_one_at_a_time_and_the_other_is_told_who(client: StoreClient, site: str) -> None:
    with (
        CrawlTurn(client, site, "run-1/add"),
        pytest.raises(CrawlTurnTakenError, match="run-1/add") as error,
        CrawlTurn(client, site, "run-2/add"),
    ):
        pytest.fail("two crawl at once")
    assert error.value.transient
    with CrawlTurn(client, site, "run-2/add"):
        pass


def test_sites_do_not_wait_for_each_other(client: StoreClient, site: str) -> None:
    with CrawlTurn(client, site, "run-1"), CrawlTurn(client, f"{site}-2", "run-1"):
        pass


def test_that_of_a_dead_process_runs_out(
    client: StoreClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CrawlTurn, "_renew", lambda self: None)
    dead = CrawlTurn(client, site, "dead", ttl_s=0.001)
    dead.__enter__()
    while not _ran_out(client, site):
        pass
    with CrawlTurn(client, site, "next"):
        # The dead one, should it come back, does not take it away.
        dead.__exit__(None, None, None)
        with pytest.raises(CrawlTurnTakenError, match="next"):
            CrawlTurn(client, site, "third").__enter__()


def _ran_out(client: StoreClient, site: str) -> bool:
    try:
        CrawlTurn(client, site, "probe")._refuse_if_taken()
    except CrawlTurnTakenError:
        return False
    return True


def test_it_is_renewed_while_the_block_runs(
    client: StoreClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    renewed = threading.Semaphore(0)
    replace = StateStore.replace

    def counted(*args: object, **more: object) -> bool:
        done = replace(*args, **more)  # type: ignore[arg-type]
        renewed.release()
        return done

    monkeypatch.setattr(StateStore, "replace", counted)
    with CrawlTurn(client, site, "run-1", ttl_s=1.2) as turn:
        for _ in range(4):  # taken once, renewed three times
            assert renewed.acquire(timeout=30)
        assert not turn.lost


def test_who_lost_it_knows(client: StoreClient, site: str) -> None:
    store = StateStore(client)
    with CrawlTurn(client, site, "slow", ttl_s=0.3) as turn:
        seen = store.read(f"crawl-turn:{site}")
        assert seen is not None
        store.remove(f"crawl-turn:{site}")
        assert turn.wait_until_lost(timeout_s=30)


def test_a_race_for_a_free_turn_has_one_winner(client: StoreClient, site: str) -> None:
    turns = [CrawlTurn(client, site, f"run-{number}") for number in range(6)]
    barrier = threading.Barrier(len(turns))
    outcomes: list[bool] = []

    def take(turn: CrawlTurn) -> None:
        barrier.wait()
        try:
            turn.__enter__()
        except CrawlTurnTakenError:
            outcomes.append(False)
        else:
            outcomes.append(True)

    threads = [threading.Thread(target=take, args=(turn,)) for turn in turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == [False] * 5 + [True]


def test_the_environment_shortens_it(
    client: StoreClient, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SITE_INDEXER_CRAWL_TURN_S", "2.5")
    assert CrawlTurn(client, site, "run").ttl_s == 2.5
