from __future__ import annotations

import dataclasses
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.frontier import Arrival, Frontier
from site_indexer.crawling.model import Reach
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.index_script.model import Action

A, B = "https://h.test/a", "https://h.test/b"


def reach(block: int = 0, depth: int = 1, *, named: bool = False, **more: Any) -> Reach:
    return Reach(block=block, depth=depth, line=2, cause=Action.ADD, named=named, **more)


def test_a_url_is_queued_once_and_taken_in_the_order_of_arrival() -> None:
    frontier = Frontier()
    assert frontier.reach(B, reach())[0] is Arrival.NEW_URL
    assert frontier.reach(A, reach())[0] is Arrival.NEW_URL
    assert frontier.reach(B, reach())[0] is Arrival.NOTHING
    assert frontier.reach(B, reach(block=1))[0] is Arrival.WAITING
    assert frontier.queued == 2
    assert [entry.url for entry in frontier.take(5)] == [B, A]
    assert frontier.queued == 0


def test_an_answered_url_that_another_block_reaches_is_news() -> None:
    frontier = Frontier()
    _, entry = frontier.reach(A, reach())
    entry.facts = PageFacts(Answer.PAGE)
    assert frontier.reach(A, reach())[0] is Arrival.NOTHING
    assert frontier.reach(A, reach(depth=0))[0] is Arrival.NEWS
    assert frontier.reach(A, reach(block=2))[0] is Arrival.NEWS
    assert entry.reaches[0].depth == 0


def test_the_flags_of_commands_that_name_one_url_add_up() -> None:
    frontier = Frontier()
    frontier.reach(A, reach(depth=0, named=True, nofollow=True))
    _, entry = frontier.reach(A, reach(depth=0, named=True, noindex=True))
    assert (entry.reaches[0].nofollow, entry.reaches[0].noindex) == (True, True)
    frontier.reach(A, reach(depth=3))
    assert entry.is_named
    assert (entry.reaches[0].nofollow, entry.reaches[0].depth) == (True, 0)


def test_a_command_that_names_what_a_link_led_to_takes_over() -> None:
    frontier = Frontier()
    frontier.reach(A, reach(depth=0, found_on=B))
    _, entry = frontier.reach(A, reach(depth=0, named=True, nofollow=True))
    assert entry.reaches[0].named
    assert entry.reaches[0].nofollow


def test_an_action_type_of_a_block_has_a_reach_of_its_own() -> None:
    """docs/spec/03-planning.md, 3.6: first ``add``, then ``update``."""
    frontier = Frontier()
    frontier.reach(A, reach(1))
    _, entry = frontier.reach(A, dataclasses.replace(reach(1), cause=Action.UPDATE, noindex=True))
    assert [(turn, one.noindex) for turn, one in entry.reaches.items()] == [(2, False), (3, True)]


def test_flags_that_came_with_a_redirect_hold_if_nothing_else_leads_there_without() -> None:
    frontier = Frontier()
    carried = reach(depth=0, named=True, found_on=B, nofollow=True, noindex=True)
    _, entry = frontier.reach(A, carried)
    assert entry.reaches[0].nofollow
    frontier.reach(A, dataclasses.replace(carried, noindex=False))
    assert (entry.reaches[0].nofollow, entry.reaches[0].noindex) == (True, False)
    frontier.reach(A, reach(depth=1, found_on=B))
    assert (entry.reaches[0].nofollow, entry.reaches[0].named) == (False, True)
    frontier.reach(A, reach(depth=0, named=True, noindex=True))
    assert (entry.reaches[0].nofollow, entry.reaches[0].noindex) == (False, True)
    frontier.reach(A, carried)
    assert not entry.reaches[0].nofollow


def test_how_else_a_named_url_was_reached_is_not_forgotten() -> None:
    frontier = Frontier()
    link = reach(depth=2, found_on=B)
    _, entry = frontier.reach(A, link)
    frontier.reach(A, reach(depth=0, named=True))
    assert entry.indirect == {0: link}
    frontier.reach(B, reach(depth=0, named=True))
    _, other = frontier.reach(B, link)
    assert other.indirect == {0: link}


reaches = st.builds(
    reach,
    block=st.integers(0, 2),
    depth=st.integers(0, 3),
    named=st.booleans(),
    nofollow=st.booleans(),
    noindex=st.booleans(),
    found_on=st.sampled_from([None, B]),
)


@given(st.lists(reaches, min_size=1, max_size=6), st.randoms())
def test_what_counts_does_not_depend_on_the_order_of_arrival(
    found: list[Reach], random: Any
) -> None:
    def merged(order: list[Reach]) -> dict[int, tuple[int, bool, bool, bool]]:
        frontier = Frontier()
        for one in order:
            frontier.reach(A, one)
        entry = frontier.get(A)
        assert entry is not None
        return {
            block: (r.depth, r.named, r.nofollow, r.noindex) for block, r in entry.reaches.items()
        }

    shuffled = list(found)
    random.shuffle(shuffled)
    assert merged(found) == merged(shuffled)
