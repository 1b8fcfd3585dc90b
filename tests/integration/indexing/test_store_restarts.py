"""OpenSearch is killed in the middle of runs, and started again: nothing is half done."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from local_opensearch import Node
from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from tests.conftest import MEMORY_DISK
from tests.integration.indexing.conftest import Workbench, workbench_on
from tests.integration.indexing.run_processes import SHORT_TURN_S, run_processes
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of

HEAP_MB = 256


@contextmanager
def node_home(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory, where there is one: what a killed node has synced is there as well."""
    if not MEMORY_DISK.is_dir():
        yield tmp_path / "node"
        return
    home = MEMORY_DISK / f"{tmp_path.name}-{os.getpid()}"
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def kill(node: Node) -> int:
    """Kill the node, and return its port."""
    status = node.status()
    assert status.pid is not None
    assert status.url is not None
    os.kill(status.pid, signal.SIGKILL)
    return int(status.url.rpartition(":")[2])


def test_a_run_goes_on_where_it_was_after_opensearch_was_killed_and_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TURN_VARIABLE, SHORT_TURN_S)
    blocks = [
        ["add {web}/en/ nofollow"],
        ["add {web}/es/ nofollow", "add {web}/zh/ nofollow"],
        ["delete {web}/en/", "add {web}/ar/ nofollow"],
    ]
    with (
        node_home(tmp_path) as home,
        Node(home, http_port=0, heap_mb=HEAP_MB) as first,
        workbench_on(first.url, tmp_path) as bench,
        run_processes(bench) as processes,
    ):
        bench.use_script(*script_of(blocks[:1]))
        bench.run()
        node, port = first, 0
        # In the crawl, before its pages are compared; then before the clone is filled.
        for number, place in ((1, "/_mget"), (2, "/_clone/")):
            bench.use_script(*script_of(blocks[: number + 1]))
            before = searched(bench)
            request = bench.request()
            process = processes.start(request, pause_after=place)
            assert process.paused_at() is not None
            port = kill(node)
            process.go_on()
            assert process.ended()[0] == "opensearch-unreachable"
            node = Node(home, http_port=port, heap_mb=HEAP_MB)
            node.start(attached=True)
            assert searched(bench) == before
            bench.run_request(request)
            assert bench.watermark() == day(number)
        assert paths(bench) == {"/es/", "/zh/", "/ar/"}
        node.stop()


def searched(bench: Workbench) -> tuple[set[str], object]:
    return paths(bench), bench.watermark()
