from __future__ import annotations

import datetime as dt
from email.utils import format_datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.http_dates import parse_http_date, parse_page_date

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
NOVEMBER = dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=dt.UTC)
MOMENTS = st.integers(-2_000_000_000, 250_000_000_000).map(
    lambda seconds: dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)
)


@pytest.mark.parametrize(
    "text",
    [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov 06 08:49:37 GMT 1994",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Fri, 06 Nov 1994 08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT",
        "Sun, 06 November 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "  Sun, 06 Nov 1994 08:49:37 GMT \t",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 UT",
        "Sun, 06 Nov 1994 08:49:37 Z",
        "Sun, 06 Nov 1994 09:49:37 +0100",
        "Sun, 06 Nov 1994 09:49:37 +01:00",
        "Sun, 06 Nov 1994 00:49:37 -0800",
        "Sun, 06 Nov 1994 09:49:37 +0100 (CET)",
        "Sun, 06 Nov 1994 03:49:37 EST",
        "Sun, 06 Nov 1994 01:49:37 PDT",
        "Sun Nov 06 1994 09:49:37 GMT+0100 (Central European Time)",
        "1994-11-06T08:49:37Z",
        "1994-11-06T08:49:37",
        "1994-11-06 08:49:37",
        "1994-11-06T09:49:37+01:00",
        "1994-11-06T08:49:37.123456Z",
        "1994/11/06 08:49:37",
        "19941106T084937Z",
        "November 6, 1994 08:49:37",
    ],
)
def test_dates_as_servers_write_them(text: str) -> None:
    assert parse_http_date(text, now=NOW) == NOVEMBER


@pytest.mark.parametrize(
    "text",
    [
        "",
        "0",
        "-1",
        "now",
        "784111777",
        "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 06 Nov 1994 08:49:37 BST",
        "Sun, 06 Nov 1994 08:49:37 A",
        "Sun, 06 Nov 1994 08:49:37 +0160",
        "Sun, 06 Nov 1994 08:49:37 +2400",
        "Sun, 31 Feb 1994 08:49:37 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 194 08:49:37 GMT",
        "Sun, 06 Brumaire 1994 08:49:37 GMT",
        "Moonday, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT and more",
        "0001-01-01T00:00:00+01:00",
        "9999-12-31T23:59:59-01:00",
        "1994-13-06T08:49:37Z",
        "06/11/1994",
        "٠٦ Nov 1994 08:49:37 GMT",
        "1" * 10_000,
    ],
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert parse_http_date(text, now=NOW) is None


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("Sunday, 06-Nov-00 08:49:37 GMT", 2000),
        ("Sunday, 06-Nov-26 08:49:37 GMT", 2026),
        ("Sunday, 06-Nov-75 08:49:37 GMT", 2075),
        ("Sunday, 30-Nov-76 08:49:37 GMT", 2076),
        ("Sunday, 01-Dec-76 08:49:37 GMT", 1976),
        ("Sunday, 06-Nov-77 08:49:37 GMT", 1977),
        ("Sunday, 06-Nov-99 08:49:37 GMT", 1999),
    ],
)
def test_two_digit_years_lie_at_most_fifty_years_ahead(text: str, year: int) -> None:
    found = parse_http_date(text, now=NOW)
    assert found is not None
    assert found.year == year


def test_a_leap_second_is_the_next_minute() -> None:
    found = parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT")
    assert found == dt.datetime(2017, 1, 1, tzinfo=dt.UTC)


@given(MOMENTS)
def test_the_three_forms_of_http_round_trip(moment: dt.datetime) -> None:
    assert parse_http_date(format_datetime(moment, usegmt=True)) == moment
    assert parse_http_date(moment.strftime(f"%a %b %e %H:%M:%S {moment.year:04}")) == moment
    assert parse_http_date(moment.isoformat()) == moment


@given(
    st.from_regex(
        r"(Sun|Mon|Xyz), [0-3]\d (Jan|Feb|Jun|Sept|sep|Xxx) \d{4} [0-2]\d:[0-6]\d:[0-6]\d GMT",
        fullmatch=True,
    )
)
def test_the_form_that_is_read_apart_is_read_as_any_other(text: str) -> None:
    assert parse_http_date(text) == parse_page_date(text, dt.UTC)


@given(st.integers(315_532_800, 3_155_760_000).map(lambda s: dt.datetime.fromtimestamp(s, dt.UTC)))
def test_rfc_850_round_trips_near_today(moment: dt.datetime) -> None:
    assert parse_http_date(moment.strftime("%A, %d-%b-%y %H:%M:%S GMT"), now=NOW) == moment


@given(MOMENTS, st.integers(-23 * 60 - 59, 23 * 60 + 59))
def test_any_offset_gives_the_same_moment(moment: dt.datetime, minutes: int) -> None:
    local = moment.astimezone(dt.timezone(dt.timedelta(minutes=minutes)))
    assert parse_http_date(local.isoformat()) == moment
    assert parse_http_date(format_datetime(local)) == moment


@given(st.text() | st.from_regex(r"[A-Za-z]{3}, \d{1,3} [A-Za-z]{3} \d{2,4} \d\d:\d\d:\d\d ?\S*"))
def test_any_text_gives_an_aware_utc_time_or_none(text: str) -> None:
    found = parse_http_date(text)
    assert found is None or found.tzinfo is dt.UTC


class TestPages:
    MADRID = ZoneInfo("Europe/Madrid")

    @pytest.mark.parametrize(
        ("text", "utc"),
        [
            ("2024-01-02", "2024-01-01T23:00:00"),
            ("2024-07-02", "2024-07-01T22:00:00"),
            ("2024-01", "2023-12-31T23:00:00"),
            ("20240102", "2024-01-01T23:00:00"),
            ("2024-01-02T03:04", "2024-01-02T02:04:00"),
            ("2024-01-02 03:04:05", "2024-01-02T02:04:05"),
            ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05"),
            ("2024-01-02T03:04:05-05:00", "2024-01-02T08:04:05"),
            ("2024-01-02T03:04:05.678+0200", "2024-01-02T01:04:05"),
            ("Tue, 02 Jan 2024 03:04:05 GMT", "2024-01-02T03:04:05"),
            ("2 January 2024", "2024-01-01T23:00:00"),
            ("January 2, 2024", "2024-01-01T23:00:00"),
        ],
    )
    def test_a_date_without_zone_is_the_sites(self, text: str, utc: str) -> None:
        expected = dt.datetime.fromisoformat(utc).replace(tzinfo=dt.UTC)
        assert parse_page_date(text, self.MADRID) == expected

    @pytest.mark.parametrize(
        "text", ["2024", "yesterday", "2024-1-2-3", "02.01.2024", "2024-02-30"]
    )
    def test_what_could_mean_several_days_is_none(self, text: str) -> None:
        assert parse_page_date(text, self.MADRID) is None

    @given(MOMENTS, st.sampled_from(["Europe/Madrid", "America/St_Johns", "Pacific/Kiritimati"]))
    def test_the_day_in_the_sites_zone_is_kept(self, moment: dt.datetime, name: str) -> None:
        zone = ZoneInfo(name)
        found = parse_page_date(moment.date().isoformat(), zone)
        assert found is not None
        assert found.astimezone(zone).date() == moment.date()
