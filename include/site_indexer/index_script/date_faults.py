"""What is wrong with a date that cannot be read, and how it is spelled right.

A date that one of the forms reads never comes here. The form that the line comes nearest to is
held against it field by field, and the first field that differs is the error
(docs/spec/01-script-language.md, 1.3).
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Sequence

from site_indexer.index_script.codes import Code
from site_indexer.index_script.date_forms import (
    MONTH_NUMBERS,
    MONTHS,
    SHORT_WEEKDAY_NUMBERS,
    WEEKDAY_NUMBERS,
    WEEKDAYS,
    ZONE_HOURS,
    zone_offset,
)
from site_indexer.index_script.date_guess import right_spelling
from site_indexer.index_script.findings import Finding, quoted
from site_indexer.index_script.model import DateForm

_Fault = tuple[Code, str]
_Check = Callable[[str], _Fault | None]

_ISO_OR_NUMBER = re.compile(r"[0-9]{4}[-/.][0-9].*|[0-9]{5,}|[0-9]+[/.][0-9]+.*").fullmatch
_DAY_MONTH_YEAR = re.compile(r"([^-]*)-([A-Za-z]*)-([^-]*)").fullmatch
_DIGITS = re.compile(r"[0-9]+").fullmatch
_NO_DAY = Code.BAD_DAY, "A day of the month is expected here."
_CLOCK = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9]|60)").fullmatch


def explained(fields: Sequence[str], now: dt.datetime) -> Finding:
    """Return the error of a line ``date ...`` that no form reads; the word is among the fields."""
    given = fields[1:]
    form = _nearest_form(given)
    field, code, message = _first_fault(given, form)
    zone = "+0100" if code is Code.UNKNOWN_ZONE else None
    return Finding(field + 1, code, message, right_spelling(given, form, now, zone))


def out_of_range(fields: Sequence[str]) -> Finding:
    """Return the error of a date that its zone moves out of the years 1 to 9999."""
    message = "In UTC this date is not in the years 1 to 9999."
    return Finding(len(fields) - 1, Code.NO_SUCH_DATE, message, "Check the year and the zone.")


def _nearest_form(given: Sequence[str]) -> DateForm:
    if any(_DAY_MONTH_YEAR(field) for field in given[:2]):
        return DateForm.RFC850
    if len(given) > 1 and given[1][:3].lower() in MONTH_NUMBERS and not given[0].isdigit():
        return DateForm.ASCTIME
    return DateForm.RFC1123


def _first_fault(given: Sequence[str], form: DateForm) -> tuple[int, Code, str]:
    if not given:
        return 0, Code.MISSING_DATE, "The date is missing."
    if _ISO_OR_NUMBER(given[0]):
        return 0, Code.BAD_DATE, f"{quoted(given[0])} starts none of the three forms of HTTP dates."
    checks = _FORMS[form]
    for index, check in enumerate(checks):
        if index == len(given):
            code, message = _MISSING.get((form, index), _ENDS_EARLY)
            return index, code, message
        fault = check(given[index])
        if fault is not None:
            return index, *fault
    if len(given) > len(checks):
        return len(checks), *_extra(given[len(checks)], form)
    message = "There is no such day in the calendar."
    return _DAY_FIELD[form], Code.NO_SUCH_DATE, message


def _extra(field: str, form: DateForm) -> _Fault:
    if form is DateForm.ASCTIME and (field.isalpha() or zone_offset(field) is not None):
        message = f"No zone stands after this form of dates, which is UTC; {quoted(field)} does."
        return Code.ZONE_AFTER_ASCTIME, message
    return Code.EXTRA_FIELD, f"Nothing may follow the date, but {quoted(field)} does."


def _weekday(field: str, *, long: bool, comma: bool) -> _Fault | None:
    name = field.rstrip(",").lower()
    number = WEEKDAY_NUMBERS.get(name, SHORT_WEEKDAY_NUMBERS.get(name))
    if number is None:
        return Code.BAD_WEEKDAY, f"A weekday is expected, not {quoted(field)}."
    full = WEEKDAYS[number]
    right = (full if long else full[:3]) + ("," if comma else "")
    if field.lower() == right.lower():
        return None
    return Code.BAD_WEEKDAY, f"In this form of dates the weekday is `{right}`, not {quoted(field)}."


def _short_weekday_and_comma(field: str) -> _Fault | None:
    return _weekday(field, long=False, comma=True)


def _long_weekday_and_comma(field: str) -> _Fault | None:
    return _weekday(field, long=True, comma=True)


def _short_weekday(field: str) -> _Fault | None:
    return _weekday(field, long=False, comma=False)


def _two_digit_day(field: str) -> _Fault | None:
    if len(field) == 1 and _DIGITS(field):
        return Code.BAD_DAY, f"The day has two digits here: `0{field}`, not `{field}`."
    return _day(field)


def _day(field: str) -> _Fault | None:
    return None if len(field) <= 2 and _DIGITS(field) else _NO_DAY


def _month(field: str) -> _Fault | None:
    if field.lower() in MONTH_NUMBERS:
        return None
    number = MONTH_NUMBERS.get(field[:3].lower())
    if number is None:
        names = ", ".join(MONTHS)
        return Code.BAD_MONTH, f"{quoted(field)} is no month. The months are {names}."
    return Code.BAD_MONTH, f"The month has three letters: `{MONTHS[number - 1]}`."


def _four_digit_year(field: str) -> _Fault | None:
    if _DIGITS(field) and len(field) == 4:
        return None
    return Code.BAD_YEAR, f"A year of four digits is expected here, not {quoted(field)}."


def _two_digit_year(field: str) -> _Fault | None:
    if _DIGITS(field) and len(field) == 2:
        return None
    return Code.BAD_YEAR, f"The year has two digits in this form, not {quoted(field)}."


def _day_month_year(field: str) -> _Fault | None:
    match = _DAY_MONTH_YEAR(field)
    if match is None:
        return (
            Code.BAD_DATE,
            f"Day, month and year as `06-Nov-94` are expected, not {quoted(field)}.",
        )
    return _two_digit_day(match[1]) or _month(match[2]) or _two_digit_year(match[3])


def _clock(field: str) -> _Fault | None:
    match = _CLOCK(field)
    if match is None:
        message = f"A time of day as `08:49:37` is expected here, not {quoted(field)}."
        return Code.BAD_TIME, message
    if match[3] == "60":
        return Code.LEAP_SECOND, "Seconds go from 00 to 59; a leap second cannot be written."
    return None


def _zone(field: str) -> _Fault | None:
    if zone_offset(field) is not None:
        return None
    names = ", ".join(ZONE_HOURS).upper()
    return Code.UNKNOWN_ZONE, f"{quoted(field)} is no known zone: {names}, or an offset as +0100."


_FORMS: dict[DateForm, tuple[_Check, ...]] = {
    DateForm.RFC1123: (
        _short_weekday_and_comma,
        _two_digit_day,
        _month,
        _four_digit_year,
        _clock,
        _zone,
    ),
    DateForm.RFC850: (_long_weekday_and_comma, _day_month_year, _clock, _zone),
    DateForm.ASCTIME: (_short_weekday, _month, _day, _clock, _four_digit_year),
}
_DAY_FIELD = {DateForm.RFC1123: 1, DateForm.RFC850: 1, DateForm.ASCTIME: 2}
_NO_ZONE = Code.MISSING_ZONE, "The zone is missing."
_MISSING = {(DateForm.RFC1123, 5): _NO_ZONE, (DateForm.RFC850, 3): _NO_ZONE}
_ENDS_EARLY = Code.BAD_DATE, "The date ends too early."
