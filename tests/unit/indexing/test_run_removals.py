"""What the removals of one run match, by block (docs/spec/03-planning.md, *Order*)."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_script.model import Action
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.planning.model import Plan, PlannedCommand, Step
from site_indexer.urls.kinds import MaskKind

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def plan(*steps: Step) -> Plan:
    return Plan(
        site="docs",
        now=NOW,
        watermark_before=None,
        watermark_after=None,
        window=None,
        blocks=(),
        skipped=(),
        steps=steps,
        dropped=(),
        diagnostics=(),
    )


def deleted(url: str, block: int) -> PlannedCommand:
    return PlannedCommand(line=1, block=block, block_line=1, url=url)


def masked(mask: str, block: int) -> PlannedCommand:
    kind = MaskKind.WILDCARD if "*" in mask else MaskKind.PREFIX
    return PlannedCommand(line=1, block=block, block_line=1, mask=mask, mask_kind=kind)


REMOVALS = RunRemovals.of_plan(
    plan(
        Step(Action.DELETE, (deleted("https://h/a", 0), deleted("https://h/a", 2))),
        Step(Action.DELETEMASK, (masked("https://h/old/", 1), masked("*.pdf", 3))),
    )
)


def test_any_block_of_the_run_counts_for_what_the_base_holds() -> None:
    assert REMOVALS.any_match("https://h/a")
    assert REMOVALS.any_match("https://h/old/page")
    assert REMOVALS.any_match("https://h/x.pdf")
    assert not REMOVALS.any_match("https://h/ab")
    assert not REMOVALS.any_match("https://h/older")


def test_only_newer_blocks_count_for_what_the_run_wrote() -> None:
    assert REMOVALS.newer_match("https://h/a", 1)
    assert not REMOVALS.newer_match("https://h/a", 2)
    assert REMOVALS.newer_match("https://h/old/page", 0)
    assert not REMOVALS.newer_match("https://h/old/page", 1)
    assert REMOVALS.newer_match("https://h/old/x.pdf", 2)


def test_between_two_blocks_only_those_count_that_come_behind_the_first() -> None:
    """A block's own removals come before what it writes."""
    assert REMOVALS.any_between("https://h/a", -1, 0)
    assert not REMOVALS.any_between("https://h/a", 0, 1)
    assert REMOVALS.any_between("https://h/a", 0, 2)
    assert not REMOVALS.any_between("https://h/x.pdf", 0, 2)
    assert REMOVALS.any_between("https://h/x.pdf", 2, 3)


def test_a_plan_without_removals_matches_nothing() -> None:
    assert not RunRemovals.of_plan(plan()).any_match("https://h/a")
