"""docs/spec/03-planning.md, *Order*: as if each new block were run by itself, oldest first.

Random scripts over random websites: what the product makes of an index in one pass per action type
is held against :mod:`tests.unit.indexing.order.reference`, which runs block by block. Differences
that are intended have tests of their own at the end.

``SITE_INDEXER_ORDER_EXAMPLES=100000`` tries so many examples with each property in place of 670.

The last long run, on 2026-12-01, found no difference in 102,000 examples, 34,000 a property::

    SITE_INDEXER_ORDER_EXAMPLES=34000 HYPOTHESIS_PROFILE=hunt PYTHONPATH=include \\
        python -m pytest --timeout 0 tests/unit/indexing/order
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from site_indexer.index_script.model import IndexScript
from site_indexer.planning.model import Plan, Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.site_view import SiteView
from tests.unit.indexing.order import worlds
from tests.unit.indexing.order.one_pass import Target
from tests.unit.indexing.order.reference import (
    Index,
    is_deleted_later,
    new_blocks,
    run_singly,
)
from tests.unit.indexing.order.small_site import HOST, START, Kind, Page, Website

EXAMPLES = int(os.environ.get("SITE_INDEXER_ORDER_EXAMPLES", "670"))
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
A_YEAR = 31_536_000
DAY_RULE_DATE = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)

tries: Callable[[Callable[..., None]], Callable[..., None]] = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

Stored = Mapping[str, Page]
Blocks = Sequence[tuple[int, Sequence[str]]]
"""Dates in years since 1970, each with the lines of its block; 2050 is ahead of the clock."""

YEARS = st.integers(1, 8) | st.sampled_from([80, 81])
DATED = st.builds(zip, st.lists(YEARS, min_size=3, max_size=3), worlds.scripts(3)).map(list)
ORDERS = st.integers(0, 2**16)


@pytest.fixture(scope="module", autouse=True)
def quiet() -> Iterator[None]:
    """Nobody reads what thousands of crawls have to say."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def script_of(blocks: Blocks) -> IndexScript:
    texts = ("\n".join((f"seconds {date * A_YEAR}", *lines)) for date, lines in blocks)
    return read_script("\n\n".join(texts).encode(), source="test", now=START)


def date_of(year: int) -> dt.datetime:
    return EPOCH + dt.timedelta(seconds=year * A_YEAR)


def target_with(stored: Stored, site: SiteView, order: int) -> Target:
    target = Target(site, random.Random(order))
    for url, page in stored.items():
        target.store(url, page)
    return target


def in_order(blocks: Sequence[Sequence[str]]) -> Blocks:
    return list(enumerate(blocks, start=1))


@tries
@given(
    worlds.scripts(5).map(in_order),
    worlds.WEBSITES,
    worlds.STORED,
    worlds.SITES,
    ORDERS,
)
def test_a_run_leaves_the_index_as_its_blocks_one_by_one_would(
    blocks: Blocks, website: Website, stored: Stored, site: SiteView, order: int
) -> None:
    target = target_with(stored, site, order)
    index = target.versions()
    script = script_of(blocks)
    run_singly(script.blocks, website, index, site=site, now=START)
    target.run(script, website)
    assert target.versions() == index


@tries
@given(
    st.lists(
        st.tuples(st.just([]) | DATED, worlds.WEBSITES),
        min_size=1,
        max_size=3,
    ),
    worlds.STORED,
    worlds.SITES,
    st.none() | YEARS,
    ORDERS,
)
def test_so_do_the_runs_of_a_script_that_grows_on_a_site_that_changes(
    parts: Sequence[tuple[Blocks, Website]],
    stored: Stored,
    site: SiteView,
    watermark: int | None,
    order: int,
) -> None:
    """Dates repeat and go back, and the first run finds a watermark anywhere."""
    target = target_with(stored, site, order)
    target.watermark = None if watermark is None else date_of(watermark)
    index = target.versions()
    published: list[tuple[int, Sequence[str]]] = []
    for blocks, website in parts:
        published += blocks
        if not published:
            continue
        script = script_of(published)
        new = new_blocks(script.blocks, target.watermark)
        run_singly(new, website, index, site=site, now=START)
        target.run(script, website)
        assert target.versions() == index
        assert target.watermark == max(
            (block.date for block in new if block.date), default=target.watermark
        )


