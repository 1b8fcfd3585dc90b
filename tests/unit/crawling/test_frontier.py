from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.frontier import Arrival, Entry, Frontier
from site_indexer.crawling.judging import Judged
from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.index_script.model import Action

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)
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


def answered(frontier: Frontier, url: str, *, stored: bool = False) -> Entry:
    """An entry of a page that was asked for, judged and recorded."""
    entry = frontier.get(url)
    assert entry is not None
    entry.facts = PageFacts(Answer.PAGE, stored=stored, changed=True)
    verdicts = tuple(dataclasses.replace(r, verdict="write") for r in entry.reaches.values())
    entry.judged = Judged(Outcome.INDEXED, RecordAction.WRITE, verdicts[-1], verdicts, verdicts)
    entry.written = (Outcome.INDEXED, RecordAction.WRITE, None, 0, entry.is_named)
    entry.is_fresh = True
    return entry


class TestFinishedPages:
    def test_they_are_known_and_no_entries(self) -> None:
        frontier = Frontier(keep_whole=0)
        for url in (A, B):
            frontier.add(url, reach(found_on="https://h.test/"))
        frontier.take(2)
        frontier.finish(answered(frontier, A))
        assert A in frontier
        assert (len(frontier), frontier.get(A)) == (2, None)
        assert [entry.url for entry in frontier] == [B]
        frontier.finish(answered(frontier, B))
        assert frontier.known[A] is frontier.known[B], "the same is kept once"
        assert [(url, kind.outcome) for url, kind in frontier.finished_urls()] == [
            (A, Outcome.INDEXED),
            (B, Outcome.INDEXED),
        ]
        assert [kind.pages for kind in frontier.finished] == [2]

    def test_what_differs_is_kept_apart(self) -> None:
        frontier = Frontier(keep_whole=0)
        frontier.add(A, reach())
        frontier.add(B, reach())
        frontier.take(2)
        frontier.finish(answered(frontier, A))
        frontier.finish(answered(frontier, B, stored=True))
        assert sorted(kind.stored for kind in frontier.finished) == [False, True]

    def test_so_many_stay_as_they_are(self) -> None:
        frontier = Frontier(keep_whole=1)
        frontier.add(A, reach())
        frontier.add(B, reach())
        frontier.take(2)
        frontier.finish(answered(frontier, A))
        frontier.finish(answered(frontier, B))
        assert (frontier.get(A) is not None, frontier.get(B)) == (True, None)

    def test_restored_ones_count_no_more(self) -> None:
        frontier = Frontier(keep_whole=0)
        frontier.add(A, reach())
        (entry,) = frontier.take(1)
        facts = answered(frontier, A).facts
        assert facts is not None
        frontier.finish(entry)
        record = PageRecord(
            A, "id", NOW, Outcome.INDEXED, RecordAction.WRITE, 0, 2, Action.ADD, False, (reach(),)
        )
        again = frontier.restore(record, facts)
        assert frontier.get(A) is again
        assert again.is_fresh
        assert [kind.pages for kind in frontier.finished] == [0]

    def test_one_that_is_opened_again_is_asked_for_again(self) -> None:
        frontier = Frontier(keep_whole=0)
        frontier.add(A, reach())
        frontier.take(1)
        frontier.finish(answered(frontier, A))
        frontier.reopen(A)
        assert list(frontier.unanswered()) == [A]
        (entry,) = frontier.take(1)
        assert (entry.url, list(entry.reaches)) == (A, [0])


def test_what_a_link_led_to_becomes_an_entry_when_more_leads_there() -> None:
    frontier = Frontier()
    frontier.add(A, reach(depth=2))
    assert list(frontier.unanswered()) == [A]
    assert list(frontier) == []
    arrival, entry = frontier.reach(A, reach(block=1))
    assert (arrival, sorted(entry.reaches)) == (Arrival.WAITING, [0, 2])
    assert (frontier.queued, frontier.take(3)) == (1, [entry])


def test_a_link_that_tells_nothing_new_is_passed_over_until_something_else_comes() -> None:
    frontier = Frontier()
    known = reach(depth=2)
    frontier.add(A, known)
    assert frontier.untold([A, B], reach(depth=3)) == [A, B]
    frontier.note_told(A, known)
    assert frontier.untold([A, B], reach(depth=2)) == [B]
    assert frontier.untold([A, B], reach(depth=3)) == [B]
    assert frontier.untold([A], reach(depth=1)) == [A]
    assert frontier.untold([A], reach(block=1, depth=3)) == [A]
    frontier.reach(A, reach(named=True, depth=0))
    assert frontier.untold([A], reach(depth=3)) == [A]


@given(st.lists(reaches, min_size=1), st.lists(reaches, min_size=1))
def test_what_is_passed_over_would_have_changed_nothing(
    come: list[Reach], links: list[Reach]
) -> None:
    def note(entry: Entry) -> None:
        for known in entry.reaches.values():
            if not (known.named or known.nofollow or known.noindex):
                frontier.note_told(A, known)

    frontier = Frontier()
    for each in come:
        _, entry = frontier.reach(A, each)
        note(entry)
    for link in links:
        child = reach(link.block, link.depth, found_on=B)
        if not frontier.untold([A], child):
            before = dict(entry.reaches), dict(entry.indirect)
            arrival, _ = frontier.reach(A, child)
            assert arrival is Arrival.NOTHING
            assert (entry.reaches, entry.indirect) == before
            note(entry)
