"""Reads action lines (docs/spec/01-script-language.md, 1.4)."""

from __future__ import annotations

import datetime as dt
import functools
import re
from collections.abc import Sequence
from typing import Protocol

from site_indexer.errors import UrlError
from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding, is_error, quoted
from site_indexer.index_script.grammar import CutOff, Grammar, Target
from site_indexer.index_script.model import Command, Severity
from site_indexer.index_script.vocabulary import (
    KEYWORDS,
    NOFOLLOW,
    NOINDEX,
    REGEXP,
    SERVER_DATE,
    comma_finding,
    resembling,
    unknown_keyword,
)
from site_indexer.urls import MaskKind, normalize

MOST_DAYS = 36_500

_RULE_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})").fullmatch
_NO_KEYWORDS: frozenset[str] = frozenset()
_MASK_CODES = {
    MaskKind.PREFIX: Code.BAD_PREFIX_MASK,
    MaskKind.WILDCARD: Code.BAD_WILDCARD_MASK,
    MaskKind.REGEXP: Code.BAD_REGEXP_MASK,
}


class MaskChecker(Protocol):
    """Says in a sentence what is wrong with a mask, None if nothing is."""

    def __call__(self, kind: MaskKind, text: str, /) -> str | None:
        """Check the text of a mask, without the word ``regexp``."""
        ...


