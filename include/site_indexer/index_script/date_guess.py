"""Which date a wrongly spelled one was meant to be, to show its right spelling."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence

from site_indexer.index_script.date_forms import (
    MONTH_NUMBERS,
    asctime,
    is_too_far_ahead,
    rfc850,
    rfc1123,
    years_of,
    zone_offset,
)
from site_indexer.index_script.model import DateForm

_EXAMPLE = "Write it as in: date Sun, 06 Nov 1994 08:49:37 GMT"

_CLOCK = re.compile(r"(?<![0-9+:-])([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?:[.,][0-9]+)?")
_NOON = re.compile(r"\b[ap]\.?m\b", re.IGNORECASE)
_ISO_DAY = re.compile(r"(?<![0-9])([0-9]{4})[-/.]([0-9]{1,2})[-/.]([0-9]{1,2})(?![0-9])")
_ISO_ZONE = re.compile(r"[0-9](Z|[+-][0-9]{2}:?[0-9]{2})\Z", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3,}")
_NUMBER = re.compile(r"(?<![0-9+:-])[0-9]{1,4}(?![0-9:])|(?<=[A-Za-z]-)[0-9]{2,4}(?![0-9:])")
_EPOCH_SECONDS = re.compile(r"[0-9]{6,12}").fullmatch
_LONGEST = 100


def right_spelling(
    given: Sequence[str], form: DateForm, now: dt.datetime, example_zone: str | None = None
) -> str:
    """Return a hint with the right spelling of a date, or an example where none can be guessed.

    ``given`` are the fields behind the word ``date``, ``form`` the form they come nearest to.
    ``example_zone`` stands in for a zone that is unknown.
    """
    if len(given) == 1 and _EPOCH_SECONDS(given[0]):
        return f"Write: seconds {given[0]}"
    text = " ".join(given)[:_LONGEST]
    clock = _guessed(text, now)
    if clock is None:
        return _EXAMPLE
    zone = example_zone or _zone(given)
    if form is DateForm.ASCTIME and zone_offset(zone) == dt.timedelta():
        return f"Write: date {asctime(clock)}"
    spelled = rfc850(clock, zone) if form is DateForm.RFC850 else rfc1123(clock, zone)
    return f"{'Write' if example_zone is None else 'Write it as in'}: date {spelled}"


def _guessed(text: str, now: dt.datetime) -> dt.datetime | None:
    time = _CLOCK.search(text)
    rest = text if time is None else f"{text[: time.start()]} {text[time.end() :]}"
    day = _calendar_day(rest, now)
    if day is None or _NOON.search(text):
        return None
    hour, minute, second = (0, 0, 0) if time is None else (int(part or 0) for part in time.groups())
    try:
        return dt.datetime.combine(day, dt.time(hour, minute, 59 if second == 60 else second))
    except ValueError:
        return None


def _calendar_day(text: str, now: dt.datetime) -> dt.date | None:
    iso = _ISO_DAY.search(text)
    if iso is not None:
        year, month, day = (int(part) for part in iso.groups())
    else:
        names = (MONTH_NUMBERS.get(word[:3].lower(), 0) for word in _WORD.findall(text))
        month = next(filter(None, names), 0)
        numbers = _NUMBER.findall(text)
        if len(numbers) != 2:
            return None
        # The shorter number is the day, but for two of two digits, where the day stands first.
        first, last = numbers if len(numbers[0]) <= 2 else reversed(numbers)
        day, year = int(first), int(last)
        if len(last) == 2:
            return _in_century(year, month, day, now)
    try:
        return dt.date(year, month, day)
    except ValueError:
        return None


def _in_century(two_digits: int, month: int, day: int, now: dt.datetime) -> dt.date | None:
    for year in years_of(two_digits, now):
        try:
            date = dt.datetime(year, month, day, tzinfo=dt.UTC)
        except ValueError:
            continue
        if not is_too_far_ahead(date, now):
            return date.date()
    return None


def _zone(given: Sequence[str]) -> str:
    """Return the zone as it is written, if it is a known one."""
    for field in reversed(given):
        if zone_offset(field) is not None:
            return field.upper()
        attached = _ISO_ZONE.search(field)
        if attached is not None and ":" in field:
            return "GMT" if attached[1] in "Zz" else attached[1]
    return "GMT"
