"""Pages of earlier runs in the plan of a later one."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.index_script.model import Action
from site_indexer.planning.model import Plan, PlannedBlock, PlannedCommand, Step
from site_indexer.planning.retrying import Retry, with_retries
from site_indexer.planning.serialization import plan_from_dict, plan_to_dict

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def block(day: int, *, number: int = 0, digest: str | None = None) -> PlannedBlock:
    date = dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=day)
    return PlannedBlock(number, 10 * day + 1, date, min(date, NOW), (), digest or f"d{day}")


def add(number: int, url: str) -> PlannedCommand:
    return PlannedCommand(line=1, block=number, block_line=1, url=url)


def plan(*days: int) -> Plan:
    blocks = tuple(block(day, number=number) for number, day in enumerate(days))
    adds = tuple(add(each.number, f"https://h/{each.digest}") for each in blocks)
    deletes = tuple(add(each.number, f"https://h/gone-{each.digest}") for each in blocks)
    steps = (Step(Action.DELETE, deletes), Step(Action.ADD, adds)) if blocks else ()
    return Plan("docs", NOW, None, None, None, blocks, (), steps, (), ())


def retry(day: int, url: str = "https://h/page") -> Retry:
    return Retry(url, line=7, block=block(day, number=99), nofollow=True)


def named(plan: Plan, action: Action) -> list[tuple[str, str | None]]:
    """Each command of a type, with the digest of its block."""
    step = plan.step(action)
    return [(plan.blocks[each.block].digest, each.url) for each in step.commands] if step else []


def test_without_anything_to_retry_the_plan_is_the_same() -> None:
    before = plan(3, 4)
    assert with_retries(before, []).plan is before


def test_a_page_is_an_add_of_its_own_block_before_the_new_ones() -> None:
    merged = with_retries(plan(5), [retry(2), retry(2, "https://h/other"), retry(1)])
    assert [each.digest for each in merged.plan.blocks] == ["d1", "d2", "d5"]
    assert [each.number for each in merged.plan.blocks] == [0, 1, 2]
    assert merged.numbers == {0, 1}
    assert named(merged.plan, Action.ADD) == [
        ("d5", "https://h/d5"),
        ("d2", "https://h/page"),
        ("d2", "https://h/other"),
        ("d1", "https://h/page"),
    ]
    assert named(merged.plan, Action.DELETE) == [("d5", "https://h/gone-d5")]
    command = merged.plan.steps[1].commands[-1]
    assert (command.line, command.block_line, command.nofollow) == (7, 11, True)


def test_a_run_with_nothing_new_has_a_plan_of_retries_alone() -> None:
    merged = with_retries(plan(), [retry(2)])
    assert [step.action for step in merged.plan.steps] == [Action.ADD]
    assert merged.numbers == {0}
    assert plan_from_dict(plan_to_dict(merged.plan)) == merged.plan


def test_in_an_old_window_a_newer_block_to_retry_still_counts_as_newer() -> None:
    merged = with_retries(plan(1, 2), [retry(9)])
    assert [each.digest for each in merged.plan.blocks] == ["d1", "d2", "d9"]


def test_a_block_that_is_run_anyway_names_its_pages_itself() -> None:
    before = plan(2, 3)
    assert with_retries(before, [retry(2)]).plan is before


@given(st.sets(st.integers(0, 8)), st.lists(st.integers(0, 8)))
def test_nothing_of_the_plan_is_lost_and_blocks_come_by_date(
    days: set[int], retried: list[int]
) -> None:
    before = plan(*sorted(days))
    merged = with_retries(before, map(retry, retried))
    dates = [each.counts_as for each in merged.plan.blocks]
    assert dates == sorted(dates)
    assert [each.number for each in merged.plan.blocks] == list(range(len(dates)))
    for action in (Action.ADD, Action.DELETE):
        assert set(named(before, action)) <= set(named(merged.plan, action))
    own = {block.digest for n, block in enumerate(merged.plan.blocks) if n not in merged.numbers}
    assert own == {each.digest for each in before.blocks}
