"""What the use cases take and give. All results are small and JSON-safe by ``as_dict``."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Protocol, Self

from site_indexer.index_store.names import Target
from site_indexer.planning.model import Window


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run of one site, the same in all its tasks and their retries.

    ``run_id`` and ``clear_number`` (how often the run was cleared) name the run; ``now`` is its
    start, aware UTC. With ``window`` the watermark neither selects nor moves.
    """

    site: str
    target: Target
    run_id: str
    now: dt.datetime
    clear_number: int = 0
    clear_date: bool = False
    dry_run: bool = False
    window: Window | None = None


class Watermarks(Protocol):
    """Where the date of the last block processed is remembered, per site and target."""

    def get(self, site: str, target: Target) -> dt.datetime | None:
        """The watermark, or None where there is none. Raises ConfigurationError if unreadable."""
        ...

    def set(self, site: str, target: Target, value: dt.datetime) -> None:
        """Remember a watermark, and prove by reading it back that it is kept."""
        ...

    def clear(self, site: str, target: Target) -> None:
        """Forget the watermark: the next run sees every block as new."""
        ...

    @property
    def outlives_index(self) -> bool:
        """Whether they are kept elsewhere than the index, so that one may be lost alone."""
        ...

    def place(self, site: str, target: Target) -> str:
        """Where a person finds it, as words for a message."""
        ...


class Runs(Protocol):
    """What became of other runs, as far as it can be known."""

    def has_ended(self, site: str, run_id: str) -> bool:
        """Whether a run has certainly ended, so that it takes no answer any more.

        ``run_id`` is as in the index log. False where that is not known.
        """
        ...


@dataclass(frozen=True, slots=True)
class ScriptRead:
    """What reading the script came to.

    ``digest`` names the stored plan (None where there is no work, or in a dry run); ``summary`` is
    the sentence for a person. ``selected`` counts new blocks, ``retried`` pages that an earlier run
    could not fetch, ``never_processed`` blocks behind the watermark that no run has processed.
    ``ends_as``: the run's status where it has no work.
    """

    has_work: bool
    digest: str | None
    summary: str
    script_url: str
    script_digest: str
    selected: int
    skipped: Mapping[str, int]
    action_types: tuple[str, ...]
    commands: Mapping[str, int]
    watermark_before: str | None
    watermark_after: str | None
    errors: int = 0
    warnings: int = 0
    retried: int = 0
    never_processed: int = 0
    ends_as: str = "unchanged"

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Planned:
    """The plan in short, and as a table for people."""

    digest: str | None
    action_types: tuple[str, ...]
    commands: Mapping[str, int]
    table: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What the change set holds, once every planned task has ended.

    ``question`` is what a person has to agree to before it is published, None where nothing.
    """

    digest: str
    counts: Mapping[str, int]
    summary: str
    question: Mapping[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form."""
        return asdict(self)


class RunStatus(StrEnum):
    """How a run ended (docs/spec/05-index-lifecycle.md, *What ends how*)."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"
    HELD = "held"
    DRY_RUN = "dry-run"
    WAITING_FOR_APPROVAL = "waiting-for-approval"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class PublishOutcome:
    """What publishing did. ``status`` is published or unchanged."""

    status: RunStatus
    generation: str | None
    alias: str
    base: str
    documents_before: int
    documents_after: int
    written: int
    removed: int
    refused: int
    rejected: int
    watermark_before: str | None
    watermark_after: str | None
    summary: str

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A whole run, as the shell's ``run`` prints it (docs/spec/08-shell.md)."""

    run_id: str
    status: RunStatus
    generation: str | None
    alias: str
    watermark_before: str | None
    watermark_after: str | None
    counts: Mapping[str, int]
    seconds: float
    diagnostics: tuple[Mapping[str, Any], ...] = field(default=())

    @classmethod
    def of_publish(
        cls,
        run_id: str,
        outcome: Mapping[str, Any],
        counts: Mapping[str, int],
        seconds: float,
        diagnostics: tuple[Mapping[str, Any], ...] = (),
    ) -> Self:
        """The result of a run that published, from a publish outcome's ``as_dict``.

        ``counts`` are those of the review; what was really written and removed replaces them.
        """
        return cls(
            run_id=run_id,
            status=RunStatus(outcome["status"]),
            generation=outcome["generation"],
            alias=outcome["alias"],
            watermark_before=outcome["watermark_before"],
            watermark_after=outcome["watermark_after"],
            counts={
                **counts,
                "indexed": outcome["written"],
                "removed": outcome["removed"],
                "refused_by_newer": outcome["refused"],
                "rejected": outcome["rejected"],
                "documents": outcome["documents_after"],
            },
            seconds=round(seconds, 3),
            diagnostics=diagnostics,
        )

    def as_dict(self) -> dict[str, Any]:
        """JSON-safe form."""
        return asdict(self)
