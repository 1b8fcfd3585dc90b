"""Numbers of things in sentences for people."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, in the plural but for one: ``1 error``, ``2,000 errors``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
