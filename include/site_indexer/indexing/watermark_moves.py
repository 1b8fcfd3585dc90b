"""Where a run leaves the watermark (docs/spec/06-watermark.md, *Moving it*)."""

from __future__ import annotations

import datetime as dt


def next_watermark(
    *,
    held: dt.datetime | None,
    current: dt.datetime | None,
    new: dt.datetime | None,
    fresh_start: bool,
) -> dt.datetime | None:
    """The value to set, or None to leave the watermark alone.

    ``held`` is what the run found at its start, ``current`` what is there now, ``new`` the date of
    the last block processed. A run only moves the watermark forward, but after Clear Date; and a
    person who cleared it or set it back while the run was going on wins.
    """
    if new is None or new == current:
        return None
    if current == held:
        return new if held is None or new > held or fresh_start else None
    if current is None or (held is not None and current < held):
        return None
    return new if new > current else None
