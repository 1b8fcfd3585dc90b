"""The hours in which a site is not to be disturbed (docs/spec/07-site-definition.md, 7.3)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from zoneinfo import ZoneInfo

from site_indexer.sites.schedule import parse_time_of_day
from site_indexer.sites.ticks import later_instant


def end_of_maintenance(hours: Iterable[str], zone: ZoneInfo, at: dt.datetime) -> dt.datetime | None:
    """When the maintenance that goes on at ``at`` (aware) ends, as aware UTC; None without any.

    ``hours`` are local, such as ``01:00-02:00``; ``23:00-01:00`` goes over midnight. Where several
    go on, the last end counts.
    """
    wall = at.astimezone(zone).replace(tzinfo=None)
    ends = [_end_of(span, wall) for span in hours]
    return max((later_instant(end, zone) for end in ends if end is not None), default=None)


def _end_of(span: str, wall: dt.datetime) -> dt.datetime | None:
    start, end = (parse_time_of_day(part) for part in span.split("-"))
    over_midnight = end <= start
    today = wall.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0)
    if wall.time() < end and (over_midnight or wall.time() >= start):
        return today
    if over_midnight and wall.time() >= start:
        return today + dt.timedelta(days=1)
    return None
