"""A backfill: windows in any order, several at once, and again (docs/spec/05, 5.12)."""

from __future__ import annotations

import datetime as dt
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from site_indexer.index_store.names import Target
from site_indexer.indexing import run as whole_run
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.staging import drop_staged
from site_indexer.planning.model import Window
from tests.integration.indexing.conftest import Workbench
from tests.integration.indexing.test_concurrent_runs import day, script_of

BLOCKS = (
    [f"add {{web}}/{page} nofollow" for page in ("en/", "es/", "zh/", "ar/", "en/news/")],
    ["delete {web}/en/"],
    ["add {web}/en/ nofollow", "deletemask {web}/es/"],
    ["add {web}/es/visita/ nofollow"],
    ["deletemask {web}/zh/", "add {web}/zh/news/ nofollow"],
    ["add {web}/es/ nofollow", "delete {web}/ar/"],
    ["update {web}/en/ nofollow"],
    ["add {web}/zh/ nofollow"],
    ["delete {web}/en/news/", "delete {web}/zh/news/"],
    ["add {web}/en/news/ nofollow"],
)
LEFT = {"/en/", "/es/", "/es/visita/", "/zh/", "/en/news/"}
AT_ONCE = 4


def staged_window(workbench: Workbench, block: int) -> RunStatus:
    window = Window(day(block), day(block + 1))
    return workbench.run(target=Target.STAGED, window=window).status


@pytest.fixture(autouse=True)
def _eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that wait for their turn to crawl ask for it often."""
    monkeypatch.setattr(whole_run, "TURN_POLL_S", 0.02)


def test_ten_windows_four_at_once_in_any_order_give_one_index_and_move_no_watermark(
    workbench: Workbench,
) -> None:
    workbench.use_script(*script_of(BLOCKS[:1]))
    workbench.run()
    live, watermark = workbench.comparable(), workbench.watermark()
    workbench.use_script(*script_of(BLOCKS))
    windows = list(range(len(BLOCKS)))
    random.Random(6).shuffle(windows)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        statuses = list(pool.map(lambda block: staged_window(workbench, block), windows))

    assert set(statuses) <= {RunStatus.PUBLISHED, RunStatus.UNCHANGED}
    staged = workbench.comparable(Target.STAGED)
    assert {url.removeprefix(workbench.web.url) for url in staged} == LEFT
    twin = workbench.twin()
    twin.run(target=Target.STAGED, window=Window(day(0), day(len(BLOCKS))))
    assert staged == twin.comparable(Target.STAGED)
    assert workbench.comparable() == live
    assert workbench.watermark() == watermark == day(0)
    # The staged index began with live's, and no window has moved it.
    assert workbench.collaborators.watermarks.get(workbench.site, Target.STAGED) == watermark


def test_an_old_delete_undoes_no_newer_add(workbench: Workbench) -> None:
    workbench.use_script(
        *script_of([["delete {web}/es/", "deletemask {web}/zh/"], ["add {web}/es/ nofollow"]])
    )
    workbench.run()
    before = workbench.comparable()
    assert len(before) == 1
    assert workbench.window(day(0), day(1)).status is RunStatus.UNCHANGED
    assert workbench.comparable() == before


def test_what_newer_blocks_of_live_found_unchanged_stays_in_a_staged_index_made_from_it(
    workbench: Workbench,
) -> None:
    page = "add {web}/es/ nofollow"
    blocks = [[page, "add {web}/en/ nofollow"], ["delete {web}/es/"], [page]]
    workbench.use_script(*script_of(blocks))
    for number in (0, 2):
        workbench.window(day(number), day(number + 1))
    before = workbench.comparable()
    # The first of them makes the staged index, the second has the old removal.
    for number in (0, 1):
        workbench.run(target=Target.STAGED, window=Window(day(number), day(number + 1)))
    assert workbench.comparable(Target.STAGED) == before
    drop_staged(workbench.collaborators, workbench.site)
    workbench.window(day(1), day(2))
    assert workbench.comparable() == before


def test_a_window_without_a_block_ends_before_anything_is_made(workbench: Workbench) -> None:
    workbench.use_script(*script_of(BLOCKS[:2]))
    result = workbench.window(day(0) + dt.timedelta(seconds=1), day(1))
    assert result.status is RunStatus.UNCHANGED
    assert workbench.generation() is None
    assert workbench.watermark() is None
