"""Durations, sizes and shares as a site file writes them (docs/spec/07-site-definition.md, 7.2)."""

from __future__ import annotations

import datetime as dt
import re
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

_DURATION = re.compile(r"^(\d+(?:\.\d+)?)(ms|s|m|h|d)$")
_DURATION_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_SIZE = re.compile(r"^(\d+)(B|KiB|MiB|GiB)?$")
_SIZE_UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, None: 1}
# More is a slip of the pen, and what is reckoned with it would leave the calendar, or memory.
_MAX_DURATION = dt.timedelta(days=3650)
_MAX_SIZE = 64 * 2**30
_SHARE = re.compile(r"^(\d+(?:\.\d+)?)%$")


def parse_duration(value: object) -> dt.timedelta:
    """Read ``90s``, ``15m``, ``6h``, ``3d`` or ``200ms``. Raises ValueError with the form."""
    if isinstance(value, dt.timedelta):
        return value
    match = _DURATION.match(str(value).strip())
    if match is None:
        raise ValueError(f"expected a duration such as 200ms, 90s, 15m, 6h or 3d, not {value!r}")
    seconds = float(match[1]) * _DURATION_UNITS[match[2]]
    if seconds > _MAX_DURATION.total_seconds():
        raise ValueError(f"must be {_MAX_DURATION.days}d at most, not {value!r}")
    return dt.timedelta(seconds=seconds)


def parse_size(value: object) -> int:
    """Read ``64MiB``, ``512KiB`` or a number of bytes. Raises ValueError with the form."""
    match = _SIZE.match(str(value).strip())
    if match is None or isinstance(value, bool):
        raise ValueError(f"expected a size such as 10MiB, 512KiB or 4096, not {value!r}")
    # The number of digits first: Python refuses to read a number of thousands of them.
    if len(match[1]) > len(str(_MAX_SIZE)) or int(match[1]) * _SIZE_UNITS[match[2]] > _MAX_SIZE:
        raise ValueError(f"must be {_MAX_SIZE // 2**30}GiB at most")
    return int(match[1]) * _SIZE_UNITS[match[2]]


def parse_share(value: object) -> float:
    """Read ``20%`` as 0.2. Raises ValueError with the form."""
    if isinstance(value, float) and 0 <= value <= 1:
        return value
    match = _SHARE.match(str(value).strip())
    if match is None or float(match[1]) > 100:
        raise ValueError(f"expected a share from 0% to 100%, such as 20%, not {value!r}")
    return float(match[1]) / 100


def duration_text(value: dt.timedelta) -> str:
    """Write a duration as a site file does, in the largest unit that fits: ``15m``, ``200ms``."""
    milliseconds = value / dt.timedelta(milliseconds=1)
    for unit in ("d", "h", "m", "s"):
        count = milliseconds / (_DURATION_UNITS[unit] * 1000)
        if count >= 1 and count.is_integer():
            return f"{count:.0f}{unit}"
    return f"{milliseconds:.3f}".rstrip("0").rstrip(".") + "ms" if milliseconds else "0s"


def share_text(value: float) -> str:
    """Write a share as a site file does: ``20%``."""
    return f"{round(value * 100, 10):g}%"


def _schema(kinds: str | list[str], pattern: str, example: str) -> WithJsonSchema:
    return WithJsonSchema({"type": kinds, "pattern": pattern, "examples": [example]})


Duration = Annotated[
    dt.timedelta,
    BeforeValidator(parse_duration),
    PlainSerializer(duration_text, when_used="json"),
    _schema("string", _DURATION.pattern, "15m"),
]
Size = Annotated[
    int, BeforeValidator(parse_size), _schema(["string", "integer"], _SIZE.pattern, "10MiB")
]
Share = Annotated[
    float,
    BeforeValidator(parse_share),
    PlainSerializer(share_text, when_used="json"),
    _schema("string", _SHARE.pattern, "20%"),
]
