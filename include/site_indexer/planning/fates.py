"""What the dates of blocks make of them: new, or skipped for a reason."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from site_indexer.index_script.model import Block
from site_indexer.planning.model import SkipReason, Window

AHEAD_OF_CLOCK = dt.timedelta(days=1)
"""How far ahead of the clock a block may be dated before it counts as one of the future."""

Fate = SkipReason | None
"""Why a block is skipped; None for one that is new."""


def fates_in_window(blocks: Sequence[Block], window: Window) -> list[Fate]:
    """Take the blocks dated in the window, in whatever order; one without a date is not in it."""
    return [
        None
        if block.date is not None and window.from_ <= block.date < window.to
        else SkipReason.OUTSIDE_WINDOW
        for block in blocks
    ]


def fates_by_watermark(
    blocks: Sequence[Block], watermark: dt.datetime | None, *, hold_after: dt.datetime | None
) -> list[Fate]:
    """Take each block dated later than the watermark, which then is that block's date.

    ``hold_after``: the first block to be taken that is dated later waits, and so do those below
    it. A block whose date cannot be read is behind the watermark only if a readable block below
    it is.
    """
    fates: list[Fate] = []
    running = watermark
    held = False
    for block in blocks:
        fate = _fate(block.date, watermark, running, held=held)
        if fate is None and block.date is not None:
            held = hold_after is not None and block.date > hold_after
            fate = SkipReason.HELD if held else None
            running = block.date
        fates.append(fate)
    return _with_undated_behind(blocks, fates)


def _fate(
    date: dt.datetime | None,
    watermark: dt.datetime | None,
    running: dt.datetime | None,
    *,
    held: bool,
) -> Fate:
    if date is not None and watermark is not None and date <= watermark:
        return SkipReason.BEHIND_WATERMARK
    if held:
        return SkipReason.HELD
    if date is not None and running is not None and date <= running:
        return SkipReason.OUT_OF_ORDER
    return None


def _with_undated_behind(blocks: Sequence[Block], fates: list[Fate]) -> list[Fate]:
    behind_below = False
    for place in range(len(blocks) - 1, -1, -1):
        if fates[place] is SkipReason.BEHIND_WATERMARK:
            behind_below = True
        elif behind_below and blocks[place].date is None:
            fates[place] = SkipReason.BEHIND_WATERMARK
    return fates
