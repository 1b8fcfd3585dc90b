"""SIGKILL at any point of a run, processes that come back late, and many runs at once.

docs/spec/05-index-lifecycle.md: whatever dies, searchers see a whole index, and the retry ends as
an undisturbed run would have.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from demo_site import expected
from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from site_indexer.indexing import run as whole_run
from site_indexer.indexing.model import RunStatus
from site_indexer.planning.model import Window
from tests.integration.indexing.conftest import Workbench
from tests.integration.indexing.run_processes import SHORT_TURN_S, RunServer, run_processes
from tests.integration.indexing.test_concurrent_runs import day, paths, script_of, watched

POINTS = 20
SWAP = "/_aliases"
NAMED = ("/_clone/", "/_reindex", SWAP)
"""Points right after these requests; between the last of them and the watermark nothing is sure."""


@pytest.fixture(autouse=True)
def _much_may_go(workbench: Workbench) -> None:
    """The blocks here replace most of a few pages, which the brake would ask about."""
    workbench.let_much_go()


@pytest.fixture
def processes(workbench: Workbench) -> Iterator[RunServer]:
    with run_processes(workbench) as server:
        yield server


@pytest.fixture(autouse=True)
def _short_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TURN_VARIABLE, SHORT_TURN_S)
    monkeypatch.setattr(whole_run, "TURN_POLL_S", 0.02)


def leaves(workbench: Workbench) -> list[str]:
    """Paths of pages that are documents by themselves, and whose URLs begin no other's."""
    found = expected.after_run(workbench.web.url).documents
    return sorted(url.removeprefix(workbench.web.url) for url in found if url.endswith(".html"))


def block_of(pages: list[str], number: int) -> list[str]:
    """Each block has work for all steps: two pages come, those of the block before go."""
    come = [f"add {{web}}{page} nofollow" for page in pages[2 * number : 2 * number + 2]]
    if number == 0:
        return ["add {web}/en/ nofollow", *come]
    one, other = pages[2 * number - 2 : 2 * number]
    return [
        f"delete {{web}}{one}",
        f"deletemask {{web}}{other}",
        *come,
        "update {web}/en/ nofollow",
    ]


def whole_after(pages: list[str], number: int) -> frozenset[str]:
    return frozenset({"/en/", *pages[2 * number : 2 * number + 2]})


@pytest.mark.timeout(600)  # forty runs, on a machine that may be busy
def test_a_run_killed_at_twenty_points_is_made_good_by_its_retry_and_searchers_see_wholes_only(
    workbench: Workbench, processes: RunServer
) -> None:
    pages = leaves(workbench)
    blocks = [block_of(pages, number) for number in range(POINTS + 2)]
    workbench.use_script(*script_of(blocks[:1]))
    workbench.run()
    workbench.use_script(*script_of(blocks[:2]))
    status, requests = processes.start(workbench.request()).ended()
    assert status == "published"
    wholes = {whole_after(pages, number) for number in range(POINTS + 2)}

    stopped_before = []
    with watched(workbench) as seen:
        for point in range(POINTS):
            number = point + 2
            workbench.use_script(*script_of(blocks[: number + 1]))
            request = workbench.request()
            spread = POINTS - len(NAMED)
            if point < spread:
                at = 1 + point * (requests - 1) // spread
                process = processes.start(request, pause_at=at)
            else:
                process = processes.start(request, pause_after=NAMED[point - spread])
            place = process.paused_at()
            assert place is not None, f"point {point} of {requests} requests came after the end"
            stopped_before.append(place)
            process.kill()
            assert paths(workbench) in (set(whole_after(pages, n)) for n in (number - 1, number))
            workbench.run_request(request)
            assert paths(workbench) == whole_after(pages, number)
            assert workbench.watermark() == day(number)
    assert seen <= wholes

    places = "\n".join(stopped_before)
    for part in ("site-indexer.state", ".changes-", f"{workbench.site}.g-", ".draft-"):
        assert part in places, f"no point was at {part}:\n{places}"
    twin = workbench.twin()
    twin.run()
    assert workbench.comparable() == twin.comparable()


@pytest.mark.parametrize("place", ["in the crawl", "before the swap", "after the swap"])
def test_a_process_that_comes_back_after_its_successor_has_published_changes_nothing(
    workbench: Workbench, processes: RunServer, place: str
) -> None:
    pages = leaves(workbench)
    workbench.use_script(*script_of([block_of(pages, 0)]))
    workbench.run()
    counted = workbench.twin("counted")
    counted.run()
    workbench.use_script(*script_of([block_of(pages, number) for number in range(2)]))
    _, requests = processes.start(counted.request()).ended()
    request = workbench.request()
    after = {"before the swap": "/_reindex", "after the swap": SWAP}.get(place)
    at = requests // 2 if after is None else None
    zombie = processes.start(request, pause_at=at, pause_after=after)
    assert zombie.paused_at() is not None
    zombie.freeze()

    workbench.run_request(request)
    shown = (workbench.generation(), workbench.documents(), workbench.watermark())
    assert paths(workbench) == whole_after(pages, 1)
    with watched(workbench) as seen:
        zombie.go_on()
        zombie.ended()
    assert (workbench.generation(), workbench.documents(), workbench.watermark()) == shown
    assert seen == {whole_after(pages, 1)}


def test_eight_runs_started_together_end_as_some_order_of_them(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two by the watermark, one with Clear Date, four windows, one of a shell of its own."""
    pages = leaves(workbench)
    blocks = [block_of(pages, number) for number in range(5)]
    workbench.use_script(*script_of(blocks[:1]))
    workbench.run()
    workbench.use_script(*script_of(blocks))
    requests = [
        workbench.request(),
        workbench.request(),
        workbench.request(clear_date=True),
        *(workbench.request(window=Window(day(n), day(n + 1))) for n in (1, 2, 3, 4)),
    ]
    environment = {
        **os.environ,
        "SITE_INDEXER_SITES": str(workbench.collaborators.sites_dir),
        "SITE_INDEXER_OPENSEARCH_URL": workbench.opensearch_url,
    }
    shell = Path(sys.executable).with_name("site-indexer")
    with watched(workbench) as seen, ThreadPoolExecutor(len(requests)) as pool:
        other = subprocess.Popen(
            [str(shell), "run", workbench.site, "--standalone", "--format", "json"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        results = list(pool.map(workbench.run_request, requests))
        other.communicate()
    assert other.returncode == 0
    assert {result.status for result in results} <= {RunStatus.PUBLISHED, RunStatus.UNCHANGED}
    assert paths(workbench) == whole_after(pages, 4)
    assert workbench.watermark() == day(4)
    assert frozenset() not in seen
    twin = workbench.twin()
    twin.run()
    assert workbench.comparable() == twin.comparable()
