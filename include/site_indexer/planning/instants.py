"""How instants are written for people and in the shell's JSON."""

from __future__ import annotations

import datetime as dt


def instant_text(date: dt.datetime) -> str:
    """Return an aware instant as ISO 8601 in UTC, whole seconds, with ``Z``."""
    plain = date.astimezone(dt.UTC).replace(microsecond=0, tzinfo=None)
    return f"{plain.isoformat()}Z"


def instant_or_none(date: dt.datetime | None) -> str | None:
    """Return :func:`instant_text` of a date that there may not be."""
    return None if date is None else instant_text(date)
