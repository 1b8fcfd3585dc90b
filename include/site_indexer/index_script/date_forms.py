"""Names, zones and spellings of HTTP dates (RFC 9110 5.6.7, RFC 822 5)."""

from __future__ import annotations

import datetime as dt
import re

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

WEEKDAY_NUMBERS = {name.lower(): number for number, name in enumerate(WEEKDAYS)}
SHORT_WEEKDAY_NUMBERS = {name[:3].lower(): number for number, name in enumerate(WEEKDAYS)}
MONTH_NUMBERS = {name.lower(): number for number, name in enumerate(MONTHS, 1)}

ZONE_HOURS = {"gmt": 0, "utc": 0, "ut": 0, "z": 0} | {
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7
}  # fmt: skip
_NUMERIC_ZONE = re.compile(r"([+-])([01][0-9]|2[0-3]):?([0-5][0-9])").fullmatch


def zone_offset(zone: str) -> dt.timedelta | None:
    """Return how far a zone is ahead of UTC, None for an unknown one."""
    hours = ZONE_HOURS.get(zone.lower())
    if hours is not None:
        return dt.timedelta(hours=hours)
    numeric = _NUMERIC_ZONE(zone)
    if numeric is None:
        return None
    offset = dt.timedelta(hours=int(numeric[2]), minutes=int(numeric[3]))
    return -offset if numeric[1] == "-" else offset


def years_of(two_digits: int, now: dt.datetime) -> tuple[int, int]:
    """Return the years that two digits may mean: of the century of ``now``, and of that before."""
    year = now.year - now.year % 100 + two_digits
    return year, year - 100


def is_too_far_ahead(date: dt.datetime, now: dt.datetime) -> bool:
    """Whether a date, with two digits for its year, is one of the century before after all.

    It is if it would be more than 50 years ahead of the clock (RFC 9110 5.6.7).
    """
    return _moment(date, -50) > _moment(now)


def rfc1123(date: dt.datetime, zone: str = "GMT") -> str:
    """Spell a date in the HTTP/1.1 form; its clock time is taken as that of ``zone``."""
    return (
        f"{WEEKDAYS[date.weekday()][:3]}, {date.day:02} {MONTHS[date.month - 1]} {date.year:04}"
        f" {_clock(date)} {zone}"
    )


def rfc850(date: dt.datetime, zone: str = "GMT") -> str:
    """Spell a date in the HTTP/1.0 form; its clock time is taken as that of ``zone``."""
    return (
        f"{WEEKDAYS[date.weekday()]}, {date.day:02}-{MONTHS[date.month - 1]}-{date.year % 100:02}"
        f" {_clock(date)} {zone}"
    )


def asctime(date: dt.datetime) -> str:
    """Spell a date as C's asctime does."""
    return (
        f"{WEEKDAYS[date.weekday()][:3]} {MONTHS[date.month - 1]} {date.day:2} {_clock(date)}"
        f" {date.year:04}"
    )


def _moment(date: dt.datetime, years: int = 0) -> tuple[int, ...]:
    return (date.year + years, *date.astimezone(dt.UTC).timetuple()[1:6])


def _clock(date: dt.datetime) -> str:
    return f"{date.hour:02}:{date.minute:02}:{date.second:02}"
