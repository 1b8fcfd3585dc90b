"""Instants as people and JSON read them: ISO 8601 in UTC with ``Z``, whole seconds."""

from __future__ import annotations

import datetime as dt


def iso(instant: dt.datetime | None) -> str | None:
    """``2004-01-02T00:05:53Z``, or None."""
    if instant is None:
        return None
    return instant.astimezone(dt.UTC).replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def in_words(instant: dt.datetime | None) -> str:
    """The instant, or ``none`` where there is none."""
    return iso(instant) or "none"
