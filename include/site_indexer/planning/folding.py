"""From the new blocks to one list of commands per action type (docs/spec/03-planning.md, *Order*).

The plan comes out as if each block were run by itself, oldest first: the newer block wins, and
what a later block undoes wholly is not even tried.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from site_indexer.index_script.model import Action, Block, Command, Diagnostic
from site_indexer.index_script.spelling import block_digest
from site_indexer.planning.coming_back import deletes_undone
from site_indexer.planning.dropping import Dropping
from site_indexer.planning.foreign_hosts import with_host_findings
from site_indexer.planning.idle_rules import unused_rules
from site_indexer.planning.later_removals import LaterRemovals
from site_indexer.planning.model import (
    DroppedCommand,
    Plan,
    PlannedBlock,
    PlannedCommand,
    Step,
)
from site_indexer.planning.selection import Selection, dated, select_by
from site_indexer.planning.site_view import SiteView
from site_indexer.urls import normalize

STEP_ORDER = (Action.DELETE, Action.DELETEMASK, Action.ADD, Action.UPDATE)
"""The order of the action types, within a block and within a run."""


def make_plan(selection: Selection, site: SiteView | None, now: dt.datetime) -> Plan:
    """Fold the selected blocks into a plan. ``now`` is the start of the run.

    With a site, commands that name hosts of others become errors first, which may change the
    selection as any other error does. Without a site its id is "".
    """
    if site is not None:
        checked = with_host_findings(selection.script, site.hosts)
        if checked is not selection.script:
            selection = select_by(checked, selection.criteria)
    folded = _fold(selection.selected, site, now)
    diagnostics = (*selection.diagnostics, *folded.warnings)
    return Plan(
        site="" if site is None else site.id,
        now=now,
        watermark_before=selection.criteria.watermark,
        watermark_after=selection.watermark_after,
        window=selection.criteria.window,
        blocks=tuple(_numbered(selection.selected, now)),
        skipped=selection.skipped,
        steps=folded.steps,
        dropped=folded.dropped,
        diagnostics=tuple(sorted(diagnostics, key=lambda found: (found.line, found.column))),
        processable=selection.processable,
    )


@dataclass(frozen=True, slots=True)
class _Folded:
    steps: tuple[Step, ...]
    dropped: tuple[DroppedCommand, ...]
    warnings: tuple[Diagnostic, ...]


def _numbered(blocks: Sequence[Block], now: dt.datetime) -> Iterator[PlannedBlock]:
    for number, block in enumerate(blocks):
        date = dated(block)
        yield PlannedBlock(
            number=number,
            line=block.line,
            date=date,
            counts_as=min(date, now),
            rules=tuple(command for command in block.commands if command.action.is_rule),
            digest=block_digest(block),
        )


def _fold(blocks: Sequence[Block], site: SiteView | None, now: dt.datetime) -> _Folded:
    planned = {action: list(_of_action(blocks, action)) for action in STEP_ORDER}
    removals = (
        [command for command, _ in planned[action]] for action in (Action.DELETE, Action.DELETEMASK)
    )
    dropping = Dropping(LaterRemovals(*removals), site, now)
    rules = [dropping.rules_before(block) for block in blocks]
    for action in (Action.ADD, Action.UPDATE):
        planned[action] = [
            (each, command)
            for each, command in planned[action]
            if dropping.keeps(each, command, rules[each.block])
        ]
    undone = (
        warning
        for block, before in zip(blocks, rules, strict=True)
        for warning in deletes_undone(block, before)
    )
    return _Folded(
        steps=tuple(
            Step(action, tuple(each for each, _ in planned[action]))
            for action in STEP_ORDER
            if planned[action]
        ),
        dropped=tuple(sorted(dropping.dropped, key=lambda dropped: dropped.line)),
        warnings=(*dropping.warnings, *undone, *filter(None, map(unused_rules, blocks))),
    )


def _of_action(blocks: Sequence[Block], action: Action) -> Iterator[tuple[PlannedCommand, Command]]:
    for number, block in enumerate(blocks):
        for command in block.commands:
            if command.action is action:
                yield from ((each, command) for each in _expanded(command, number, block.line))


def _expanded(command: Command, number: int, block_line: int) -> Iterator[PlannedCommand]:
    """Yield one planned command for each URL, or for the mask, of a command."""
    for url in command.urls:
        yield PlannedCommand(
            line=command.line,
            block=number,
            block_line=block_line,
            url=normalize(url),
            nofollow=command.nofollow,
            noindex=command.noindex,
        )
    if command.mask is not None:
        yield PlannedCommand(
            line=command.line,
            block=number,
            block_line=block_line,
            mask=command.mask,
            mask_kind=command.mask_kind,
            nofollow=command.nofollow,
            noindex=command.noindex,
        )
