from __future__ import annotations

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from site_indexer.sites.maintenance import end_of_maintenance

MADRID = ZoneInfo("Europe/Madrid")


def end(hours: list[str], clock: str, day: str = "2026-06-01") -> str | None:
    at = dt.datetime.fromisoformat(f"{day}T{clock}").replace(tzinfo=MADRID)
    until = end_of_maintenance(hours, MADRID, at)
    return None if until is None else until.astimezone(MADRID).strftime("%d %H:%M")


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("00:59:59", None),
        ("01:00:00", "01 02:00"),
        ("01:59:59", "01 02:00"),
        ("02:00:00", None),
    ],
)
def test_hours_have_a_beginning_and_an_end(clock: str, expected: str | None) -> None:
    assert end(["01:00-02:00"], clock) == expected


@pytest.mark.parametrize(
    ("clock", "expected"),
    [
        ("22:59:00", None),
        ("23:00:00", "02 01:30"),
        ("00:00:00", "01 01:30"),
        ("01:30:00", None),
    ],
)
def test_hours_may_go_over_midnight(clock: str, expected: str | None) -> None:
    assert end(["23:00-01:30"], clock) == expected


def test_the_last_of_several_ends_counts() -> None:
    assert end(["01:00-02:00", "01:15-03:00", "09:00-10:00"], "01:30:00") == "01 03:00"


def test_without_hours_there_is_no_maintenance() -> None:
    assert end([], "01:30:00") is None


def test_an_end_that_the_clock_jumps_over_is_moved_on() -> None:
    assert end(["01:00-02:30"], "01:30:00", day="2026-03-29") == "29 03:30"
