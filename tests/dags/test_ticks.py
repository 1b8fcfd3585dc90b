"""Our ticks are those at which Airflow fires, in ordinary nights and when clocks change."""

from __future__ import annotations

import datetime as dt
import itertools
from zoneinfo import ZoneInfo

import pendulum
import pytest
from airflow.timetables.base import DataInterval, TimeRestriction
from airflow.timetables.trigger import MultipleCronTriggerTimetable

from site_indexer.sites.schedule import Grid
from site_indexer.sites.ticks import next_tick, previous_tick

ANY_TIME = TimeRestriction(earliest=None, latest=None, catchup=True)
GRIDS = [Grid(20, dt.time(0, 7)), Grid(48, dt.time(0)), Grid(60, dt.time(0)), Grid(90, dt.time(2)),
         Grid(360, dt.time(2, 30)), Grid(1440, dt.time(2, 30))]  # fmt: skip
NIGHTS = [
    ("Europe/Madrid", dt.date(2026, 3, 28)),
    ("Europe/Madrid", dt.date(2026, 10, 24)),
    ("America/New_York", dt.date(2026, 3, 7)),
    ("America/New_York", dt.date(2026, 10, 31)),
    ("America/Santiago", dt.date(2026, 9, 5)),
    ("Australia/Lord_Howe", dt.date(2026, 4, 4)),
    ("Asia/Kolkata", dt.date(2026, 6, 1)),
    ("UTC", dt.date(2026, 3, 28)),
]


def ticks_of_airflow(grid: Grid, zone: str, day: dt.date) -> list[dt.datetime]:
    timetable = MultipleCronTriggerTimetable(*grid.crons(), timezone=zone)
    at = pendulum.datetime(day.year, day.month, day.day, 12)
    end = at.add(days=3)
    ticks = []
    while at < end:
        info = timetable.next_dagrun_info(
            last_automated_data_interval=DataInterval(at, at), restriction=ANY_TIME
        )
        assert info is not None
        at = info.run_after
        ticks.append(dt.datetime.fromtimestamp(at.timestamp(), dt.UTC))
    return ticks


@pytest.mark.parametrize(("zone", "day"), NIGHTS, ids=str)
@pytest.mark.parametrize("grid", GRIDS, ids=lambda grid: f"{grid.every_minutes}m")
def test_ticks_are_those_of_airflow(grid: Grid, zone: str, day: dt.date) -> None:
    ticks = ticks_of_airflow(grid, zone, day)
    for one, following in itertools.pairwise(ticks):
        assert next_tick(grid, ZoneInfo(zone), one) == following
    for one, following in list(itertools.pairwise(ticks))[:: max(1, len(ticks) // 12)]:
        assert previous_tick(grid, ZoneInfo(zone), following) == one


def test_the_tick_before_a_moment_between_two_ticks_is_the_earlier_one() -> None:
    grid = Grid(360, dt.time(2, 30))
    noon = dt.datetime(2026, 6, 1, 12, tzinfo=dt.UTC)
    assert previous_tick(grid, ZoneInfo("UTC"), noon) == noon.replace(hour=8, minute=30)
