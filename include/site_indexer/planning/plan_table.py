"""A plan as a table for people: the log of a dry run, the shell."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence

from site_indexer.index_script.rendering import printable
from site_indexer.planning.instants import instant_text
from site_indexer.planning.model import DroppedCommand, Plan, PlannedCommand
from site_indexer.urls.kinds import MaskKind

_GAP = "  "
_NO_DATE = "(no date)"


def plan_table(plan: Plan) -> str:
    """Return a plan as lines of text: what is done, what is dropped, which blocks are skipped."""
    return "\n".join((*_head(plan), *_commands(plan), *_dropped(plan), *_skipped(plan)))


def _head(plan: Plan) -> Iterator[str]:
    count = sum(len(step.commands) for step in plan.steps)
    yield f"Blocks to process: {len(plan.blocks)}. Commands: {count}."
    if plan.window is not None:
        window = f"{instant_text(plan.window.from_)} up to {instant_text(plan.window.to)}"
        yield f"Window: {window}. The watermark stays at {_date(plan.watermark_before)}."
    else:
        yield f"Watermark: {_date(plan.watermark_before)} -> {_date(plan.watermark_after)}"
    if not plan.processable:
        yield "A new block has an error: nothing is processed."


def _commands(plan: Plan) -> Iterator[str]:
    rows = [
        (
            step.action.value,
            f"line {command.line}",
            instant_text(plan.blocks[command.block].date),
            _subject(command),
            _flags(command),
        )
        for step in plan.steps
        for command in step.commands
    ]
    if rows:
        yield from _aligned([("action", "line", "block", "URL or mask", "flags"), *rows])


def _dropped(plan: Plan) -> Iterator[str]:
    if plan.dropped:
        yield "Dropped, as they can have no effect:"
        yield from _aligned(
            [
                (
                    "add" if command.url is not None else "update",
                    f"line {command.line}",
                    f"undone by line {command.by_line}",
                    _subject(command),
                )
                for command in plan.dropped
            ]
        )


def _skipped(plan: Plan) -> Iterator[str]:
    if plan.skipped:
        yield "Skipped blocks:"
        yield from _aligned(
            [
                (f"line {block.line}", _date(block.date, _NO_DATE), block.reason.value)
                for block in plan.skipped
            ]
        )


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield _GAP.join(cells).rstrip()


def _subject(command: PlannedCommand | DroppedCommand) -> str:
    if command.url is not None:
        return command.url
    word = "regexp " if command.mask_kind is MaskKind.REGEXP else ""
    return f"{word}{printable(command.mask or '')}"


def _flags(command: PlannedCommand) -> str:
    flags = {"nofollow": command.nofollow, "noindex": command.noindex}
    return " ".join(word for word, given in flags.items() if given)


def _date(date: dt.datetime | None, otherwise: str = "none") -> str:
    return otherwise if date is None else instant_text(date)
