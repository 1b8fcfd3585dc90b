"""Runs of one site that publish at once or out of order: none is lost, and the newer block wins.

docs/spec/05-index-lifecycle.md, *Order*.
"""

from __future__ import annotations

import datetime as dt
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from site_indexer.index_store import publishing as store_publishing
from site_indexer.index_store.alias_swap import Position
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.generations import describe
from site_indexer.index_store.names import SiteNames
from site_indexer.indexing.model import PublishOutcome, RunRequest, RunStatus
from site_indexer.indexing.publishing import publish
from site_indexer.planning.model import Window
from tests.integration.indexing.conftest import Workbench


@pytest.fixture(autouse=True)
def much_may_go(workbench: Workbench) -> None:
    workbench.let_much_go()


FIRST_DAY = dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC)
States = set[frozenset[str]]


def day(number: int) -> dt.datetime:
    """The date of block ``number``; the first is 0."""
    return FIRST_DAY + dt.timedelta(days=number)


def script_of(blocks: Sequence[Sequence[str]]) -> list[str]:
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += [f"date {day(number):%a, %d %b %Y %H:%M:%S} GMT", *block, ""]
    return lines


def window_of(workbench: Workbench, block: int) -> RunRequest:
    """A run of one block, whatever the watermark is."""
    return workbench.request(window=Window(day(block), day(block + 1)))


def run_windows(workbench: Workbench, blocks: Sequence[int]) -> None:
    for block in blocks:
        workbench.window(day(block), day(block + 1))


def paths(workbench: Workbench) -> set[str]:
    return {url.removeprefix(workbench.web.url) for url in workbench.documents()}


@contextmanager
def watched(workbench: Workbench) -> Iterator[States]:
    """Search the site all the while; gives the sets of paths that a searcher has seen."""
    seen: States = set()
    stop = threading.Event()
    body = {"size": 500, "_source": ["url"], "query": {"match_all": {}}}

    def look() -> frozenset[str]:
        alias = f"{workbench.site}.live"
        hits = workbench.collaborators.client.search(index=alias, body=body)["hits"]["hits"]
        return frozenset(hit["_source"]["url"].removeprefix(workbench.web.url) for hit in hits)

    def poll() -> None:
        while not stop.wait(0.002):
            seen.add(look())
        seen.add(look())

    with ThreadPoolExecutor(1) as pool:
        poller = pool.submit(poll)
        try:
            yield seen
        finally:
            stop.set()
            poller.result()


def prepared(workbench: Workbench, requests: Sequence[RunRequest]) -> list[tuple[RunRequest, str]]:
    """Runs up to publishing, each with the digest of its change set."""
    return [(request, workbench.prepare(request)) for request in requests]


