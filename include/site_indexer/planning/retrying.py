"""Puts pages that an earlier run could not fetch into the plan of a later one.

Each is an ``add`` of its own block, with that block's rules and place in the order
(docs/spec/05-index-lifecycle.md, 5.18).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from site_indexer.index_script.model import Action
from site_indexer.planning.folding import STEP_ORDER
from site_indexer.planning.model import Plan, PlannedBlock, PlannedCommand, Step


@dataclass(frozen=True, slots=True)
class Retry:
    """A page to be fetched again: normalized URL, the line that named it, its flags.

    ``block`` is that of the run that could not fetch it; its number there does not matter.
    """

    url: str
    line: int
    block: PlannedBlock
    nofollow: bool = False
    noindex: bool = False


@dataclass(frozen=True, slots=True)
class PlanWithRetries:
    """A plan, and the numbers of those of its blocks that are there for pages to be retried."""

    plan: Plan
    numbers: frozenset[int]


def with_retries(plan: Plan, retries: Iterable[Retry]) -> PlanWithRetries:
    """Add ``retries`` to a plan, by the dates of their blocks; its own blocks keep their order.

    A block that the plan has itself names its pages anyway, so retries of it are left out.
    """
    own = {block.digest for block in plan.blocks}
    wanted = [each for each in retries if each.block.digest not in own]
    if not wanted:
        return PlanWithRetries(plan, frozenset())
    old = {each.block.digest: each.block for each in wanted}
    merged = sorted(
        [*((block, True) for block in old.values()), *((block, False) for block in plan.blocks)],
        # Of blocks that count as one date the older ones come first, as they ran first.
        key=lambda one: (one[0].counts_as, not one[1], one[0].date if one[1] else plan.now),
    )
    numbers = {block.digest: number for number, (block, is_old) in enumerate(merged) if is_old}
    moved = {block.number: number for number, (block, is_old) in enumerate(merged) if not is_old}
    return PlanWithRetries(
        replace(
            plan,
            blocks=tuple(replace(block, number=number) for number, (block, _) in enumerate(merged)),
            steps=_steps(plan.steps, moved, [_command(each, numbers) for each in wanted]),
        ),
        frozenset(numbers.values()),
    )


def _command(retry: Retry, numbers: dict[str, int]) -> PlannedCommand:
    return PlannedCommand(
        line=retry.line,
        block=numbers[retry.block.digest],
        block_line=retry.block.line,
        url=retry.url,
        nofollow=retry.nofollow,
        noindex=retry.noindex,
    )


def _steps(
    steps: Sequence[Step], moved: dict[int, int], adds: Collection[PlannedCommand]
) -> tuple[Step, ...]:
    commands = {
        step.action: [replace(each, block=moved[each.block]) for each in step.commands]
        for step in steps
    }
    # What is new is asked for first: pages that fail again may put their host in trouble.
    commands[Action.ADD] = [*commands.get(Action.ADD, []), *adds]
    return tuple(
        Step(action, tuple(commands[action])) for action in STEP_ORDER if action in commands
    )
