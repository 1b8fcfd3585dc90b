"""What is found in one line, before it is known where in the file the line stands."""

from __future__ import annotations

from dataclasses import dataclass

from site_indexer.index_script.codes import Code
from site_indexer.index_script.model import Severity

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