def publish_together(
    workbench: Workbench,
    runs: Sequence[tuple[RunRequest, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> list[PublishOutcome]:
    """Publish all at once: each has its generation ready before the first of them may swap."""
    barrier = threading.Barrier(len(runs), timeout=60)
    tries = itertools.count()
    swap: Callable[..., bool] = vars(store_publishing)["swap"]

    def swap_together(client: StoreClient, at: Position, index: str, alias: str) -> bool:
        if next(tries) < len(runs):
            barrier.wait()
        return swap(client, at, index, alias)

    with monkeypatch.context() as patch, ThreadPoolExecutor(len(runs)) as pool:
        patch.setattr(store_publishing, "swap", swap_together)
        publishes = [pool.submit(publish, workbench.collaborators, *run) for run in runs]
        return [each.result() for each in publishes]


@contextmanager
def another_run_before(
    workbench: Workbench,
    step: str,
    run: tuple[RunRequest, str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Let that run publish whole when a publish comes to ``step`` for the first time."""
    real = vars(store_publishing)[step]

    def with_the_other_first(*arguments: Any) -> Any:
        patch.undo()
        publish(workbench.collaborators, *run)
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(store_publishing, step, with_the_other_first)
        yield
        assert vars(store_publishing)[step] is real, f"nothing came to {step}"


def chain_of(workbench: Workbench) -> list[str]:
    """The generation shown, the one it was made from, and so on."""
    client, names = workbench.collaborators.client, SiteNames(workbench.site)
    chain = []
    name = workbench.generation()
    while name is not None and (generation := describe(client, names, name)) is not None:
        chain.append(name)
        name = generation.meta["base"]
    return chain


def test_runs_that_publish_at_once_all_land_one_on_top_of_the_other(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.use_script(
        *script_of(
            [
                ["add {web}/en/ nofollow", "add {web}/es/ nofollow"],
                ["add {web}/zh/ nofollow", "add {web}/zh/news/ nofollow"],
                ["delete {web}/es/", "add {web}/ar/ nofollow"],
            ]
        )
    )
    run_windows(workbench, [0])
    base = workbench.generation()
    runs = prepared(workbench, [window_of(workbench, number) for number in (1, 2)])
    with watched(workbench) as seen:
        outcomes = publish_together(workbench, runs, monkeypatch)
    assert [outcome.status for outcome in outcomes] == [RunStatus.PUBLISHED] * 2
    before, both = {"/en/", "/es/"}, {"/en/", "/zh/", "/zh/news/", "/ar/"}
    assert paths(workbench) == both
    wholes = (before, before | {"/zh/", "/zh/news/"}, {"/en/", "/ar/"}, both)
    assert seen <= {frozenset(whole) for whole in wholes}
    assert frozenset(both) in seen
    last, first, under = chain_of(workbench)[:3]
    assert {outcome.generation for outcome in outcomes} == {last, first}
    assert last == workbench.generation()
    assert under == base


def test_a_run_that_ends_after_a_later_one_leaves_the_later_watermark(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = [["add {web}/en/ nofollow"], ["add {web}/es/ nofollow"]]
    workbench.use_script(*script_of(blocks[:1]))
    early = prepared(workbench, [workbench.request()])[0]
    workbench.use_script(*script_of(blocks))
    late = prepared(workbench, [workbench.request()])[0]
    with another_run_before(workbench, "swap", late, monkeypatch):
        publish(workbench.collaborators, *early)
    assert paths(workbench) == {"/en/", "/es/"}
    assert workbench.watermark() == day(1)
    assert workbench.run().status is RunStatus.UNCHANGED


BLOCKS = (
    [f"add {{web}}/{page} nofollow" for page in ("en/", "en/news/", "es/", "es/visita/")],
    ["delete {web}/en/", "deletemask {web}/es/"],
    ["add {web}/es/ nofollow", "add {web}/zh/ nofollow"],
    ["delete {web}/zh/", "update {web}/en/news/ nofollow"],
)
LEFT = {"/en/news/", "/es/"}


def test_windows_in_any_order_and_again_give_the_index_of_windows_in_order(
    workbench: Workbench,
) -> None:
    workbench.use_script(*script_of(BLOCKS))
    run_windows(workbench, [0, 1, 2, 3])
    assert paths(workbench) == LEFT
    for name, blocks in {"reversed": [3, 2, 1, 0], "mixed": [2, 0, 3, 1, 0]}.items():
        twin = workbench.twin(name)
        run_windows(twin, blocks)
        assert twin.comparable() == workbench.comparable(), name


def test_a_script_run_gives_the_index_of_its_windows(workbench: Workbench) -> None:
    workbench.use_script(*script_of(BLOCKS))
    workbench.run()
    assert paths(workbench) == LEFT


@pytest.mark.parametrize("removal", ["delete {web}/es/", "deletemask {web}/es/", "deletemask *es/"])
def test_a_page_that_an_older_block_found_before_a_newer_one_removes_it_stays_out(
    workbench: Workbench, removal: str
) -> None:
    workbench.use_script(
        *script_of([["add {web}/es/ nofollow", "add {web}/en/ nofollow"], [removal]])
    )
    older, newer = window_of(workbench, 0), window_of(workbench, 1)
    digests = [workbench.prepare(each) for each in (older, newer)]
    publish(workbench.collaborators, newer, digests[1])
    outcome = publish(workbench.collaborators, older, digests[0])
    assert outcome.refused == 1
    assert paths(workbench) == {"/en/"}


def test_a_removal_by_an_older_block_leaves_what_a_newer_one_adds(workbench: Workbench) -> None:
    workbench.use_script(
        *script_of(
            [
                ["add {web}/es/ nofollow", "add {web}/es/visita/ nofollow"],
                ["delete {web}/es/", "deletemask {web}/es/vis"],
                ["add {web}/es/ nofollow"],
            ]
        )
    )
    run_windows(workbench, [0])
    # Found unchanged, it is not written again; the newer block shields it all the same.
    run_windows(workbench, [2, 1])
    assert paths(workbench) == {"/es/"}


def test_a_page_that_a_newer_block_found_unchanged_survives_an_older_removal_meanwhile(
    workbench: Workbench,
) -> None:
    workbench.use_script(
        *script_of(
            [
                ["add {web}/es/ nofollow", "add {web}/en/ nofollow"],
                ["delete {web}/es/"],
                ["add {web}/es/ nofollow"],
            ]
        )
    )
    run_windows(workbench, [0])
    before = workbench.comparable()
    newer = window_of(workbench, 2)
    digest = workbench.prepare(newer)
    run_windows(workbench, [1])
    publish(workbench.collaborators, newer, digest)
    assert workbench.comparable() == before


@pytest.mark.parametrize("step", ["swap", "current"])
def test_nor_do_the_two_miss_each_other_when_they_end_at_the_same_moment(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """At the last step of the one, before the alias moves or is looked at, the other comes in."""
    workbench.use_script(
        *script_of(
            [
                ["add {web}/es/ nofollow", "add {web}/en/ nofollow"],
                ["delete {web}/es/"],
                ["add {web}/es/ nofollow"],
            ]
        )
    )
    run_windows(workbench, [0])
    before = workbench.comparable()
    removing, adding = prepared(workbench, [window_of(workbench, number) for number in (1, 2)])
    first, second = (removing, adding) if step == "swap" else (adding, removing)
    with another_run_before(workbench, step, second, monkeypatch):
        publish(workbench.collaborators, *first)
    assert workbench.comparable() == before


def test_a_removal_and_an_addition_that_publish_at_once_end_as_the_newer_one_says(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbench.use_script(
        *script_of(
            [
                ["add {web}/en/ nofollow", "add {web}/es/ nofollow"],
                ["delete {web}/en/", "add {web}/zh/ nofollow"],
                ["add {web}/en/ nofollow", "add {web}/ar/ nofollow", "deletemask {web}/zh/"],
            ]
        )
    )
    run_windows(workbench, [0])
    runs = prepared(workbench, [window_of(workbench, number) for number in (2, 1)])
    with watched(workbench) as seen:
        publish_together(workbench, runs, monkeypatch)
    assert paths(workbench) == {"/en/", "/es/", "/ar/"}
    wholes = {"/en/", "/es/"}, {"/es/", "/zh/"}, {"/en/", "/es/", "/ar/"}
    assert seen <= {frozenset(each) for each in wholes}
