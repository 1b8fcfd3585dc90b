"""The cut-offs of date rules: a number of days, or a day (docs/spec/01-script-language.md, 1.4)."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from site_indexer.index_script.codes import Code
from site_indexer.index_script.findings import Finding, quoted
from site_indexer.index_script.flags import missing
from site_indexer.index_script.grammar import Grammar
from site_indexer.index_script.vocabulary import KEYWORDS

MOST_DAYS = 36_500

_RULE_DATE = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})").fullmatch


def read_days(
    fields: Sequence[str], grammar: Grammar, findings: list[Finding]
) -> tuple[int, int | None]:
    """Read ``N``; returns the index of the field behind it, and None for a number that is none."""
    if len(fields) == 1 or _starts_mask(fields[1]):
        findings.append(missing(fields, 1, Code.MISSING_DAYS, "number of days", grammar))
        return 1, None
    digits = fields[1].lstrip("0") or "0"
    if fields[1].isascii() and fields[1].isdigit() and len(digits) <= 5:
        days = int(digits)
        if days <= MOST_DAYS:
            return 2, days
    message = f"{quoted(fields[1])} is no whole number of days from 0 to {MOST_DAYS}."
    findings.append(Finding(1, Code.BAD_DAYS, message, f"Write: {grammar.usage}"))
    return 2, None


def read_rule_date(
    fields: Sequence[str], grammar: Grammar, findings: list[Finding]
) -> tuple[int, dt.date | None]:
    """Read ``YYYY-MM-DD``; returns the index of the field behind it, and None for no such day."""
    if len(fields) == 1 or _starts_mask(fields[1]):
        findings.append(missing(fields, 1, Code.MISSING_RULE_DATE, "date", grammar))
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
