"""docs/spec/01-script-language.md, 1.3."""

from __future__ import annotations

import datetime as dt
import email.utils

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.index_script.codes import Code
from site_indexer.index_script.date_forms import asctime, rfc850, rfc1123
from site_indexer.index_script.dates import DateReading, read_date, read_seconds
from site_indexer.index_script.findings import Finding
from site_indexer.index_script.model import DateForm, Severity

NOW = dt.datetime(2026, 6, 15, 12, 0, tzinfo=dt.UTC)
RFC_EXAMPLE = dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=dt.UTC)


def reading(text: str) -> DateReading:
    return read_date(text.split(), NOW)


def error(text: str) -> Finding:
    """The one error of a date line that cannot be read."""
    read = reading(text)
    assert (read.date, read.form) == (None, None)
    (finding,) = read.findings
    assert finding.severity is Severity.ERROR
    return finding


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("date Sun, 06 Nov 1994 08:49:37 GMT", DateForm.RFC1123),
        ("date Sunday, 06-Nov-94 08:49:37 GMT", DateForm.RFC850),
        ("date Sun Nov  6 08:49:37 1994", DateForm.ASCTIME),
        ("date Sun Nov 6 08:49:37 1994", DateForm.ASCTIME),
        ("date Sun Nov 06 08:49:37 1994", DateForm.ASCTIME),
        ("DATE sun, 06 NOV 1994 08:49:37 gmt", DateForm.RFC1123),
        ("date sUNDAY, 06-nov-94 08:49:37 utc", DateForm.RFC850),
        ("date SUN NOV  6 08:49:37 1994", DateForm.ASCTIME),
    ],
)
def test_the_three_forms_of_http_dates(text: str, form: DateForm) -> None:
    """docs/spec/01-script-language.md, 1.3: forms; names in any case (RFC 9110 5.6.7)."""
    assert reading(text) == DateReading(RFC_EXAMPLE, form)


@pytest.mark.parametrize(
    ("zone", "hours"),
    [
        *[("GMT", 0), ("UTC", 0), ("UT", 0), ("Z", 0), ("z", 0), ("+0000", 0), ("-0000", 0)],
        *[("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6)],
        *[("PST", -8), ("PDT", -7), ("pdt", -7), ("+0100", 1), ("-08:00", -8), ("+0530", 5.5)],
        *[("+23:59", 23 + 59 / 60)],
    ],
)
@pytest.mark.parametrize(
    "line", ["date Sun, 06 Nov 1994 08:49:37", "date Sunday, 06-Nov-94 08:49:37"]
)
def test_zones_are_taken_off(line: str, zone: str, hours: float) -> None:
    """docs/spec/01-script-language.md, 1.3: zones."""
    read = reading(f"{line} {zone}")
    assert read.date == RFC_EXAMPLE - dt.timedelta(hours=hours)
    assert read.date.tzinfo is dt.UTC
    assert read.findings == ()


@pytest.mark.parametrize(
    ("two_digits", "year"), [(26, 2026), (27, 2027), (76, 2076), (77, 1977), (99, 1999), (0, 2000)]
)
def test_a_two_digit_year_more_than_50_years_ahead_is_the_century_before(
    two_digits: int, year: int
) -> None:
    """docs/spec/01-script-language.md, 1.3: two digits (RFC 9110 5.6.7)."""
    read = reading(f"date Monday, 01-Mar-{two_digits:02} 00:00:00 GMT")
    assert read.date is not None
    assert read.date.year == year


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Monday, 15-Jun-76 12:00:00 GMT", 2076),
        ("Monday, 15-Jun-76 12:00:01 GMT", 1976),
        ("Monday, 15-Jun-76 13:00:00 +0100", 2076),
        ("Monday, 15-Jun-76 12:00:00 -0100", 1976),
        ("Tuesday, 16-Jun-76 00:00:00 GMT", 1976),
        ("Saturday, 31-Dec-76 23:59:59 GMT", 1976),
        ("Saturday, 29-Feb-76 00:00:00 GMT", 2076),
        ("Saturday, 29-Feb-96 00:00:00 GMT", 1996),
    ],
)
def test_the_50_years_are_counted_to_the_second(text: str, year: int) -> None:
    """RFC 9110 5.6.7: the clock says noon of 15 June 2026."""
    read = reading(f"date {text}")
    assert read.date is not None
    assert read.date.year == year


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("date Mon, 06 Nov 1994 08:49:37 GMT", "`Sun`"),
        ("date Monday, 06-Nov-94 08:49:37 GMT", "`Sunday`"),
        ("date Mon Nov  6 08:49:37 1994", "`Sun`"),
    ],
)
def test_a_wrong_weekday_is_a_warning_and_the_date_counts(text: str, right: str) -> None:
    """docs/spec/01-script-language.md, 1.3: weekday."""
    read = reading(text)
    assert read.date == RFC_EXAMPLE
    (finding,) = read.findings
    assert (finding.severity, finding.code, finding.field) == ("warning", "wrong-weekday", 1)
    assert right in finding.hint


