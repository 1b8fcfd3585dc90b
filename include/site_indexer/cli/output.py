"""What commands write: text for people, or one JSON document on standard output."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from site_indexer.errors import PermanentError, SiteIndexerError


class NotConfirmedError(PermanentError):
    """A command that changes something was not told to go on."""

    code = "not-confirmed"


class Output:
    """Standard output in the form that ``--format`` asked for."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    @property
    def colour(self) -> bool:
        """Whether text may be coloured: on a terminal that can, unless NO_COLOR is set."""
        wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        return wanted and sys.stdout.isatty()

    def document(self, value: Any) -> None:  # noqa: ANN401 - any JSON value
        """Write one JSON document."""
        json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
        sys.stdout.write("\n")

    def json_lines(self, values: Iterable[Any]) -> None:
        """Write one JSON document a line."""
        for value in values:
            sys.stdout.write(json.dumps(value, ensure_ascii=False) + "\n")

    def text(self, line: str = "") -> None:
        """Write a line for people."""
        sys.stdout.write(line + "\n")

    def table(self, heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Write rows under their heads in columns."""
        cells = [list(heads), *([str("" if c is None else c) for c in row] for row in rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
        for row in cells:
            line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            self.text(line.rstrip())

    def facts(self, facts: Mapping[str, object]) -> None:
        """Write named values: one JSON document, or a line each."""
        if self.as_json:
            self.document(dict(facts))
            return
        for name, value in facts.items():
            self.text(f"{name}: {value}")

    def error(self, error: SiteIndexerError) -> None:
        """Write an error: a JSON document on standard output, or text on standard error."""
        if self.as_json:
            self.document({"error": error.as_json()})
        else:
            sys.stderr.write(f"error: {error.message}\n")
            if error.hint:
                sys.stderr.write(f"       {error.hint}\n")

    def confirm(self, what: str, *, yes: bool) -> None:
        """Say what will be done and ask, unless ``--yes`` was given.

        Raises NotConfirmedError where the answer is no, and where there is nobody to ask.
        """
        sys.stderr.write(what + "\n")
        if yes:
            return
        if not sys.stdin.isatty():
            raise NotConfirmedError(
                "Not confirmed: no terminal to ask on.", hint="Give --yes to do it unasked."
            )
        sys.stderr.write("Go on? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
            raise NotConfirmedError("Not confirmed: nothing was changed.")
