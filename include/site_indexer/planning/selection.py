"""Which blocks of a script a run processes (docs/spec/03-planning.md, *Selection*)."""

from __future__ import annotations

import datetime as dt
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from site_indexer.errors import ScriptError
from site_indexer.index_script.counting import counted
from site_indexer.index_script.model import Block, Diagnostic, IndexScript, Severity
from site_indexer.index_script.parser import Keep
from site_indexer.index_script.rendering import diagnostic_as_json
from site_indexer.index_script.spelling import block_digest
from site_indexer.planning.fates import (
    AHEAD_OF_CLOCK,
    Fate,
    RunningWatermark,
    fates_by_watermark,
    fates_in_window,
)
from site_indexer.planning.model import SkippedBlock, SkipReason, Window

OnError = Literal["stop", "skip_line", "skip_block"]
FutureBlocks = Literal["process", "hold"]


@dataclass(frozen=True, slots=True)
class Criteria:
    """What a selection goes by; all dates are aware UTC. With a window no watermark counts."""

    watermark: dt.datetime | None
    window: Window | None
    now: dt.datetime
    future_blocks: FutureBlocks = "process"
    on_error: OnError = "stop"

    def keeper(self) -> Keep:
        """What to keep of a script while it is parsed: the commands of blocks that may be selected.

        It is asked once for each block, from top to bottom.
        """
        window = self.window
        if window is not None:
            return lambda date: date is not None and window.from_ <= date < window.to
        running = self.running_watermark()
        return lambda date: running.fate_of(date) is None and date is not None

    def running_watermark(self) -> RunningWatermark:
        """What goes through the blocks of a file; without a window."""
        holds = self.future_blocks == "hold"
        hold_after = self.now + AHEAD_OF_CLOCK if holds else None
        return RunningWatermark(self.watermark, hold_after=hold_after)


@dataclass(frozen=True, slots=True)
class Selection:
    """The blocks to be processed, oldest first, and why the others are not, in file order.

    ``diagnostics`` are those of the script, with the errors of skipped blocks as warnings. Where
    ``processable`` is false a new block has an error and the script must change nothing: none is
    selected, all new ones are skipped for the error, and ``watermark_after`` is the watermark as
    it was. Each selected block has a date.
    """

    script: IndexScript
    criteria: Criteria
    selected: tuple[Block, ...]
    skipped: tuple[SkippedBlock, ...]
    watermark_after: dt.datetime | None
    diagnostics: tuple[Diagnostic, ...]
    processable: bool


class Checked(Protocol):
    """A selection or a plan."""

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings."""
        ...

    @property
    def processable(self) -> bool:
        """Whether it may be processed as it stands."""
        ...


class ScriptDiagnosticsError(ScriptError):
    """A script with errors that end the work; ``diagnostics`` are all findings of the file.

    The text lists the errors, or names the first one where they are listed elsewhere already, as
    in a run's log.
    """

    code = "script-errors"

    def __init__(
        self,
        source: str,
        diagnostics: tuple[Diagnostic, ...],
        *,
        consequence: str = " in new blocks; nothing was changed",
        hint: str = "Mend the script; the next run reads it again.",
        listed: bool = True,
    ) -> None:
        errors = [found for found in diagnostics if found.severity is Severity.ERROR]
        head = f"{source} has {counted(len(errors), 'error')}{consequence}."
        lines = [f"line {e.line}, column {e.column}: {e.message}" for e in errors]
        text = "\n".join([head, *lines]) if listed else f"{head} The first: {lines[0]}"
        super().__init__(text, hint=hint, source=source)
        self.diagnostics = diagnostics

    def as_json(self) -> dict[str, Any]:
        """The error document of the shell's JSON form, with all diagnostics."""
        found = [diagnostic_as_json(diagnostic) for diagnostic in self.diagnostics]
        return {**super().as_json(), "diagnostics": found}


def select(
    script: IndexScript,
    *,
    watermark: dt.datetime | None,
    window: Window | None,
    now: dt.datetime,
    future_blocks: FutureBlocks = "process",
    on_error: OnError = "stop",
) -> Selection:
    """Choose the blocks of a run. Rules: docs/spec/03-planning.md, *Selection* and *Errors*.

    Of a script that :func:`~site_indexer.planning.reading.read_script` read for other criteria,
    commands may be missing.
    """
    return select_by(script, Criteria(watermark, window, now, future_blocks, on_error))


