"""Instants as they are stored: ISO 8601 in UTC with milliseconds."""

from __future__ import annotations

import datetime as dt

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MILLISECOND = dt.timedelta(milliseconds=1)


def iso(instant: dt.datetime) -> str:
    """An aware instant as ``2004-01-02T00:05:53.000Z``."""
    utc = instant.astimezone(dt.UTC).replace(tzinfo=None)
    return f"{utc.isoformat(timespec='milliseconds')}Z"


def parse(text: str) -> dt.datetime:
    """The instant of a stored text, aware UTC. Raises ValueError for anything else."""
    return dt.datetime.fromisoformat(text).astimezone(dt.UTC)


def to_ms(instant: dt.datetime) -> int:
    """Milliseconds since the epoch, rounded down."""
    return (instant - _EPOCH) // _MILLISECOND


def from_ms(milliseconds: int) -> dt.datetime:
    """The instant of that many milliseconds since the epoch, aware UTC."""
    return _EPOCH + milliseconds * _MILLISECOND
