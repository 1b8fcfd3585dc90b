"""Reads action lines (docs/spec/01-script-language.md, 1.4)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from site_indexer.errors import UrlError
from site_indexer.index_script.codes import Code
from site_indexer.index_script.cut_offs import read_days, read_rule_date
from site_indexer.index_script.findings import (
    MOST_IN_LINE,
    Finding,
    is_error,
    line_not_checked,
    quoted,
)
from site_indexer.index_script.flags import (
    comment_at_line_end,
    is_flag,
    missing,
    not_taken,
    read_flags,
)
from site_indexer.index_script.grammar import CutOff, Grammar, Target
from site_indexer.index_script.model import Action
from site_indexer.index_script.spelling import Parts
from site_indexer.index_script.suspicions import (
    looks_like_expression,
    suspicions_of_mask,
    suspicions_of_url,
)
from site_indexer.index_script.vocabulary import (
    KEYWORDS,
    REGEXP,
    comma_finding,
    resembling,
    unknown_keyword,
)
from site_indexer.urls import MaskKind, normalize, normalize_prefix

_MASK_CODES = {
    MaskKind.PREFIX: Code.BAD_PREFIX_MASK,
    MaskKind.WILDCARD: Code.BAD_WILDCARD_MASK,
    MaskKind.REGEXP: Code.BAD_REGEXP_MASK,
}

# Commands whose masks must be of the site; rules may match what they like.
_OF_THE_SITE = (Action.UPDATE, Action.DELETEMASK)


class MaskChecker(Protocol):
    """Says in a sentence what is wrong with a mask, None if nothing is."""

    def __call__(self, kind: MaskKind, text: str, /) -> str | None:
        """Check the text of a mask, without the word ``regexp``."""
        ...


class HostChecker(Protocol):
    """Says what is wrong with the host of a URL, as message and hint; None if nothing is."""

    def __call__(self, url: str, /) -> tuple[str, str] | None:
        """Check a normalized URL, or a prefix mask in the form of one."""
        ...


class CommandReader:
    """Reads the fields of action lines. What is wrong in a line is all found in one reading."""

    def __init__(self, check_mask: MaskChecker, check_host: HostChecker | None = None) -> None:
        # Scripts name the same few masks over and over; to compile one costs far more than a line.
        self._check_mask = functools.lru_cache(maxsize=4096)(check_mask)
        self._check_host = check_host
        self._host_of_mask = functools.lru_cache(maxsize=4096)(self._problem_of_mask)

    def read(
        self, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> Parts | None:
        """Read one line, whose first field is the command of ``grammar``.

        Adds what it finds to ``findings``. Returns None where an error is among them.
        """
        parts: Parts | None
        if grammar.target is Target.MASK:
            parts = self._mask_command(fields, grammar, findings)
        elif grammar.target is Target.URL:
            parts = self._add(fields, grammar, findings)
        else:
            parts = self._delete(fields, grammar, findings)
        if findings and any(map(is_error, findings)):
            return None
        return parts

    def allows(self, origin: str) -> bool:
        """Whether URLs that start with a normalized origin may be crawled and removed."""
        return self._check_host is None or self._host_of_mask(origin) is None

    def accepts(self, prefix: str) -> bool:
        """Whether a prefix mask can be used."""
        return self._check_mask(MaskKind.PREFIX, prefix) is None

    def _mask_command(
        self, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> Parts:
        index, days, date = 1, None, None
        if grammar.cut_off is CutOff.DAYS:
            index, days = read_days(fields, grammar, findings)
        elif grammar.cut_off is CutOff.DATE:
            index, date = read_rule_date(fields, grammar, findings)
        index, kind, mask = self._mask(fields, index, grammar, findings)
        return (), mask, kind, days, date, *read_flags(fields, index, grammar, findings)

    def _mask(
        self, fields: Sequence[str], index: int, grammar: Grammar, findings: list[Finding]
    ) -> tuple[int, MaskKind, str]:
        """Read ``MASK`` or ``regexp MASK``; gives the index of the field behind it too."""
        kind = MaskKind.PREFIX
        if index < len(fields) and _is_regexp_word(fields, index, findings):
            kind = MaskKind.REGEXP
            index += 1
        if index == len(fields) or (kind is MaskKind.PREFIX and is_flag(fields[index])):
            what = "regular expression" if kind is MaskKind.REGEXP else "mask"
            findings.append(missing(fields, index, Code.MISSING_MASK, what, grammar))
            return index, kind, ""
        mask = fields[index]
        if kind is MaskKind.PREFIX and "*" in mask:
            kind = MaskKind.WILDCARD
        sentence = self._check_mask(kind, mask)
        if sentence is not None:
            findings.append(_bad_mask(index, kind, sentence, mask, grammar))
        elif kind is MaskKind.PREFIX and grammar.action in _OF_THE_SITE:
            problem = self._host_of_mask(mask)
            if problem is not None:
                findings.append(Finding(index, Code.FOREIGN_HOST, *problem))
        if sentence is None:
            findings.extend(suspicions_of_mask(fields, index, kind))
        findings.extend(suspicions_of_url(fields, index))
        return index + 1, kind, mask

    def _add(
        self, fields: Sequence[str], grammar: Grammar, findings: list[Finding]
    ) -> Parts | None:
        if len(fields) == 1 or is_flag(fields[1]):
            findings.append(missing(fields, 1, Code.MISSING_URL, "URL", grammar))
            read_flags(fields, 1, grammar, findings)
            return None
        url = fields[1]
        if _is_mask(url):
            message = f"`add` takes a URL, not a mask, but {quoted(url)} is one."
            hint = "To fetch again all documents that match a mask, use `update`."
            findings.append(Finding(1, Code.MASK_IN_ADD, message, hint))
            if "*" in url:  # what follows the word regexp is an expression
                read_flags(fields, 2, grammar, findings)
            return None
        self._check_url(fields, 1, findings)
        flags = read_flags(fields, 2, grammar, findings)
        return (url,), None, None, None, None, *flags

    def _delete(self, fields: Sequence[str], grammar: Grammar, findings: list[Finding]) -> Parts:
        if len(fields) == 1:
            findings.append(missing(fields, 1, Code.MISSING_URL, "URL", grammar))
        for index in range(1, len(fields)):
            field = fields[index]
            if len(findings) >= MOST_IN_LINE:
                findings.append(line_not_checked(index))
                break
            if field[0] == "#":
                findings.append(comment_at_line_end(index))
                break
            if _is_mask(field):
                message = f"`delete` takes URLs, not masks, but {quoted(field)} is one."
                hint = "To remove all documents that match a mask, use `deletemask`."
                findings.append(Finding(index, Code.MASK_IN_DELETE, message, hint))
                if "*" not in field:
                    break  # what follows the word regexp is an expression
            elif "/" in field:
                self._check_url(fields, index, findings)
            else:
                self._check_word_in_delete(fields, index, grammar, findings)
        return tuple(fields[1:]), None, None, None, None, False, False, False

    def _check_word_in_delete(
        self, fields: Sequence[str], index: int, grammar: Grammar, findings: list[Finding]
    ) -> None:
        comma = comma_finding(index, fields[index], KEYWORDS)
        if comma is not None:
            findings.append(comma)
        elif is_flag(fields[index]):
            findings.append(not_taken(index, fields[index].lower(), grammar))
        else:
            self._check_url(fields, index, findings)

    def _check_url(self, fields: Sequence[str], index: int, findings: list[Finding]) -> None:
        try:
            url = normalize(fields[index])
        except UrlError as error:
            findings.append(Finding(index, Code.BAD_URL, error.message, error.hint))
        else:
            problem = None if self._check_host is None else self._check_host(url)
            if problem is not None:
                findings.append(Finding(index, Code.FOREIGN_HOST, *problem))
        findings.extend(suspicions_of_url(fields, index))

    def _problem_of_mask(self, mask: str) -> tuple[str, str] | None:
        return None if self._check_host is None else self._check_host(normalize_prefix(mask))


def _is_mask(field: str) -> bool:
    """Whether the field is, or starts, a mask that is more than a URL."""
    return "*" in field or ("/" not in field and field.lower().rstrip(",") == REGEXP)


def _bad_mask(index: int, kind: MaskKind, sentence: str, mask: str, grammar: Grammar) -> Finding:
    hint = f"Write: {grammar.usage}"
    if kind is not MaskKind.REGEXP and looks_like_expression(mask):
        hint = f"A regular expression needs the word `regexp` before it. {hint}"
    return Finding(index, _MASK_CODES[kind], sentence, hint)


def _is_regexp_word(fields: Sequence[str], index: int, findings: list[Finding]) -> bool:
    """Whether the field is, or was meant to be, the word before a regular expression."""
    field = fields[index]
    if "/" in field:
        return False
    word = field.lower()
    if word == REGEXP:
        return True
    if index + 1 == len(fields) or "*" in word:
        return False
    comma = comma_finding(index, word, (REGEXP,))
    if comma is not None:
        findings.append(comma)
    elif resembling(word, (REGEXP,)):
        findings.append(unknown_keyword(index, field, (REGEXP,)))
    else:
        return False
    return True
