"""What a plan is made of (docs/spec/03-planning.md)."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from site_indexer.index_script.model import Action, Command, Diagnostic
from site_indexer.urls.kinds import MaskKind


class SkipReason(StrEnum):
    """Why a block is not processed."""

    BEHIND_WATERMARK = "behind-watermark"
    OUT_OF_ORDER = "out-of-order"
    HELD = "held"
    OUTSIDE_WINDOW = "outside-window"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Window:
    """The blocks with ``from_ <= date < to``; both aware UTC."""

    from_: dt.datetime
    to: dt.datetime


@dataclass(frozen=True, slots=True)
class SkippedBlock:
    """A block that is not processed. ``date`` is None where it cannot be read.

    ``digest`` is as in :class:`PlannedBlock`: it tells whether the block, or one that was edited
    since, has ever been processed.
    """

    line: int
    date: dt.datetime | None
    reason: SkipReason
    digest: str = ""


@dataclass(frozen=True, slots=True)
class PlannedBlock:
    """A selected block.

    ``number`` counts from 0 in the order of execution (oldest first). ``counts_as`` is the date
    that *the newer block wins* compares: the block's date, or the run's *now* if that is earlier.
    ``rules`` are the block's own include and exclude lines in order; ``digest`` (hex) is that of
    its date and commands.
    """

    number: int
    line: int
    date: dt.datetime
    counts_as: dt.datetime
    rules: tuple[Command, ...]
    digest: str


@dataclass(frozen=True, slots=True)
class PlannedCommand:
    """One URL or mask of one command. URLs are normalized, masks as written."""

    line: int
    block: int
    block_line: int
    url: str | None = None
    mask: str | None = None
    mask_kind: MaskKind | None = None
    nofollow: bool = False
    noindex: bool = False


@dataclass(frozen=True, slots=True)
class DroppedCommand:
    """A command that can have no effect, and the line that undoes it.

    It is an ``add`` where it has a ``url``, an ``update`` where it has a ``mask``.
    """

    line: int
    block_line: int
    by_line: int
    url: str | None = None
    mask: str | None = None
    mask_kind: MaskKind | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """All commands of one action type (delete, deletemask, add or update), oldest block first."""

    action: Action
    commands: tuple[PlannedCommand, ...]

    @property
    def crawls(self) -> bool:
        """Whether the step fetches pages; the others remove documents."""
        return self.action in (Action.ADD, Action.UPDATE)


@dataclass(frozen=True, slots=True)
class Plan:
    """What one run will do.

    ``steps`` are only those that have work, in the order delete, deletemask, add, update.
    ``now`` is the start of the run, the same in its retries. ``watermark_after`` is what the run
    sets if it publishes; a window never moves it (then both are equal). Where ``processable`` is
    false a new block has an error: then there are no blocks and no steps, and the watermark stays.
    """

    site: str
    now: dt.datetime
    watermark_before: dt.datetime | None
    watermark_after: dt.datetime | None
    window: Window | None
    blocks: tuple[PlannedBlock, ...]
    skipped: tuple[SkippedBlock, ...]
    steps: tuple[Step, ...]
    dropped: tuple[DroppedCommand, ...]
    diagnostics: tuple[Diagnostic, ...]
    processable: bool = True

    def step(self, action: Action) -> Step | None:
        """The step of that action type, or None where it has no work."""
        return next((step for step in self.steps if step.action is action), None)
