"""Whether one mask surely matches all, or nothing, of what another one matches.

Sure, not complete: False also means that it takes more thought than this. Used for commands that
can have no effect (docs/spec/03-planning.md, *What is dropped*).
"""

from __future__ import annotations

from site_indexer.masks.mask import Mask
from site_indexer.urls.kinds import MaskKind

# Stands for "any text": no character of a URL, so only a star of the wider mask can match it.
_ANYTHING = "\0"


def covers(wider: Mask, narrower: Mask) -> bool:
    """Return True where every URL that ``narrower`` matches is matched by ``wider`` as well."""
    if wider == narrower:
        return True
    if wider.kind is MaskKind.REGEXP:
        return False
    return all(wider.matches(sample) for sample in cover_samples(narrower))


def cover_samples(mask: Mask) -> tuple[str, ...]:
    """Return texts such that a prefix or wildcard that matches all of them covers the mask."""
    if mask.kind is MaskKind.WILDCARD:
        return tuple(_ANYTHING.join(reading) for reading in mask.readings)
    return (mask.literal_prefix + _ANYTHING,)


def disjoint(one: Mask, other: Mask) -> bool:
    """Return True where no URL can match both."""
    first, second = one.literal_prefix, other.literal_prefix
    return not first.startswith(second) and not second.startswith(first)