class CommandReader:
    """Reads the fields of action lines. What is wrong in a line is all found in one reading."""

    def __init__(self, check_mask: MaskChecker) -> None:
        # Scripts name the same few masks over and over; to compile one costs far more than a line.
        self._check_mask = functools.lru_cache(maxsize=4096)(check_mask)

    def read(
        self, line: int, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> Command | None:
        """Read one line, whose first field is the command of ``grammar``.

        Adds what it finds to ``findings``, which is empty before. Returns None where an error
        is among it.
        """
        command: Command | None
        if grammar.target is Target.MASK:
            command = self._mask_command(line, fields, grammar, findings)
        elif grammar.target is Target.URL:
            command = _add(line, fields, grammar, findings)
        else:
            command = _delete(line, fields, grammar, findings)
        return None if findings and any(map(is_error, findings)) else command

    def _mask_command(
        self, line: int, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> Command:
        index, days, date = 1, None, None
        if grammar.cut_off is CutOff.DAYS:
            index, days = _days(fields, grammar, findings)
        elif grammar.cut_off is CutOff.DATE:
            index, date = _rule_date(fields, grammar, findings)
        index, kind, mask = self._mask(fields, index, grammar, findings)
        given = _keywords(fields, index, grammar, findings)
        flags = (NOFOLLOW in given, NOINDEX in given, SERVER_DATE in given)
        return Command(line, grammar.action, (), mask, kind, days, date, *flags)

    def _mask(
        self, fields: Sequence[str], index: int, grammar: Grammar, findings: list[Finding]
    ) -> tuple[int, MaskKind, str]:
        """Read ``MASK`` or ``regexp MASK``; gives the index of the field behind it too."""
        kind = MaskKind.PREFIX
        if index < len(fields) and _is_regexp_word(fields, index, findings):
            kind = MaskKind.REGEXP
            index += 1
        if index == len(fields) or (kind is MaskKind.PREFIX and fields[index].lower() in KEYWORDS):
            what = "regular expression" if kind is MaskKind.REGEXP else "mask"
            findings.append(_missing(fields, index, Code.MISSING_MASK, what, grammar))
            return index, kind, ""
        mask = fields[index]
        if kind is MaskKind.PREFIX and "*" in mask:
            kind = MaskKind.WILDCARD
        sentence = self._check_mask(kind, mask)
        if sentence is not None:
            findings.append(Finding(index, _MASK_CODES[kind], sentence, f"Write: {grammar.usage}"))
        _find_comma_after(fields, index, findings)
        return index + 1, kind, mask


def _add(
    line: int, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
) -> Command | None:
    if len(fields) == 1 or (fields[1].lower() in KEYWORDS and fields[1].lower() != REGEXP):
        findings.append(_missing(fields, 1, Code.MISSING_URL, "URL", grammar))
        _keywords(fields, 1, grammar, findings)
        return None
    url = fields[1]
    if "*" in url or url.lower().rstrip(",") == REGEXP:
        message = f"`add` takes a URL, not a mask, but {quoted(url)} is one."
        hint = "To fetch again all documents that match a mask, use `update`."
        findings.append(Finding(1, Code.MASK_IN_ADD, message, hint))
        return None
    _check_url(fields, 1, findings)
    given = _keywords(fields, 2, grammar, findings) if len(fields) > 2 else _NO_KEYWORDS
    flags = (NOFOLLOW in given, NOINDEX in given)
    return Command(line, grammar.action, (url,), None, None, None, None, *flags)


def _delete(line: int, fields: Sequence[str], grammar: Grammar, findings: list[Finding]) -> Command:
    if len(fields) == 1:
        findings.append(_missing(fields, 1, Code.MISSING_URL, "URL", grammar))
    for index in range(1, len(fields)):
        field = fields[index]
        if field.startswith("#"):
            findings.append(_comment(index))
            break
        word = field.lower()
        if "*" in field or word == REGEXP:
            message = f"`delete` takes URLs, not masks, but {quoted(field)} is one."
            hint = "To remove all documents that match a mask, use `deletemask`."
            findings.append(Finding(index, Code.MASK_IN_DELETE, message, hint))
            if word == REGEXP:
                break  # what follows is an expression
        elif word in KEYWORDS:
            findings.append(_not_taken(index, word, grammar))
        else:
            comma = comma_finding(index, field, KEYWORDS)
            if comma is None:
                _check_url(fields, index, findings)
            else:
                findings.append(comma)
    return Command(line, grammar.action, tuple(fields[1:]))


def _check_url(fields: Sequence[str], index: int, findings: list[Finding]) -> None:
    try:
        normalize(fields[index])
    except UrlError as error:
        hint = error.hint
        findings.append(Finding(index, Code.BAD_URL, error.message, hint))
    _find_comma_after(fields, index, findings)


def _find_comma_after(fields: Sequence[str], index: int, findings: list[Finding]) -> None:
    if fields[index].endswith(",") and index + 1 < len(fields):
        message = f"The comma at the end of {quoted(fields[index])} is part of it."
        hint = "Fields are separated by spaces; if the comma was to separate, drop it."
        findings.append(Finding(index, Code.COMMA_AFTER_URL, message, hint, Severity.WARNING))


def _is_regexp_word(fields: Sequence[str], index: int, findings: list[Finding]) -> bool:
    """Whether the field is, or was meant to be, the word before a regular expression."""
    field = fields[index]
    word = field.lower()
    if word == REGEXP:
        return True
    if index + 1 == len(fields) or "/" in word or "*" in word:
        return False
    comma = comma_finding(index, word, (REGEXP,))
    if comma is not None:
        findings.append(comma)
    elif resembling(word, (REGEXP,)):
        findings.append(unknown_keyword(index, field, (REGEXP,)))
    else:
        return False
    return True


def _days(
    fields: Sequence[str], grammar: Grammar, findings: list[Finding]
) -> tuple[int, int | None]:
    if len(fields) == 1 or _starts_mask(fields[1]):
        findings.append(_missing(fields, 1, Code.MISSING_DAYS, "number of days", grammar))
        return 1, None
    digits = fields[1].lstrip("0") or "0"
    if fields[1].isascii() and fields[1].isdigit() and len(digits) <= 5:
        days = int(digits)
        if days <= MOST_DAYS:
            return 2, days
    message = f"{quoted(fields[1])} is no whole number of days from 0 to {MOST_DAYS}."
    findings.append(Finding(1, Code.BAD_DAYS, message, f"Write: {grammar.usage}"))
    return 2, None


def _rule_date(
    fields: Sequence[str], grammar: Grammar, findings: list[Finding]
) -> tuple[int, dt.date | None]:
    if len(fields) == 1 or _starts_mask(fields[1]):
        findings.append(_missing(fields, 1, Code.MISSING_RULE_DATE, "date", grammar))
        return 1, None
    match = _RULE_DATE(fields[1])
    if match is None:
        message = f"{quoted(fields[1])} is no date of the form YYYY-MM-DD."
    else:
        try:
            return 2, dt.date(int(match[1]), int(match[2]), int(match[3]))
        except ValueError:
            message = f"There is no day {quoted(fields[1])} in the calendar."
    hint = f"Write: {grammar.usage}, as in: {grammar.action} 1994-11-06 https://www.example.com/"
    findings.append(Finding(1, Code.BAD_RULE_DATE, message, hint))
    return 2, None


def _starts_mask(field: str) -> bool:
    return "://" in field or "*" in field or field.lower() in KEYWORDS


def _keywords(
    fields: Sequence[str], index: int, grammar: Grammar, findings: list[Finding]
) -> frozenset[str]:
    """Read the keywords from a field on to the end of the line."""
    if index >= len(fields):
        return _NO_KEYWORDS
    given: set[str] = set()
    for position in range(index, len(fields)):
        field = fields[position]
        if field.startswith("#"):
            findings.append(_comment(position))
            break
        word = field.lower()
        if word not in grammar.keywords:
            findings.append(_wrong_keyword(position, field, grammar))
        elif word in given:
            message = f"`{word}` is given twice."
            hint = "Once is enough."
            findings.append(Finding(position, Code.KEYWORD_TWICE, message, hint, Severity.WARNING))
        given.add(word)
    return frozenset(given)


def _wrong_keyword(index: int, field: str, grammar: Grammar) -> Finding:
    word = field.lower()
    if word in KEYWORDS:
        return _not_taken(index, word, grammar)
    comma = comma_finding(index, field, KEYWORDS)
    if comma is not None:
        return comma
    if "://" in field:
        message = (
            f"`{grammar.action}` takes one {grammar.target.name}; {quoted(field)} is too much."
        )
        hint = "Write one line for each."
        return Finding(index, Code.EXTRA_FIELD, message, hint)
    return unknown_keyword(index, field)


def _not_taken(index: int, word: str, grammar: Grammar) -> Finding:
    message = f"`{grammar.action}` does not take `{word}` here."
    return Finding(index, Code.KEYWORD_NOT_TAKEN, message, f"Write: {grammar.usage}")


def _comment(index: int) -> Finding:
    message = "A comment cannot stand behind a command."
    hint = "Give it a line of its own; a `#` inside a URL is a fragment."
    return Finding(index, Code.COMMENT_AT_LINE_END, message, hint)


def _missing(fields: Sequence[str], index: int, code: Code, what: str, grammar: Grammar) -> Finding:
    found = f", but {quoted(fields[index])} follows" if index < len(fields) else ""
    message = f"A {what} is missing behind `{fields[index - 1].lower()}`{found}."
    return Finding(index, code, message, f"Write: {grammar.usage}")
