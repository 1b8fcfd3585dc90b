"""The brake: whether what is to be published would lose too much to go unasked.

Pure: it counts what would be gone and compares with the site's limits
(docs/spec/05-index-lifecycle.md, 5.9).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

FEW = 20
"""So many documents may always vanish, unless they are more than half of all."""
HALF = 0.5


class Limits(Protocol):
    """The limits of a site file's ``brake`` section; shares from 0 to 1."""

    @property
    def max_removed(self) -> float: ...  # noqa: D102
    @property
    def max_commanded(self) -> float: ...  # noqa: D102
    @property
    def min_documents(self) -> int: ...  # noqa: D102


class Reason(StrEnum):
    """Why the brake trips."""

    VANISHED = "max-removed"
    COMMANDED = "max-commanded"
    HALF = "more-than-half"
    NOTHING_LEFT = "nothing-left"
    TOO_FEW = "min-documents"


@dataclass(frozen=True, slots=True)
class Gone:
    """A document that searchers see now and would not see any more.

    ``cause`` is for people; ``line`` is that of the script, where one is known. ``commanded``: a
    ``delete`` or ``deletemask`` line says so; else it vanished.
    """

    document_id: str
    url: str
    cause: str
    line: int | None = None
    commanded: bool = False


@dataclass(frozen=True, slots=True)
class Loss:
    """What would be lost of ``before`` documents, and how many there would be then."""

    before: int
    after: int
    gone: tuple[Gone, ...]

    @property
    def commanded(self) -> int:
        """How many go by ``delete`` and ``deletemask`` lines."""
        return sum(each.commanded for each in self.gone)

    @property
    def vanished(self) -> int:
        """How many go without such a line."""
        return len(self.gone) - self.commanded

    @property
    def digest(self) -> str:
        """The name of this very list of removals: hex, the same in whatever order they come."""
        listed = "\n".join(sorted(each.document_id for each in self.gone))
        return hashlib.sha256(listed.encode()).hexdigest()[:32]

    def by_cause(self) -> list[tuple[str, int | None, int]]:
        """Cause, line and number of documents, most first."""
        counted = Counter((each.cause, each.line) for each in self.gone)
        ordered = sorted(counted.items(), key=lambda one: (-one[1], one[0][0], one[0][1] or 0))
        return [(cause, line, count) for (cause, line), count in ordered]


def trips(loss: Loss, limits: Limits) -> tuple[Reason, ...]:
    """Why a person has to be asked; nothing where nobody has to.

    That an index becomes smaller for a while is nothing to ask about where it is empty anyway.
    """
    before, vanished, commanded = loss.before, loss.vanished, loss.commanded
    half_counts = limits.max_removed < HALF
    found = {
        Reason.VANISHED: (vanished > limits.max_removed * before and vanished > FEW)
        or (half_counts and vanished > HALF * before),
        Reason.COMMANDED: commanded > limits.max_commanded * before,
        Reason.HALF: half_counts
        and bool(vanished and commanded)
        and vanished + commanded > max(HALF, limits.max_commanded) * before,
        Reason.NOTHING_LEFT: before > 0 and loss.after == 0,
        Reason.TOO_FEW: loss.after < limits.min_documents,
    }
    return tuple(reason for reason, applies in found.items() if applies)


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a person has agreed to: a list of removals, its size, and for which reasons."""

    digest: str
    vanished: int
    commanded: int
    reasons: frozenset[str]


def exceeds(loss: Loss, reasons: tuple[Reason, ...], allowed: Allowed) -> bool:
    """Whether more would go than was agreed to.

    The index may have changed since: fewer removals are fine, and so is the same list.
    """
    if loss.digest == allowed.digest:
        return not allowed.reasons.issuperset(reasons)
    return (
        loss.vanished > allowed.vanished
        or loss.commanded > allowed.commanded
        or not allowed.reasons.issuperset(reasons)
    )


def in_words(reason: Reason, limits: Limits) -> str:
    """Why the brake trips, as a sentence without its full stop."""
    words: Mapping[Reason, str] = {
        Reason.VANISHED: (
            f"more than max_removed ({limits.max_removed:.0%}"
            + (", or half of all" if limits.max_removed < HALF else "")
            + ") would vanish without a delete line"
        ),
        Reason.COMMANDED: (
            f"more than max_commanded ({limits.max_commanded:.0%}) would go by delete lines"
        ),
        Reason.HALF: (
            f"more than {max(HALF, limits.max_commanded):.0%} would go, by delete lines and without"
        ),
        Reason.NOTHING_LEFT: "nothing would be left",
        Reason.TOO_FEW: f"fewer than min_documents ({limits.min_documents}) would be left",
    }
    return words[reason]
