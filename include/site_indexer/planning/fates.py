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


class RunningWatermark:
    """Looks at blocks from top to bottom: each one later than the watermark is taken, and moves it.

    ``hold_after``: the first block to be taken that is dated later waits, and so do those below
    it.
    """

    def __init__(self, watermark: dt.datetime | None, *, hold_after: dt.datetime | None) -> None:
        self._watermark = watermark
        self._running = watermark
        self._hold_after = hold_after
        self._held = False

    def fate_of(self, date: dt.datetime | None) -> Fate:
        """Return the fate of the next block, by its date; None where that cannot be read."""
        fate = self._fate(date)
        if fate is None and date is not None:
            self._held = self._hold_after is not None and date > self._hold_after
            self._running = date
            return SkipReason.HELD if self._held else None
        return fate

    def _fate(self, date: dt.datetime | None) -> Fate:
        if date is not None and self._watermark is not None and date <= self._watermark:
            return SkipReason.BEHIND_WATERMARK
        if self._held:
            return SkipReason.HELD
        if date is not None and self._running is not None and date <= self._running:
            return SkipReason.OUT_OF_ORDER
        return None


def fates_by_watermark(blocks: Sequence[Block], running: RunningWatermark) -> list[Fate]:
    """Take each block dated later than the watermark, which then is that block's date.

    A block whose date cannot be read is behind the watermark only if a readable block below it is.
    """
    return _with_undated_behind(blocks, [running.fate_of(block.date) for block in blocks])


def _with_undated_behind(blocks: Sequence[Block], fates: list[Fate]) -> list[Fate]:
    behind_below = False
    for place in range(len(blocks) - 1, -1, -1):
        if fates[place] is SkipReason.BEHIND_WATERMARK:
            behind_below = True
        elif behind_below and blocks[place].date is None:
            fates[place] = SkipReason.BEHIND_WATERMARK
    return fates
