"""A run whose process is killed changes nothing that searchers see, and is taken up where it died.

docs/spec/05-index-lifecycle.md: a run that is retried gives the same index as one run.
"""

from __future__ import annotations

import datetime as dt
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from demo_site import expected
from demo_site.faults import Fault
from site_indexer.index_store.change_sets import ChangeRecord, ChangeSet
from site_indexer.index_store.crawl_turn import TURN_VARIABLE
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.model import RunRequest, RunStatus
from site_indexer.indexing.publishing import publish
from site_indexer.indexing.run import run
from site_indexer.indexing.script_reading import read_script
from tests.integration.indexing import paused_run
from tests.integration.indexing.conftest import Workbench

ROOT = Path(__file__).parents[3]
LONGEST_WAIT_S = 60.0
SHORT_TURN = {TURN_VARIABLE: "0.5"}
"""What the killed process holds is free again soon."""

ENOUGH = 40
"""The crawl is killed when so many pages are in its change set; it finds more than a hundred."""

BEFORE_CRAWL = "site_indexer.indexing.crawling:CrawlTurn"
BEFORE_REVIEW = "site_indexer.indexing.run:review"
BEFORE_SWAP = "site_indexer.index_store.publishing:swap"
BEFORE_WATERMARK = "site_indexer.indexing.state_watermarks:StateWatermarks.set"

SMALL = (
    "date Tue, 01 Jan 2013 10:00:00 GMT",
    "add {web}/en/ nofollow",
)
SMALL_DATE = dt.datetime(2013, 1, 1, 10, tzinfo=dt.UTC)
SECOND = (
    "",
    "date Wed, 07 Jan 2026 10:00:00 GMT",
    "delete {web}/en/",
    "add {web}/es/ nofollow",
    "add {web}/zh/ nofollow",
)
SECOND_DATE = dt.datetime(2026, 1, 7, 10, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def much_may_go(workbench: Workbench) -> None:
    workbench.let_much_go()


@contextmanager
def child(
    workbench: Workbench, request: RunRequest, *places: str
) -> Iterator[subprocess.Popen[str]]:
    """The run in another process, which is killed in the end at the latest."""
    environment = {
        **os.environ,
        **SHORT_TURN,
        "PYTHONPATH": str(ROOT / "include"),
        "SITE_INDEXER_SITES": str(workbench.collaborators.sites_dir),
        "SITE_INDEXER_OPENSEARCH_URL": workbench.opensearch_url,
    }
    words = [request.site, request.run_id, request.now.isoformat(), *places]
    process = subprocess.Popen(
        [sys.executable, paused_run.__file__, *words],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def kill_before(workbench: Workbench, request: RunRequest, place: str) -> None:
    """Run, and kill the process when it comes to that call."""
    with child(workbench, request, place) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "paused\n"


def wait_until(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_S
    while not condition():
        assert process.poll() is None, "the run ended by itself"
        assert time.monotonic() < deadline
        time.sleep(0.05)


def pages_in(workbench: Workbench, digest: str) -> list[ChangeRecord]:
    """The page records of a change set so far."""
    client, names = workbench.collaborators.client, SiteNames(workbench.site)
    if not client.indices.exists(index=names.changes(digest)):
        return []
    return list(ChangeSet.open(client, names, digest).pages())


@pytest.fixture
def begun(workbench: Workbench) -> Workbench:
    """A site whose index holds one page, by the first block of its script."""
    workbench.use_script(*SMALL)
    workbench.run()
    assert set(workbench.documents()) == {f"{workbench.web.url}/en/"}
    workbench.use_script(*SMALL, *SECOND)
    return workbench


def test_a_crawl_that_is_killed_goes_on_from_what_it_has_found(workbench: Workbench) -> None:
    workbench.use_script(*SMALL)
    workbench.run()
    old = (workbench.generation(), workbench.watermark(), workbench.documents())
    workbench.web.faults.clear()
    request = workbench.request()
    digest = read_script(workbench.collaborators, request).digest
    assert digest is not None
    web = workbench.web.url
    urls = expected.after_run(web).documents
    late = {url for url in urls if url.startswith(f"{web}/ar/") and url.endswith(".html")}
    assert late
    for url in late:
        workbench.web.faults.set(url.removeprefix(web), Fault(stall=True))
    with child(workbench, request) as process:
        wait_until(lambda: len(pages_in(workbench, digest)) >= ENOUGH, process)
    done = pages_in(workbench, digest)
    assert (workbench.generation(), workbench.watermark(), workbench.documents()) == old

    workbench.web.faults.clear()
    workbench.web.requests.clear()
    result = run(workbench.collaborators, request)
    assert result.status is RunStatus.PUBLISHED
    asked = {f"{web}{access.path}" for access in workbench.web.requests.all()}
    assert asked & {record.url for record in done} == set()
    assert late <= asked
    assert expected.after_run(web).problems(workbench.documents()) == []
    twin = workbench.twin()
    twin.run()
    assert workbench.comparable() == twin.comparable()


@pytest.mark.parametrize("place", [BEFORE_CRAWL, BEFORE_REVIEW, BEFORE_SWAP])
def test_a_run_that_is_killed_between_its_steps_is_made_good_by_its_retry(
    begun: Workbench, place: str
) -> None:
    old = (begun.generation(), begun.watermark(), begun.documents())
    request = begun.request()
    kill_before(begun, request, place)
    assert (begun.generation(), begun.watermark(), begun.documents()) == old
    begun.web.requests.clear()
    result = run(begun.collaborators, request)
    assert result.status is RunStatus.PUBLISHED
    assert_second_block_is_in(begun)
    asked = {access.path for access in begun.web.requests.all()}
    assert ("/es/" in asked) is (place == BEFORE_CRAWL)


def test_a_publish_that_is_killed_before_the_watermark_is_made_good_by_its_retry(
    begun: Workbench,
) -> None:
    request = begun.request()
    digest = read_script(begun.collaborators, request).digest
    assert digest is not None
    kill_before(begun, request, BEFORE_WATERMARK)
    assert begun.watermark() == SMALL_DATE
    published = begun.generation()
    outcome = publish(begun.collaborators, request, digest)
    assert outcome.generation == published == begun.generation()
    assert_second_block_is_in(begun)


def test_a_publish_that_is_killed_before_the_watermark_is_made_good_by_the_next_run(
    begun: Workbench,
) -> None:
    kill_before(begun, begun.request(), BEFORE_WATERMARK)
    assert begun.watermark() == SMALL_DATE
    published = begun.generation()
    begun.web.requests.clear()
    result = begun.run()
    assert result.status is RunStatus.UNCHANGED
    assert {access.path for access in begun.web.requests.all()} == {"/indexlist.txt"}
    assert begun.generation() == published
    assert_second_block_is_in(begun)


def test_a_watermark_that_a_person_sets_after_the_kill_stays(begun: Workbench) -> None:
    kill_before(begun, begun.request(), BEFORE_WATERMARK)
    begun.collaborators.watermarks.clear(begun.site, Target.LIVE)
    result = begun.run()
    assert result.watermark_before is None
    assert result.status is RunStatus.UNCHANGED
    assert_second_block_is_in(begun)


def assert_second_block_is_in(workbench: Workbench) -> None:
    web = workbench.web.url
    assert set(workbench.documents()) == {f"{web}/es/", f"{web}/zh/"}
    assert workbench.watermark() == SECOND_DATE