def test_the_weekday_is_that_of_the_zone() -> None:
    """docs/spec/01-script-language.md, 1.3: 22:00 on Sunday in California is Monday in UTC."""
    read = reading("date Sun, 06 Nov 1994 22:00:00 PST")
    assert read.date == dt.datetime(1994, 11, 7, 6, 0, tzinfo=dt.UTC)
    assert read.findings == ()


RIGHT_1123 = "Sun, 06 Nov 1994 08:49:37 GMT"
RIGHT_850 = "Sunday, 06-Nov-94 08:49:37 GMT"
RIGHT_ASCTIME = "Sun Nov  6 08:49:37 1994"


@pytest.mark.parametrize(
    ("text", "code", "field", "right"),
    [
        # the HTTP/1.1 form
        ("date Sun, 6 Nov 1994 08:49:37 GMT", Code.BAD_DAY, 2, RIGHT_1123),
        ("date Sunday, 06 Nov 1994 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_1123),
        ("date Sun 06 Nov 1994 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_1123),
        ("date Son, 06 Nov 1994 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_1123),
        ("date 06 Nov 1994 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_1123),
        ("date Sun, 06 November 1994 08:49:37 GMT", Code.BAD_MONTH, 3, RIGHT_1123),
        ("date Sun, 06 Nov 94 08:49:37 GMT", Code.BAD_YEAR, 4, RIGHT_1123),
        ("date Sun, 06 Nov 1994 8:49:37 GMT", Code.BAD_TIME, 5, RIGHT_1123),
        ("date Sun, 06 Nov 1994 08:49:37", Code.MISSING_ZONE, 6, RIGHT_1123),
        (
            "date Sun, 06 Nov 1994 08:49:37 BST",
            Code.UNKNOWN_ZONE,
            6,
            "as in: date Sun, 06 Nov 1994 08:49:37 +0100",
        ),
        ("date Sun, 06 Nov 1994 08:49:37 GMT x", Code.EXTRA_FIELD, 7, RIGHT_1123),
        ("date Sun, 6 Nov 1994 08:49:37 -0800", Code.BAD_DAY, 2, "1994 08:49:37 -0800"),
        # the HTTP/1.0 form
        ("date Sunday, 6-Nov-94 08:49:37 GMT", Code.BAD_DAY, 2, RIGHT_850),
        ("date Sun, 06-Nov-94 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_850),
        ("date Sunday 06-Nov-94 08:49:37 GMT", Code.BAD_WEEKDAY, 1, RIGHT_850),
        ("date Sunday, 06-Nov-1994 08:49:37 GMT", Code.BAD_YEAR, 2, RIGHT_850),
        ("date Sunday, 06-November-94 08:49:37 GMT", Code.BAD_MONTH, 2, RIGHT_850),
        ("date Sunday, 06-Nov-94 08:49:37", Code.MISSING_ZONE, 4, RIGHT_850),
        ("date Sunday, 06-Nov-94 08:49:37 XYZ", Code.UNKNOWN_ZONE, 4, "06-Nov-94 08:49:37 +0100"),
        # the asctime form
        ("date Sun Nov  6 08:49:37 1994 GMT", Code.ZONE_AFTER_ASCTIME, 6, RIGHT_ASCTIME),
        ("date Sun Nov 6 08:49:37 1994 EST", Code.ZONE_AFTER_ASCTIME, 6, "1994 08:49:37 EST"),
        ("date Sunday Nov 6 08:49:37 1994", Code.BAD_WEEKDAY, 1, RIGHT_ASCTIME),
        ("date Sun, Nov 6 08:49:37 1994", Code.BAD_WEEKDAY, 1, RIGHT_ASCTIME),
        ("date Sun Nov 6 08:49:37 GMT 1994", Code.BAD_YEAR, 5, RIGHT_ASCTIME),
        ("date Sun Nov 6 08:49:37 1994 7", Code.EXTRA_FIELD, 6, "as in: date"),
        # times
        ("date Sun, 06 Nov 1994 23:59:60 GMT", Code.LEAP_SECOND, 5, "06 Nov 1994 23:59:59 GMT"),
        ("date Sun Nov 6 23:59:60 1994", Code.LEAP_SECOND, 4, "Nov  6 23:59:59 1994"),
        ("date Sun, 06 Nov 1994 24:00:00 GMT", Code.BAD_TIME, 5, "as in: date"),
        ("date Sun, 06 Nov 1994 08:49 GMT", Code.BAD_TIME, 5, "06 Nov 1994 08:49:00 GMT"),
        # other notations
        ("date 1994-11-06T08:49:37Z", Code.BAD_DATE, 1, RIGHT_1123),
        ("date 1994-11-06T08:49:37+01:00", Code.BAD_DATE, 1, "1994 08:49:37 +01:00"),
        ("date 1994-11-06 08:49:37", Code.BAD_DATE, 1, RIGHT_1123),
        ("date 1994-11-06", Code.BAD_DATE, 1, "06 Nov 1994 00:00:00 GMT"),
        ("date 784111777", Code.BAD_DATE, 1, "seconds 784111777"),
        ("date 11/06/1994", Code.BAD_DATE, 1, "as in: date"),
        ("date tomorrow", Code.BAD_WEEKDAY, 1, "as in: date"),
        ("date Sun,", Code.BAD_DATE, 2, "as in: date"),
        ("date", Code.MISSING_DATE, 1, "as in: date"),
        ("date Sun, 06 Foo 1994 08:49:37 GMT", Code.BAD_MONTH, 3, "as in: date"),
        # the calendar
        ("date Sun, 30 Feb 1994 08:49:37 GMT", Code.NO_SUCH_DATE, 2, "as in: date"),
        ("date Sun, 00 Nov 1994 08:49:37 GMT", Code.NO_SUCH_DATE, 2, "as in: date"),
        ("date Sunday, 31-Nov-94 08:49:37 GMT", Code.NO_SUCH_DATE, 2, "as in: date"),
        ("date Sun Feb 29 08:49:37 1995", Code.NO_SUCH_DATE, 3, "as in: date"),
        ("date Sun, 06 Nov 0000 08:49:37 GMT", Code.NO_SUCH_DATE, 2, "as in: date"),
        ("date Fri, 31 Dec 9999 23:59:59 -0100", Code.NO_SUCH_DATE, 6, "year and the zone"),
        ("date Mon, 01 Jan 0001 00:00:00 +0100", Code.NO_SUCH_DATE, 6, "year and the zone"),
    ],
)
def test_a_date_that_cannot_be_read_shows_the_field_and_the_right_spelling(
    text: str, code: Code, field: int, right: str
) -> None:
    """docs/spec/01-script-language.md, 1.3: spelled exactly so."""
    finding = error(text)
    assert (finding.code, finding.field) == (code, field)
    assert right in finding.hint


@pytest.mark.parametrize(
    "zone",
    ["GMT+1", "+1:00", "+01", "+2400", "+0060", "CET", "A", "+01000", "＋0100", "+٠١٠٠", "-"],
)
def test_an_unknown_zone_is_an_error(zone: str) -> None:
    """docs/spec/01-script-language.md, 1.3: zones."""
    finding = error(f"date Sun, 06 Nov 1994 08:49:37 {zone}")
    assert (finding.code, finding.field) == (Code.UNKNOWN_ZONE, 6)


def test_digits_of_other_scripts_are_no_digits() -> None:
    assert error("date Sun, ٠٦ Nov 1994 08:49:37 GMT").code is Code.BAD_DAY


@given(st.integers(-30_000_000_000, 253_402_300_799))
def test_what_the_forms_write_is_read(seconds: int) -> None:
    date = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
    assert reading(f"date {rfc1123(date)}") == DateReading(date, DateForm.RFC1123)
    assert reading(f"date {asctime(date)}") == DateReading(date, DateForm.ASCTIME)
    assert rfc1123(date) == email.utils.format_datetime(date, usegmt=True)
    if 1977 <= date.year <= 2076:
        assert reading(f"date {rfc850(date)}") == DateReading(date, DateForm.RFC850)


@given(
    st.lists(
        st.one_of(
            st.text(max_size=12).filter(lambda text: text.split() == [text]),
            st.sampled_from(
                ["Sun,", "Sunday,", "Sun", "06", "6", "06-Nov-94", "Nov", "1994", "GMT"]
            ),
            st.sampled_from(
                ["1994-11-06T08:49:37Z", "08:49:37", "23:59:60", "+9999", "am", "2/3", "-", "::"]
            ),
        ),
        max_size=8,
    )
)
def test_no_fields_raise_an_exception(fields: list[str]) -> None:
    read = read_date(["date", *fields], NOW)
    assert (read.date is None) == any(f.severity is Severity.ERROR for f in read.findings)
    assert all(0 <= finding.field <= len(fields) + 1 for finding in read.findings)


@pytest.mark.parametrize(
    ("number", "date"),
    [
        ("0", dt.datetime(1970, 1, 1, tzinfo=dt.UTC)),
        ("784111777", RFC_EXAMPLE),
        ("000784111777", RFC_EXAMPLE),
        ("253402300799", dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC)),
    ],
)
def test_seconds_are_epoch_seconds(number: str, date: dt.datetime) -> None:
    """docs/spec/01-script-language.md, 1.3: seconds."""
    assert read_seconds(["seconds", number]) == DateReading(date, DateForm.SECONDS)


@pytest.mark.parametrize(
    ("fields", "code", "field"),
    [
        ([], Code.MISSING_DATE, 1),
        (["-1"], Code.BAD_SECONDS, 1),
        (["+1"], Code.BAD_SECONDS, 1),
        (["1.5"], Code.BAD_SECONDS, 1),
        (["1e9"], Code.BAD_SECONDS, 1),
        (["1,000"], Code.BAD_SECONDS, 1),
        (["٣"], Code.BAD_SECONDS, 1),
        (["²"], Code.BAD_SECONDS, 1),
        (["253402300800"], Code.BAD_SECONDS, 1),
        (["9" * 10_000], Code.BAD_SECONDS, 1),
        (["1", "GMT"], Code.EXTRA_FIELD, 2),
    ],
)
def test_seconds_that_cannot_be_read(fields: list[str], code: Code, field: int) -> None:
    """docs/spec/01-script-language.md, 1.3: whole seconds from 0 to the year 9999."""
    read = read_seconds(["seconds", *fields])
    (finding,) = read.findings
    assert (read.date, read.form, finding.code, finding.field) == (None, None, code, field)
    assert "seconds 784111777" in finding.hint
    assert len(finding.message) < 250
