"""Dates of HTTP headers and of pages, read as leniently as they are written.

The standard library drops unknown zones in silence and returns naive times for the asctime form;
here a date is an aware UTC time or nothing (docs/spec/04-crawling.md, 4.1 Fetching; RFC 9110 5.6.7,
RFC 5322 3.3 and 4.3, ISO 8601).
"""

from __future__ import annotations

import datetime as dt
import re
from typing import Final

_LONGEST = 100
_MONTHS: Final = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
# RFC 5322 4.3. The single letters of military zones are left out: it says not to trust them.
_ZONES: Final = {
    "gmt": 0, "utc": 0, "ut": 0, "z": 0,
    "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6, "pst": -8, "pdt": -7,
}  # fmt: skip

_WEEKDAY = (
    r"(?:(?:mon|tue|tues|wed|wednes|thu|thur|thurs|fri|sat|satur|sun)(?:day)?\.?(?:\s*,\s*|\s+))?"
)
_MONTH = r"(?P<month>[a-z]{3,9})\.?"
_TIME = r"(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,]\d{1,9})?)?"
_ZONE = r"(?:\s*(?P<zone>(?:gmt|utc|ut)?[+-]\d{1,2}(?::?\d{2})?|[a-z]{1,5}))?(?:\s*\([^()]*\))?"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        # Sun, 06 Nov 1994 08:49:37 GMT; Sunday, 06-Nov-94 08:49:37 GMT; 6 November 1994
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:\s+|\s*-\s*){_MONTH}(?:\s+|\s*-\s*|\s*,\s*)"
        rf"(?P<year>\d{{4}}|\d{{2}})(?:[\s,T]+{_TIME}{_ZONE})?",
        # Sun Nov  6 08:49:37 1994, and with a zone before or after the year
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_TIME}{_ZONE}\s+(?P<year>\d{{4}})",
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_TIME}\s+(?P<year>\d{{4}}){_ZONE}",
        # November 6, 1994; Sun Nov 06 1994 08:49:37 GMT+0100 (CET)
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:\s*,\s*|\s+)(?P<year>\d{{4}})"
        rf"(?:[\s,]+{_TIME}{_ZONE})?",
        # 1994-11-06T08:49:37.5+01:00, 1994/11/06 08:49, 1994-11
        r"(?P<year>\d{4})(?:(?P<mark>[-/])(?P<month>\d{1,2}))(?:(?P=mark)(?P<day>\d{1,2})"
        rf"(?:[\sT]+{_TIME}{_ZONE})?)?",
        # 19941106T084937Z
        r"(?P<year>\d{4})(?P<month>\d{2})(?P<day>\d{2})"
        r"(?:T(?P<hour>\d{2})(?P<minute>\d{2})(?P<second>\d{2})?"
        rf"(?:[.,]\d{{1,9}})?{_ZONE})?",
    )
)
_OFFSET = re.compile(r"(?:gmt|utc|ut)?([+-])(\d{1,2}):?(\d{2})?")
# The form that nearly every server sends; read apart, as it comes with every page.
_FIXDATE = re.compile(
    r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d{2}) ([A-Z][a-z]{2}) (\d{4})"
    r" (\d{2}):(\d{2}):([0-5]\d) GMT",
    re.ASCII,
).fullmatch
_MONTH_NUMBERS: Final = {name[:3].title(): n for n, name in enumerate(_MONTHS, start=1)}


def parse_http_date(text: str, *, now: dt.datetime | None = None) -> dt.datetime | None:
    """The date of a header such as Last-Modified as an aware UTC time, or None.

    Takes the three forms of RFC 9110, and what real servers send: other offsets, the zone names of
    RFC 822, a weekday that does not fit, one-digit days, full month names, ISO 8601. A date
    without zone is UTC, as HTTP has it; one with an unknown zone is None. A two-digit year is the
    last one with these digits that is no more than 50 years after ``now`` (default: the clock).
    Fractions of seconds are dropped.
    """
    plain = _FIXDATE(text)
    if plain is not None:
        day, month, year, hour, minute, second = plain.groups()
        try:
            return dt.datetime(
                int(year),
                _MONTH_NUMBERS[month],
                int(day),
                int(hour),
                int(minute),
                int(second),
                tzinfo=dt.UTC,
            )
        except (KeyError, ValueError):
            return None
    return parse_page_date(text, dt.UTC, now=now)


def parse_page_date(
    text: str, zone: dt.tzinfo, *, now: dt.datetime | None = None
) -> dt.datetime | None:
    """The date that a page states (meta tags, JSON-LD) as an aware UTC time, or None.

    The forms are those of :func:`parse_http_date`. What states no zone is read in ``zone``, the
    site's; a day without a time is the day's start there, a month its first day's.
    """
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    for form in _FORMS:
        match = form.fullmatch(text)
        if match is not None:
            break
    else:
        return None
    parts = match.groupdict()
    try:
        stated = _zone(parts["zone"]) if parts["zone"] else zone
        return None if stated is None else _moment(parts, stated, now)
    except (ValueError, OverflowError):
        return None


def _moment(
    parts: dict[str, str | None], zone: dt.tzinfo, now: dt.datetime | None
) -> dt.datetime | None:
    month = _month(parts["month"] or "")
    year = parts["year"] or ""
    second = int(parts["second"] or 0)
    # A leap second (RFC 9110 5.6.7 allows 60) is the next minute's start here.
    leap = second == 60
    moment = dt.datetime(
        int(year) if len(year) == 4 else _full_year(int(year), month, parts["day"], now),
        month,
        int(parts["day"] or 1),
        int(parts["hour"] or 0),
        int(parts["minute"] or 0),
        59 if leap else second,
        tzinfo=zone,
    )
    return moment.astimezone(dt.UTC) + dt.timedelta(seconds=int(leap))


def _month(text: str) -> int:
    """The number of a month by number, by name, or by a beginning of its name; ValueError else."""
    if text.isdigit():
        return int(text)
    name = text.lower()
    return next((n for n, full in enumerate(_MONTHS, start=1) if full.startswith(name)), 0)


def _full_year(two_digits: int, month: int, day: str | None, now: dt.datetime | None) -> int:
    today = (now or dt.datetime.now(dt.UTC)).date()
    year = today.year + 50 - (today.year + 50 - two_digits) % 100
    # In the fiftieth year the day decides.
    if year == today.year + 50 and (month, int(day or 1)) > (today.month, today.day):
        return year - 100
    return year


def _zone(text: str) -> dt.tzinfo | None:
    """The zone of a name or an offset; None if it is unknown."""
    text = text.lower()
    if text in _ZONES:
        return dt.timezone(dt.timedelta(hours=_ZONES[text]))
    match = _OFFSET.fullmatch(text)
    if match is None:
        return None
    sign, hours, minutes = match.groups(default="0")
    if int(minutes) > 59:
        return None
    offset = dt.timedelta(hours=int(hours), minutes=int(minutes))
    return dt.timezone(-offset if sign == "-" else offset)
