"""The moments at which a site's schedule fires (docs/spec/05-index-lifecycle.md, *Ways to run*).

A run of the schedule knows its own tick only; the window of a backfill also needs the one before.
Ticks are counted as Airflow's cron timetables count them, also in the night of a clock change, so
that windows neither overlap nor leave a gap. tests/dags/test_ticks.py holds the two together.
"""

from __future__ import annotations

import bisect
import datetime as dt
from functools import cache
from zoneinfo import ZoneInfo

from site_indexer.sites.schedule import Grid

# Clocks change at most once in two days, so a walk that starts here has passed the change.
_RUN_UP = dt.timedelta(days=2)
_DAY = dt.timedelta(days=1)


def previous_tick(grid: Grid, zone: ZoneInfo, at: dt.datetime) -> dt.datetime:
    """The last tick before ``at``, as aware UTC. ``at`` is aware, and need not be a tick."""
    tick = at.astimezone(dt.UTC) - _RUN_UP
    while (following := next_tick(grid, zone, tick)) < at:
        tick = following
    return tick


def next_tick(grid: Grid, zone: ZoneInfo, at: dt.datetime) -> dt.datetime:
    """The first tick after ``at``, as aware UTC. ``at`` is aware."""
    return min(_next_of_group(minutes, hours, zone, at) for minutes, hours in grid.groups())


def _next_of_group(
    minutes: tuple[int, ...], hours: tuple[int, ...], zone: ZoneInfo, at: dt.datetime
) -> dt.datetime:
    wall = at.astimezone(zone).replace(tzinfo=None)
    following = _next_on_the_wall(minutes, hours, wall)
    if len(hours) == 24:
        # A grid of minutes counts elapsed time: the hour that comes twice has its ticks twice.
        return at.astimezone(dt.UTC) + (following - wall)
    return later_instant(following, zone)


def _next_on_the_wall(
    minutes: tuple[int, ...], hours: tuple[int, ...], wall: dt.datetime
) -> dt.datetime:
    midnight = wall.replace(hour=0, minute=0, second=0, microsecond=0)
    times = _times_of_day(minutes, hours)
    later = bisect.bisect_right(times, wall - midnight)
    return midnight + (times[later] if later < len(times) else _DAY + times[0])


@cache
def _times_of_day(minutes: tuple[int, ...], hours: tuple[int, ...]) -> list[dt.timedelta]:
    return sorted(dt.timedelta(hours=hour, minutes=minute) for hour in hours for minute in minutes)


def later_instant(wall: dt.datetime, zone: ZoneInfo) -> dt.datetime:
    """The later reading of a naive wall time, as aware UTC.

    That is the second of two where clocks go back, and the time moved on by the change where
    clocks jump over it.
    """
    return max(wall.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1))
