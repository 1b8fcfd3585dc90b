"""What is found in one line, before it is known where in the file the line stands."""

from __future__ import annotations

from dataclasses import dataclass

from site_indexer.index_script.codes import Code
from site_indexer.index_script.model import Severity

MOST_IN_LINE = 1_000
"""How many findings a line may have before the rest of it is left unchecked, which is an error."""

MOST_FIELDS = 100_000
"""How many fields of a line are read; one with more is an error."""

_LONGEST_QUOTE = 100


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding.

    ``field`` counts the line's fields from 0; the number of fields means the line's end, where
    something is missing.
    """

    field: int
    code: Code
    message: str
    hint: str = ""
    severity: Severity = Severity.ERROR


def quoted(text: str) -> str:
    """Return a field as messages show it, cut where it is long."""
    return f"`{text}`" if len(text) <= _LONGEST_QUOTE else f"`{text[:_LONGEST_QUOTE]}...`"


def is_error(finding: Finding) -> bool:
    """Whether the finding makes its line an error line."""
    return finding.severity is Severity.ERROR


def too_many_fields() -> Finding:
    """Return the error for a line of which not all fields are read."""
    message = f"This line has more than {MOST_FIELDS:,} fields; nothing behind them is read."
    return Finding(MOST_FIELDS, Code.LINE_NOT_CHECKED, message, "Write several lines.")


def line_not_checked(field: int) -> Finding:
    """Return the error for a line that has so many findings that the rest is not checked."""
    message = f"This line has more than {MOST_IN_LINE:,} findings; nothing from here on is checked."
    return Finding(field, Code.LINE_NOT_CHECKED, message, "Mend those before.")