def select_by(script: IndexScript, criteria: Criteria) -> Selection:
    """Choose the blocks of a run by criteria; see :func:`select`."""
    fates = _fates(script, criteria)
    owners = _owners(script)
    erring = _lines_with_errors(script, owners, fates)
    processable = criteria.on_error != "stop" or not erring
    failed = _failed_blocks(script, erring, criteria)
    fates = [_failed(fate) if place in failed else fate for place, fate in enumerate(fates)]
    chosen = [block for block, fate in zip(script.blocks, fates, strict=True) if fate is None]
    if criteria.on_error == "skip_line":
        chosen = [_without_lines(block, erring) for block in chosen]
    return Selection(
        script=script,
        criteria=criteria,
        selected=tuple(sorted(chosen, key=_oldest_first)),
        skipped=tuple(_skipped(script, fates)),
        watermark_after=_watermark_after(script, fates, criteria, processable=processable),
        diagnostics=_graded(script, owners, fates),
        processable=processable,
    )


def ensure_processable(checked: Checked, source: str, *, listed: bool = True) -> None:
    """Raise ScriptDiagnosticsError where a new block has an error that stops the run."""
    if not checked.processable:
        raise ScriptDiagnosticsError(source, checked.diagnostics, listed=listed)


def ensure_free_of_errors(script: IndexScript) -> None:
    """Raise ScriptDiagnosticsError where any block has an error, for work that needs the whole."""
    if any(found.severity is Severity.ERROR for found in script.diagnostics):
        raise ScriptDiagnosticsError(
            script.source, script.diagnostics, consequence="", hint="Mend the script before."
        )


def dated(block: Block) -> dt.datetime:
    """Return the date of a selected block, which always has one."""
    if block.date is None:
        raise ValueError(f"the block of line {block.line} has no date and cannot be selected")
    return block.date


def _fates(script: IndexScript, criteria: Criteria) -> list[Fate]:
    if criteria.window is not None:
        return fates_in_window(script.blocks, criteria.window)
    return fates_by_watermark(script.blocks, criteria.running_watermark())


def _owners(script: IndexScript) -> list[int]:
    """Return for each diagnostic the place of the block it stands in, -1 above the first one."""
    starts = [block.line for block in script.blocks]
    return [bisect_right(starts, found.line) - 1 for found in script.diagnostics]


def _lines_with_errors(script: IndexScript, owners: list[int], fates: list[Fate]) -> dict[int, int]:
    """Return the lines of new blocks, and of none, that have errors, with the block's place."""
    return {
        found.line: owner
        for found, owner in zip(script.diagnostics, owners, strict=True)
        if found.severity is Severity.ERROR and (owner < 0 or fates[owner] is None)
    }


def _failed_blocks(
    script: IndexScript, erring: Mapping[int, int], criteria: Criteria
) -> Collection[int]:
    """Return the places of the blocks that errors keep from being processed."""
    if criteria.on_error == "skip_block":
        return set(erring.values())
    if criteria.on_error == "stop" and erring:
        return range(len(script.blocks))
    # Nothing can be done with a block whose date line is skipped.
    return {place for place, block in enumerate(script.blocks) if block.date is None}


def _failed(fate: Fate) -> Fate:
    return SkipReason.ERROR if fate is None else fate


def _skipped(script: IndexScript, fates: list[Fate]) -> Iterator[SkippedBlock]:
    """Yield the blocks that are skipped; lines without a date line have only their errors."""
    for block, fate in zip(script.blocks, fates, strict=True):
        if fate is not None and block.has_date_line:
            yield SkippedBlock(block.line, block.date, fate, block_digest(block))


def _without_lines(block: Block, lines: Collection[int]) -> Block:
    kept = tuple(command for command in block.commands if command.line not in lines)
    return replace(block, commands=kept)


def _watermark_after(
    script: IndexScript, fates: list[Fate], criteria: Criteria, *, processable: bool
) -> dt.datetime | None:
    """Return the newest date of what is processed, or skipped as an error, and of the watermark."""
    if criteria.window is not None or not processable:
        return criteria.watermark
    passed = (
        block.date
        for block, fate in zip(script.blocks, fates, strict=True)
        if fate in (None, SkipReason.ERROR) and block.date is not None
    )
    return max(passed, default=criteria.watermark)


def _graded(script: IndexScript, owners: list[int], fates: list[Fate]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics, those of skipped blocks as warnings at most."""
    return tuple(
        found
        if owner < 0 or fates[owner] in (None, SkipReason.ERROR)
        else replace(found, severity=Severity.WARNING)
        for found, owner in zip(script.diagnostics, owners, strict=True)
    )


def _oldest_first(block: Block) -> tuple[dt.datetime, int]:
    return (dated(block), block.line)
