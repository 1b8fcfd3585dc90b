"""The brake's limits, by example and by what must hold for every loss."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.indexing.brake import Allowed, Gone, Loss, Reason, exceeds, in_words, trips
from site_indexer.sites.definition import BrakeSection

DEFAULTS = BrakeSection()


def loss(before: int, *, vanished: int = 0, commanded: int = 0, came: int = 0) -> Loss:
    gone = [Gone(f"v{n}", f"https://e.com/v{n}", "gone") for n in range(vanished)]
    gone += [
        Gone(f"c{n}", f"https://e.com/c{n}", "delete", line=7, commanded=True)
        for n in range(commanded)
    ]
    return Loss(before, before - len(gone) + came, tuple(gone))


@pytest.mark.parametrize(
    ("before", "vanished", "commanded", "reasons"),
    [
        (1000, 0, 0, []),
        (1000, 200, 0, []),
        (1000, 201, 0, [Reason.VANISHED]),
        # A fifth of a small site is a handful of pages.
        (100, 20, 0, []),
        (100, 21, 0, [Reason.VANISHED]),
        (40, 20, 0, []),
        (20, 10, 0, []),
        (20, 11, 0, [Reason.VANISHED]),
        (1000, 0, 500, []),
        (1000, 0, 501, [Reason.COMMANDED]),
        (20, 0, 11, [Reason.COMMANDED]),
        (20, 5, 6, [Reason.HALF]),
        (20, 5, 5, []),
        (1, 0, 1, [Reason.COMMANDED, Reason.NOTHING_LEFT]),
        (2, 2, 0, [Reason.VANISHED, Reason.NOTHING_LEFT]),
        (0, 0, 0, []),
    ],
)
def test_what_the_defaults_ask_about(
    before: int, vanished: int, commanded: int, reasons: list[Reason]
) -> None:
    assert list(trips(loss(before, vanished=vanished, commanded=commanded), DEFAULTS)) == reasons


def test_where_half_of_a_site_may_vanish_half_of_a_small_one_may_too() -> None:
    limits = BrakeSection.model_validate({"max_removed": "60%"})
    assert trips(loss(20, vanished=13), limits) == ()
    assert trips(loss(200, vanished=121), limits) == (Reason.VANISHED,)


def test_an_owner_may_allow_commands_to_remove_more_than_half() -> None:
    limits = BrakeSection.model_validate({"max_commanded": "100%"})
    assert trips(loss(20, commanded=19), limits) == ()
    assert trips(loss(20, commanded=20), limits) == (Reason.NOTHING_LEFT,)
    assert trips(loss(20, commanded=15, vanished=3), limits) == ()


def test_a_minimum_of_documents_is_asked_for_whatever_goes() -> None:
    limits = BrakeSection(min_documents=50)
    assert trips(loss(60, vanished=10), limits) == ()
    assert trips(loss(60, vanished=11), limits) == (Reason.TOO_FEW,)
    assert trips(loss(10, came=5), limits) == (Reason.TOO_FEW,)


def test_what_came_does_not_hide_what_goes() -> None:
    assert trips(loss(100, vanished=30, came=70), DEFAULTS) == (Reason.VANISHED,)


@given(
    before=st.integers(0, 300),
    vanished=st.integers(0, 300),
    commanded=st.integers(0, 300),
)
def test_no_site_loses_more_than_half_unasked(before: int, vanished: int, commanded: int) -> None:
    vanished = min(vanished, before)
    commanded = min(commanded, before - vanished)
    asked = trips(loss(before, vanished=vanished, commanded=commanded), DEFAULTS)
    if 2 * (vanished + commanded) > before:
        assert asked
    if not vanished + commanded:
        assert not asked


@given(st.permutations(range(8)))
def test_a_list_is_the_same_in_any_order(order: list[int]) -> None:
    whole = loss(20, vanished=5, commanded=3)
    mixed = Loss(20, 12, tuple(whole.gone[place] for place in order))
    assert mixed.digest == whole.digest
    assert mixed.by_cause() == whole.by_cause() == [("gone", None, 5), ("delete", 7, 3)]


def agreed(to: Loss) -> Allowed:
    return Allowed(to.digest, to.vanished, to.commanded, frozenset(trips(to, DEFAULTS)))


def test_more_than_was_agreed_to_needs_another_answer() -> None:
    asked = loss(100, commanded=60)
    answer = agreed(asked)
    for now, more in (
        (asked, False),
        (loss(100, commanded=59), False),
        (loss(100, commanded=61), True),
        (loss(100, commanded=60, vanished=1), True),
        (loss(60, commanded=60), True),  # nothing would be left: that was not asked
    ):
        assert exceeds(now, trips(now, DEFAULTS), answer) is more, now


def test_each_reason_has_its_words() -> None:
    for reason in Reason:
        assert in_words(reason, DEFAULTS)
