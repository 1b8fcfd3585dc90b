"""Warnings of blocks that the order of dates, or the clock, keeps from being processed as meant.

Rules: docs/spec/01-script-language.md, 1.5.
"""

from __future__ import annotations

import datetime as dt

from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding
from site_indexer.index_script.model import DateForm, Severity

_AHEAD = dt.timedelta(days=1)


class BlockOrder:
    """Looks at the dates of a file's blocks from top to bottom."""

    def __init__(self, clock: dt.datetime | None) -> None:
        """``clock`` (aware) is what a block can be ahead of; without one, none is."""
        self._clock = clock
        self._latest: tuple[dt.datetime, int] | None = None
        self._latest_seconds: tuple[dt.datetime, int] | None = None

    def check(self, date: dt.datetime, form: DateForm, line: int) -> list[Finding]:
        """Return what is to be said of the next block."""
        findings = []
        late = self._late(date, form)
        if late is not None:
            findings.append(late)
        if self._clock is not None and date - self._clock > _AHEAD:
            findings.append(_ahead(date))
        if self._latest is None or date > self._latest[0]:
            self._latest = (date, line)
        if form is DateForm.SECONDS:
            self._latest_seconds = (date, line)
        return findings

    def _late(self, date: dt.datetime, form: DateForm) -> Finding | None:
        before = self._latest_seconds if form is DateForm.SECONDS else None
        if before is not None and date <= before[0]:
            return Finding(
                1,
                Code.SECONDS_NOT_INCREASING,
                f"These seconds are not greater than those of the block in line {before[1]}.",
                "`seconds` must increase from block to block; this block is not processed.",
                Severity.WARNING,
            )
        if self._latest is not None and date <= self._latest[0]:
            return Finding(
                0,
                Code.BLOCK_OUT_OF_ORDER,
                f"This block is not newer than the one in line {self._latest[1]}.",
                "It is not processed. New blocks stand at the end of the file, each with a later"
                " date than all above it.",
                Severity.WARNING,
            )
        return None


def _ahead(date: dt.datetime) -> Finding:
    return Finding(
        0,
        Code.BLOCK_AHEAD_OF_CLOCK,
        f"This block is dated more than a day ahead of the clock ({date:%Y-%m-%d}).",
        "Once processed it hides all blocks with an earlier date.",
        Severity.WARNING,
    )
