"""Date lines: the three forms of HTTP dates, and epoch seconds.

Rules: docs/spec/01-script-language.md, 1.3 (RFC 9110 5.6.7). The standard library's reader drops
unknown zones and gives naive dates, so these forms are read here, exactly as they are spelled.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass

from site_indexer.index_script import date_faults
from site_indexer.index_script.codes import Code
from site_indexer.index_script.date_forms import (
    MONTH_NUMBERS,
    SHORT_WEEKDAY_NUMBERS,
    WEEKDAY_NUMBERS,
    WEEKDAYS,
    is_too_far_ahead,
    years_of,
    zone_offset,
)
from site_indexer.index_script.findings import Finding, quoted
from site_indexer.index_script.model import DateForm, Severity

_CLOCK = r"([01][0-9]|2[0-3]):([0-5][0-9]):([0-5][0-9])"
_RFC1123 = re.compile(
    rf"([A-Za-z]+), ([0-9]{{2}}) ([A-Za-z]+) ([0-9]{{4}}) {_CLOCK} (\S+)"
).fullmatch
_RFC850 = re.compile(
    rf"([A-Za-z]+), ([0-9]{{2}})-([A-Za-z]+)-([0-9]{{2}}) {_CLOCK} (\S+)"
).fullmatch
_ASCTIME = re.compile(rf"([A-Za-z]+) ([A-Za-z]+) ([0-9]{{1,2}}) {_CLOCK} ([0-9]{{4}})").fullmatch

_LAST_SECOND = 253_402_300_799  # 31 Dec 9999 23:59:59 UTC
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_SECONDS_HINT = "Write whole seconds since 1970 in UTC, as in: seconds 784111777"


@dataclass(frozen=True, slots=True)
class DateReading:
    """What a date line says. ``date`` (aware UTC) and ``form`` are None where it cannot be read."""

    date: dt.datetime | None
    form: DateForm | None
    findings: tuple[Finding, ...] = ()


def read_date(fields: Sequence[str], now: dt.datetime) -> DateReading:
    """Read the fields of a line ``date ...``, the word itself among them.

    ``now`` decides the century of two-digit years. What cannot be read gives one error, whose
    hint shows the right spelling.
    """
    text = " ".join(fields[1:])
    found = _read_rfc1123(text) or _read_rfc850(text, now) or _read_asctime(text)
    if found is None:
        return DateReading(None, None, (date_faults.explained(fields, now),))
    form, weekday, clock, offset = found
    try:
        date = clock - offset if offset else clock
    except OverflowError:
        return DateReading(None, None, (date_faults.out_of_range(fields),))
    if weekday == clock.weekday():
        return DateReading(date, form)
    return DateReading(date, form, (_wrong_weekday(fields[1], clock),))


def read_seconds(fields: Sequence[str]) -> DateReading:
    """Read the fields of a line ``seconds N``, the word itself among them."""
    if len(fields) == 1:
        return _unreadable(1, Code.MISSING_DATE, "The number of seconds is missing.")
    number = fields[1]
    if not (number.isascii() and number.isdigit()):
        message = f"{quoted(number)} is no whole number of seconds."
        return _unreadable(1, Code.BAD_SECONDS, message)
    digits = number.lstrip("0") or "0"
    if len(digits) > len(str(_LAST_SECOND)) or int(digits) > _LAST_SECOND:
        message = f"{quoted(number)} seconds are after the year 9999."
        return _unreadable(1, Code.BAD_SECONDS, message)
    if len(fields) > 2:
        message = f"Nothing may follow the number of seconds, but {quoted(fields[2])} does."
        return _unreadable(2, Code.EXTRA_FIELD, message)
    return DateReading(_EPOCH + dt.timedelta(seconds=int(digits)), DateForm.SECONDS)


_Found = tuple[DateForm, int, dt.datetime, dt.timedelta]  # form, weekday, clock time, zone


def _read_rfc1123(text: str) -> _Found | None:
    match = _RFC1123(text)
    if match is None:
        return None
    weekday, day, month, year, hour, minute, second, zone = match.groups()
    return _found(
        DateForm.RFC1123,
        SHORT_WEEKDAY_NUMBERS.get(weekday.lower()),
        (int(year), month, int(day), int(hour), int(minute), int(second)),
        zone_offset(zone),
    )


def _read_rfc850(text: str, now: dt.datetime) -> _Found | None:
    match = _RFC850(text)
    if match is None:
        return None
    weekday, day, month, year, hour, minute, second, zone = match.groups()
    for full_year in years_of(int(year), now):
        found = _found(
            DateForm.RFC850,
            WEEKDAY_NUMBERS.get(weekday.lower()),
            (full_year, month, int(day), int(hour), int(minute), int(second)),
            zone_offset(zone),
        )
        if found is not None and not is_too_far_ahead(found[2] - found[3], now):
            return found
    return None


def _read_asctime(text: str) -> _Found | None:
    match = _ASCTIME(text)
    if match is None:
        return None
    weekday, month, day, hour, minute, second, year = match.groups()
    return _found(
        DateForm.ASCTIME,
        SHORT_WEEKDAY_NUMBERS.get(weekday.lower()),
        (int(year), month, int(day), int(hour), int(minute), int(second)),
        dt.timedelta(),
    )


def _found(
    form: DateForm,
    weekday: int | None,
    parts: tuple[int, str, int, int, int, int],
    offset: dt.timedelta | None,
) -> _Found | None:
    year, month_name, day, hour, minute, second = parts
    month = MONTH_NUMBERS.get(month_name.lower())
    if weekday is None or month is None or offset is None:
        return None
    try:
        # The clock time of the zone, which the weekday belongs to; the zone is taken off later.
        clock = dt.datetime(year, month, day, hour, minute, second, tzinfo=dt.UTC)
    except ValueError:
        return None
    return form, weekday, clock, offset


def _wrong_weekday(field: str, clock: dt.datetime) -> Finding:
    right = WEEKDAYS[clock.weekday()]
    name = field.rstrip(",")
    return Finding(
        1,
        Code.WRONG_WEEKDAY,
        f"{clock.date()} is a {right}, not a {WEEKDAYS[SHORT_WEEKDAY_NUMBERS[name[:3].lower()]]}.",
        f"The date counts. The weekday would be `{right if len(name) > 3 else right[:3]}`.",
        Severity.WARNING,
    )


def _unreadable(field: int, code: Code, message: str) -> DateReading:
    return DateReading(None, None, (Finding(field, code, message, _SECONDS_HINT),))
