"""OpenSearch's disk fills up in the middle of a run (docs/spec/05-index-lifecycle.md, 5.15)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from tests.integration.indexing.conftest import Workbench
from tests.integration.indexing.run_processes import SHORT_TURN_S, RunServer, run_processes
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of, watched
from tests.integration.indexing.test_killed_anywhere import block_of, leaves, whole_after

PLACES = ("/_mapping", "/_mget", "/_clone/", "/_reindex")
"""The disk is full right after the first of these requests."""

CREATE_BLOCK = "cluster.blocks.create_index"


@pytest.fixture
def processes(workbench: Workbench) -> Iterator[RunServer]:
    workbench.let_much_go()
    with run_processes(workbench) as server:
        yield server


@pytest.fixture(autouse=True)
def _short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TURN_VARIABLE, SHORT_TURN_S)


@contextmanager
def full_disk(workbench: Workbench) -> Iterator[None]:
    """What OpenSearch itself does past the flood stage: to all indexes, and to the cluster."""
    client = workbench.collaborators.client
    indexes = f"{workbench.site}.*,site-indexer.*"

    def block(value: bool | None) -> None:
        settings = {"index.blocks.read_only_allow_delete": value}
        client.indices.put_settings(index=indexes, body=settings)
        client.cluster.put_settings(body={"persistent": {CREATE_BLOCK: value}})

    block(True)
    try:
        yield
    finally:
        block(None)


def test_a_disk_that_fills_up_anywhere_in_a_run_fails_it_and_the_retry_makes_it_good(
    workbench: Workbench, processes: RunServer
) -> None:
    pages = leaves(workbench)
    blocks = [block_of(pages, number) for number in range(len(PLACES) + 2)]
    workbench.use_script(*script_of(blocks[:1]))
    workbench.run()
    with watched(workbench) as seen:
        for number, place in enumerate(PLACES, start=1):
            workbench.use_script(*script_of(blocks[: number + 1]))
            before = (workbench.generation(), workbench.documents(), workbench.watermark())
            request = workbench.request()
            process = processes.start(request, pause_after=place)
            assert process.paused_at() is not None, place
            with full_disk(workbench):
                process.go_on()
                assert process.ended()[0] == "opensearch-full", place
                after = (workbench.generation(), workbench.documents(), workbench.watermark())
            assert after == before, place
            workbench.run_request(request)
            assert paths(workbench) == whole_after(pages, number)
            assert workbench.watermark() == day(number)
    assert seen == {whole_after(pages, number) for number in range(len(PLACES) + 1)}
    twin = workbench.twin()
    twin.run()
    assert workbench.comparable() == twin.comparable()


def test_a_disk_that_is_full_after_the_swap_leaves_a_whole_index_and_the_retry_the_watermark(
    workbench: Workbench, processes: RunServer
) -> None:
    pages = leaves(workbench)
    blocks = [block_of(pages, number) for number in range(2)]
    workbench.use_script(*script_of(blocks[:1]))
    workbench.run()
    workbench.use_script(*script_of(blocks))
    request = workbench.request()
    process = processes.start(request, pause_after="/_aliases")
    assert process.paused_at() is not None
    with full_disk(workbench):
        process.go_on()
        assert process.ended()[0] == "opensearch-full"
        assert paths(workbench) == whole_after(pages, 1)
        assert workbench.watermark() == day(0)
    shown = workbench.generation()
    workbench.run_request(request)
    assert workbench.generation() == shown
    assert workbench.watermark() == day(1)
