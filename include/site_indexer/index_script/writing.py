"""Writes blocks in the form in which the parser reads them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from site_indexer.errors import ScriptError
from site_indexer.index_script.commands import MaskChecker
from site_indexer.index_script.date_forms import rfc1123
from site_indexer.index_script.model import Command, Diagnostic, Severity
from site_indexer.index_script.parser import parse
from site_indexer.index_script.rendering import printable
from site_indexer.index_script.spelling import line_of


def format_date_line(date: dt.datetime) -> str:
    """Return the date line of an aware date, in the HTTP/1.1 form and GMT, whole seconds."""
    return f"date {rfc1123(date.astimezone(dt.UTC))}"


def format_block(date: dt.datetime, commands: Iterable[Command]) -> str:
    """Return the text of a block, each line with its LF."""
    lines = [format_date_line(date), *map(line_of, commands)]
    return "".join(f"{line}\n" for line in lines)


def compose_block(date: dt.datetime, lines: Iterable[str], *, check_mask: MaskChecker) -> str:
    """Return the text of a block with these action lines, each with its LF.

    Raises :class:`~site_indexer.errors.ScriptError` where they are not the commands of one block.
    """
    text = "".join(f"{line.strip()}\n" for line in (format_date_line(date), *lines))
    script = parse(text.encode("utf-8", "replace"), source="the new block", check_mask=check_mask)
    first_error = next((d for d in script.diagnostics if d.severity is Severity.ERROR), None)
    if first_error is not None:
        raise _refusal(first_error)
    if len(script.blocks) != 1:
        raise ScriptError(
            "The lines make more than one block.",
            hint="Give action commands only: no blank line, and no date line of their own.",
        )
    return text


def separator_before_block(end_of_file: bytes) -> str:
    """Return what must stand between the end of a file, as its last bytes, and a new block.

    An empty file needs nothing, any other a line end, if it has none, and a blank line.
    """
    if not end_of_file:
        return ""
    lines = end_of_file.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    if lines[-1].strip():
        return "\n\n"
    if len(lines) > 2 and not lines[-1] and not lines[-2].strip():
        return ""
    # An LF behind a CR would be one line end with it.
    return "\r" if end_of_file.endswith(b"\r") else "\n"


def _refusal(diagnostic: Diagnostic) -> ScriptError:
    return ScriptError(
        f"{diagnostic.message} The line: {printable(diagnostic.text)}",
        hint=diagnostic.hint,
        code_of_line=diagnostic.code,
    )