@tries
@given(
    worlds.scripts(4).map(in_order),
    worlds.WEBSITES,
    worlds.STORED,
    worlds.SITES,
    ORDERS,
    st.data(),
)
def test_in_whatever_order_windows_run_the_newer_block_wins(
    blocks: Blocks,
    website: Website,
    stored: Stored,
    site: SiteView,
    order: int,
    data: st.DataObject,
) -> None:
    """No write survives a deletion by a newer block, and no deletion takes a newer write."""
    target = target_with(stored, site, order)
    script = script_of(blocks)
    wanted: dict[str, int] = {}
    for year, _ in data.draw(st.permutations(blocks)):
        target.run(script, website, window=Window(date_of(year), date_of(year + 1)))
        for url in target.found_there:
            wanted[url] = max(year, wanted.get(url, year))
    there = target.versions()
    for url in worlds.URLS:
        removing = [
            year
            for (year, _), block in zip(blocks, script.blocks, strict=True)
            if is_deleted_later(url, [block])
        ]
        newest = max(removing, default=0)
        if url in there and removing:
            assert wanted.get(url, -1) >= newest
        if wanted.get(url, -1) >= newest:
            assert url in there


# --- the two differences that are intended (3.7)

A, B = f"{HOST}/a", f"{HOST}/b"
THEN_DELETED: Blocks = [(1, [f"add {A}", f"include {HOST}/"]), (2, [f"delete {A}"])]


def singly_and_at_once(
    blocks: Blocks, website: Website, stored: Stored | None = None
) -> tuple[Index, Index, Plan]:
    """What the index is after single runs, really one by one, and after one run of all."""
    target = target_with(stored or {}, worlds.BARE, 0)
    singly = target.versions()
    script = script_of(blocks)
    run_singly(
        script.blocks,
        website,
        singly,
        site=worlds.BARE,
        now=START,
        intended_differences=False,
    )
    plan = target.run(script, website)
    return singly, target.versions(), plan


def test_links_that_only_a_page_has_which_a_later_block_deletes_are_not_followed() -> None:
    website = {A: Page(links=(B,)), B: Page()}
    singly, at_once, plan = singly_and_at_once(THEN_DELETED, website)
    assert (singly, at_once) == ({B: 1}, {})
    assert [(each.url, each.by_line) for each in plan.dropped] == [(A, 6)]
    updated: Blocks = [(1, [f"update {A}", f"include {HOST}/"]), (2, [f"delete {A}"])]
    singly, at_once, _ = singly_and_at_once(updated, website, {A: Page()})
    assert (singly, at_once) == ({B: 1}, {})


def test_where_such_a_url_redirects_the_target_is_not_indexed_for_it() -> None:
    website = {A: Page(Kind.MOVED, (B,)), B: Page()}
    singly, at_once, _ = singly_and_at_once(THEN_DELETED, website)
    assert (singly, at_once) == ({B: 1}, {})


def test_what_something_else_leads_to_as_well_is_no_difference() -> None:
    other = f"{HOST}/c"
    blocks: Blocks = [(1, [f"add {A}", f"add {other}", f"include {HOST}/"]), (2, [f"delete {A}"])]
    for page in (Page(links=(B,)), Page(Kind.MOVED, (B,))):
        website = {A: page, B: Page(), other: Page(links=(B,))}
        singly, at_once, _ = singly_and_at_once(blocks, website)
        assert singly == at_once == {B: 1, other: 1}
