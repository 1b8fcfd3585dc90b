"""When a site runs: every N minutes or hours from a base time, in the site's own time zone.

The grid starts anew each day at the base time, so N must divide a day; then it is a small set of
cron expressions, which Airflow keeps right across daylight saving changes
(docs/spec/07-site-definition.md, 7.4).
"""

from __future__ import annotations

import datetime as dt
import re
from collections import defaultdict
from dataclasses import dataclass

MINUTES_A_DAY = 24 * 60
_TIME = re.compile(r"^([01]\d|2[0-3]):([0-5]\d)$")


def parse_time_of_day(value: str) -> dt.time:
    """Read ``02:30``. Raises ValueError with the form expected."""
    match = _TIME.match(value)
    if match is None:
        raise ValueError(f'expected a time of day such as "02:30" (in quotes), not {value!r}')
    return dt.time(int(match[1]), int(match[2]))


def check_interval(every: dt.timedelta) -> dt.timedelta:
    """Return ``every`` if it is whole minutes that divide a day.

    Raises ValueError, which names the nearest interval on each side that does.
    """
    minutes, rest = divmod(every.total_seconds(), 60)
    if minutes >= 1 and not rest and MINUTES_A_DAY % minutes == 0:
        return every
    divisors = [n for n in range(1, MINUTES_A_DAY + 1) if MINUTES_A_DAY % n == 0]
    below = max((n for n in divisors if n * 60 < every.total_seconds()), default=None)
    above = min((n for n in divisors if n * 60 > every.total_seconds()), default=None)
    nearest = " or ".join(interval_text(n) for n in (below, above) if n is not None)
    raise ValueError(f"must be whole minutes that divide a day; the nearest are {nearest}")


def interval_text(minutes: int) -> str:
    """An interval of whole minutes as a site file writes it: ``90m``, ``6h``."""
    return f"{minutes // 60}h" if minutes % 60 == 0 else f"{minutes}m"


@dataclass(frozen=True, slots=True)
class Grid:
    """The times of day at which a site runs, as minutes after midnight, local, ascending."""

    every_minutes: int
    base: dt.time

    @property
    def minutes(self) -> tuple[int, ...]:
        """Every tick of a day, as minutes after local midnight."""
        base = self.base.hour * 60 + self.base.minute
        count = MINUTES_A_DAY // self.every_minutes
        return tuple(sorted((base + k * self.every_minutes) % MINUTES_A_DAY for k in range(count)))

    def groups(self) -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
        """The fewest (minutes, hours) whose products together are this grid, in a fixed order."""
        hours_of_minute: dict[int, list[int]] = defaultdict(list)
        for minute in self.minutes:
            hours_of_minute[minute % 60].append(minute // 60)
        minutes_of_hours: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for minute, hours in sorted(hours_of_minute.items()):
            minutes_of_hours[tuple(hours)].append(minute)
        return tuple((tuple(minutes), hours) for hours, minutes in sorted(minutes_of_hours.items()))

    def crons(self) -> tuple[str, ...]:
        """The fewest cron expressions whose union is this grid, in a fixed order."""
        return tuple(
            f"{_field(minutes)} {'*' if len(hours) == 24 else _field(hours)} * * *"
            for minutes, hours in self.groups()
        )

    def in_words(self, zone: str) -> str:
        """The schedule as a person says it."""
        return f"every {interval_text(self.every_minutes)} from {self.base:%H:%M} ({zone})"


def _field(values: tuple[int, ...]) -> str:
    return ",".join(str(value) for value in values)
