"""What may stand behind the URL or mask of a command, and what is said of what may not.

Rules: docs/spec/01-script-language.md, 1.4.
"""

from __future__ import annotations

from collections.abc import Sequence

from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import (
    MOST_IN_LINE,
    Finding,
    line_not_checked,
    quoted,
)
from site_indexer.index_script.grammar import Grammar
from site_indexer.index_script.model import Severity
from site_indexer.index_script.vocabulary import (
    KEYWORDS,
    NOFOLLOW,
    NOINDEX,
    SERVER_DATE,
    comma_finding,
    unknown_keyword,
)

Flags = tuple[bool, bool, bool]
"""Whether ``nofollow``, ``noindex`` and ``server-date`` are given."""

_NO_FLAGS: Flags = (False, False, False)


def read_flags(
    fields: Sequence[str], index: int, grammar: Grammar, findings: list[Finding]
) -> Flags:
    """Read the keywords from a field on to the end of the line."""
    if index >= len(fields):
        return _NO_FLAGS
    given: set[str] = set()
    for position in range(index, len(fields)):
        field = fields[position]
        if len(findings) >= MOST_IN_LINE:
            findings.append(line_not_checked(position))
            break
        if field.startswith("#"):
            findings.append(comment_at_line_end(position))
            break
        word = field.lower()
        if word not in grammar.keywords:
            findings.append(_wrong_keyword(position, field, grammar))
        elif word in given:
            message = f"`{word}` is given twice."
            hint = "Once is enough."
            findings.append(Finding(position, Code.KEYWORD_TWICE, message, hint, Severity.WARNING))
        given.add(word)
    return NOFOLLOW in given, NOINDEX in given, SERVER_DATE in given


def is_flag(field: str) -> bool:
    """Whether the field is a keyword that stands behind a URL or mask."""
    return "/" not in field and field.lower() in (NOFOLLOW, NOINDEX, SERVER_DATE)


def not_taken(index: int, word: str, grammar: Grammar) -> Finding:
    """Return the error for a keyword of the language that this command has no use for."""
    message = f"`{grammar.action}` does not take `{word}` here."
    return Finding(index, Code.KEYWORD_NOT_TAKEN, message, f"Write: {grammar.usage}")


def comment_at_line_end(index: int) -> Finding:
    """Return the error for a field that starts with ``#``."""
    message = "A comment cannot stand behind a command."
    hint = "Give it a line of its own; a `#` inside a URL is a fragment."
    return Finding(index, Code.COMMENT_AT_LINE_END, message, hint)


def missing(fields: Sequence[str], index: int, code: Code, what: str, grammar: Grammar) -> Finding:
    """Return the error for what should stand at a field, or behind the last one."""
    found = f", but {quoted(fields[index])} follows" if index < len(fields) else ""
    message = f"A {what} is missing behind `{fields[index - 1].lower()}`{found}."
    return Finding(index, code, message, f"Write: {grammar.usage}")


def _wrong_keyword(index: int, field: str, grammar: Grammar) -> Finding:
    word = field.lower()
    if word in KEYWORDS:
        return not_taken(index, word, grammar)
    comma = comma_finding(index, field, KEYWORDS)
    if comma is not None:
        return comma
    if "/" in field or "*" in field:
        message = (
            f"`{grammar.action}` takes one {grammar.target.name}; {quoted(field)} is too much."
        )
        hint = "Write one line for each."
        return Finding(index, Code.EXTRA_FIELD, message, hint)
    return unknown_keyword(index, field)
