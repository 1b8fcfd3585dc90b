"""Named facts for people, one a line, their values below each other."""

from __future__ import annotations

from site_indexer.index_script.rendering import printable

_NAME_WIDTH = 14


def fact_line(name: str, value: str) -> str:
    """A fact as one line; "" as name goes on with the fact before. Unprintable characters show."""
    return f"{name:<{_NAME_WIDTH}}{printable(value)}"
