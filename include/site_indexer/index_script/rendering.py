"""Scripts and diagnostics as JSON (docs/spec/08-shell.md, *lint*) and as text for people."""

from __future__ import annotations

import datetime as dt
import unicodedata

from site_indexer.index_script.grammar import GRAMMARS
from site_indexer.index_script.model import Block, Command, Diagnostic, IndexScript, Severity
from site_indexer.index_script.vocabulary import NOFOLLOW, NOINDEX, SERVER_DATE

_COLOURS = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m"}
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"
_WITHOUT_WIDTH = ("Mn", "Me")  # marks that stand on the character before
_BEFORE, _SHOWN = 60, 100  # characters of a long line that are shown before the caret, and in all


def script_as_json(script: IndexScript) -> dict[str, object]:
    """Return the document of ``lint``. Commands without a date line are in no block of it."""
    return {
        "source": script.source,
        "encoding": script.encoding,
        "blocks": [block_as_json(block) for block in script.blocks if block.has_date_line],
        "diagnostics": [diagnostic_as_json(diagnostic) for diagnostic in script.diagnostics],
    }


def block_as_json(block: Block) -> dict[str, object]:
    """Return a block; its date and form are null where the date cannot be read."""
    return {
        "line": block.line,
        "date": None if block.date is None else date_as_json(block.date),
        "date_form": None if block.date_form is None else block.date_form.value,
        "commands": [command_as_json(command) for command in block.commands],
    }


def command_as_json(command: Command) -> dict[str, object]:
    """Return a command with the fields that it can have; those it cannot have are left out."""
    document: dict[str, object] = {"line": command.line, "action": command.action.value}
    if command.urls:
        document["urls"] = list(command.urls)
    if command.mask is not None and command.mask_kind is not None:
        document |= {"mask": command.mask, "mask_kind": command.mask_kind.value}
    if command.days is not None:
        document["days"] = command.days
    if command.date is not None:
        document["date"] = command.date.isoformat()
    keywords = GRAMMARS[command.action.value].keywords
    flags = {
        NOFOLLOW: command.nofollow,
        NOINDEX: command.noindex,
        SERVER_DATE: command.server_date,
    }
    return document | {
        keyword.replace("-", "_"): given for keyword, given in flags.items() if keyword in keywords
    }


def diagnostic_as_json(diagnostic: Diagnostic) -> dict[str, object]:
    """Return a diagnostic; ``line`` and ``column`` count from 1."""
    return {
        "severity": diagnostic.severity.value,
        "code": diagnostic.code,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "hint": diagnostic.hint,
        "text": diagnostic.text,
    }


def date_as_json(date: dt.datetime) -> str:
    """Return an aware date as ISO 8601 in UTC, whole seconds, with ``Z``."""
    return date.astimezone(dt.UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def render_diagnostic(diagnostic: Diagnostic, source: str, *, colour: bool = False) -> str:
    """Return a diagnostic for people, without a line end at its end.

    Below ``source:line:column: severity: message [code]`` stand the line with a caret under the
    column, and the hint. Control characters of the line are shown as ``?``, so that a script
    cannot steer a terminal. ``colour`` adds ANSI colours.
    """
    bold, plain = (_BOLD, _PLAIN) if colour else ("", "")
    level = f"{_COLOURS[diagnostic.severity] if colour else ''}{diagnostic.severity.value}{plain}"
    where = f"{bold}{printable(source)}:{diagnostic.line}:{diagnostic.column}:{plain}"
    line, caret = _excerpt(diagnostic.text, diagnostic.column - 1)
    rendered = [
        f"{where} {level}: {printable(diagnostic.message)} [{diagnostic.code}]",
        f"    {line}",
        f"    {caret}",
    ]
    if diagnostic.hint:
        rendered.append(f"    {printable(diagnostic.hint)}")
    return "\n".join(rendered)


def _excerpt(text: str, position: int) -> tuple[str, str]:
    """Return the part of a line around a position, and a caret under it."""
    start = max(0, position - _BEFORE) if len(text) > _SHOWN else 0
    shown = text[start : start + _SHOWN]
    before, after = "..." if start else "", "..." if start + _SHOWN < len(text) else ""
    padding = "".join(map(_blank, text[start:position]))
    line = before + "".join(char if char == "\t" else printable(char) for char in shown) + after
    return line, " " * len(before) + padding + "^"


def _blank(char: str) -> str:
    """Return what is as wide as a character on a terminal, and shows nothing.

    A tab stays a tab above and below, so that the caret stands right whatever a tab's width.
    """
    if char == "\t":
        return char
    if unicodedata.category(char) in _WITHOUT_WIDTH:
        return ""
    return "  " if unicodedata.east_asian_width(char) in ("W", "F") else " "


def printable(text: str) -> str:
    """Return the text with control characters as ``?``, so that it cannot steer a terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "?" for c in text)
