"""Collects the diagnostics of a file (docs/spec/01-script-language.md, 1.6)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable

from site_indexer.errors import TooManyErrorsError
from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding
from site_indexer.index_script.lines import WHITE_SPACE, UndecodableLine
from site_indexer.index_script.model import Diagnostic, Severity

MOST_ERRORS = 100_000
MOST_WARNINGS = 100_000
LONGEST_TEXT = 2_000
"""A diagnostic shows its line; one of megabytes would be shown for each of its errors."""

_FIELD = re.compile(r"[^ \t]+")


class DiagnosticLog:
    """Turns the findings of lines into diagnostics, and keeps them within bounds.

    A wrong file of gigabytes, or a script with every weekday wrong, must not fill the memory of
    the worker that reads it.
    """

    def __init__(
        self, source: str, *, most_errors: int = MOST_ERRORS, most_warnings: int = MOST_WARNINGS
    ) -> None:
        self._source = source
        self._diagnostics: list[Diagnostic] = []
        self._most_errors = most_errors
        self._most_warnings = most_warnings
        self._errors = 0
        self._warnings = 0
        self._last_unlisted: Diagnostic | None = None

    def report(self, line: int, raw: str, findings: Iterable[Finding]) -> None:
        """Add what was found in one line, whose text is ``raw``.

        Raises :class:`~site_indexer.errors.TooManyErrorsError` at the first error too many.
        """
        findings = list(findings)
        columns = _columns(raw, max((found.field for found in findings), default=0))
        text = _shown(raw)
        for found in findings:
            column = columns[min(found.field, len(columns) - 1)]
            code = found.code.value
            self._add(
                Diagnostic(found.severity, code, line, column, found.message, found.hint, text)
            )

    def report_undecodable(self, first: UndecodableLine) -> None:
        """Add the warning of the first line that is no UTF-8."""
        hint = "Save the file as UTF-8."
        if first.text.startswith(("\xff\xfe", "\xfe\xff")):
            hint = "The file looks like UTF-16. " + hint
        message = "This line is not UTF-8; it and all others that are not are read as Latin-1."
        warning = (Severity.WARNING, Code.NOT_UTF8.value, first.line, first.column, message, hint)
        self._diagnostics.append(Diagnostic(*warning, _shown(first.text)))

    def in_line_order(self) -> tuple[Diagnostic, ...]:
        """Return all diagnostics; where some are not listed, the last one says how many."""
        listed = sorted(self._diagnostics, key=lambda found: (found.line, found.column))
        if self._last_unlisted is not None:
            listed.append(self._more_warnings(self._last_unlisted))
        return tuple(listed)

    def _add(self, diagnostic: Diagnostic) -> None:
        if diagnostic.severity is Severity.ERROR:
            self._errors += 1
            if self._errors > self._most_errors:
                raise self._too_many_errors()
        else:
            self._warnings += 1
            if self._warnings > self._most_warnings:
                self._last_unlisted = diagnostic
                return
        self._diagnostics.append(diagnostic)

    def _more_warnings(self, last: Diagnostic) -> Diagnostic:
        unlisted = self._warnings - self._most_warnings
        return Diagnostic(
            Severity.WARNING,
            Code.MORE_WARNINGS.value,
            last.line,
            last.column,
            f"{unlisted:,} more warnings are not listed; this is the line of the last one.",
            "Mend what the others are about, and check the script again.",
            last.text,
        )

    def _too_many_errors(self) -> TooManyErrorsError:
        errors = (found for found in self._diagnostics if found.severity is Severity.ERROR)
        first = next(errors, None)
        where = "" if first is None else f" The first is in line {first.line}: {first.message}"
        return TooManyErrorsError(
            f"{self._source} has more than {self._most_errors:,} errors.{where}",
            hint="Check whether the file is an index script at all.",
            source=self._source,
        )


def _shown(raw: str) -> str:
    return raw if len(raw) <= LONGEST_TEXT else raw[:LONGEST_TEXT] + "..."


def _columns(raw: str, last: int) -> list[int]:
    """Return the columns of the fields up to one, or, if there are less, that behind the last."""
    end = len(raw.rstrip(WHITE_SPACE))
    start = len(raw) - len(raw.lstrip(WHITE_SPACE))
    found = itertools.islice(_FIELD.finditer(raw, start, end), last + 1)
    return [*(match.start() + 1 for match in found), end + 1]
