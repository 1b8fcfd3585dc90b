"""The schedule (docs/spec/07-site-definition.md, 7.4)."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.sites.schedule import MINUTES_A_DAY, Grid, check_interval, parse_time_of_day

DIVISORS = [n for n in range(1, MINUTES_A_DAY + 1) if MINUTES_A_DAY % n == 0]


def expand(cron: str) -> set[int]:
    minutes, hours, *rest = cron.split()
    assert rest == ["*", "*", "*"]
    hour_list = range(24) if hours == "*" else [int(h) for h in hours.split(",")]
    return {h * 60 + int(m) for h in hour_list for m in minutes.split(",")}


@given(every=st.sampled_from(DIVISORS), base=st.integers(0, MINUTES_A_DAY - 1))
def test_crons_tick_exactly_every_n_minutes_from_the_base_time(every: int, base: int) -> None:
    grid = Grid(every_minutes=every, base=dt.time(base // 60, base % 60))
    ticks = [tick for cron in grid.crons() for tick in expand(cron)]
    assert len(ticks) == len(set(ticks))
    assert set(ticks) == {minute for minute in range(MINUTES_A_DAY) if (minute - base) % every == 0}


@pytest.mark.parametrize(
    ("every", "base", "crons"),
    [
        (360, "02:30", ("30 2,8,14,20 * * *",)),
        (15, "00:00", ("0,15,30,45 * * * *",)),
        (1440, "03:05", ("5 3 * * *",)),
        (60, "00:10", ("10 * * * *",)),
    ],
)
def test_common_schedules_are_one_cron_expression(
    every: int, base: str, crons: tuple[str, ...]
) -> None:
    assert Grid(every_minutes=every, base=parse_time_of_day(base)).crons() == crons


@pytest.mark.parametrize(
    ("minutes", "nearest"), [(100, "96m or 2h"), (420, "6h or 8h"), (2000, "24h")]
)
def test_an_interval_that_does_not_divide_a_day_names_the_nearest_two(
    minutes: int, nearest: str
) -> None:
    with pytest.raises(ValueError, match=nearest):
        check_interval(dt.timedelta(minutes=minutes))


@pytest.mark.parametrize("text", ["2:30", "24:00", "02:60", "noon"])
def test_a_time_of_day_has_two_digits_each(text: str) -> None:
    with pytest.raises(ValueError, match="expected a time of day"):
        parse_time_of_day(text)


def test_the_schedule_in_words() -> None:
    grid = Grid(every_minutes=90, base=dt.time(2, 30))
    assert grid.in_words("Europe/Madrid") == "every 90m from 02:30 (Europe/Madrid)"
