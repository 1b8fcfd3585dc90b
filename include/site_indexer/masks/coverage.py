"""Whether one mask surely matches all that another one matches."""

from __future__ import annotations

from site_indexer.masks.mask import Mask
from site_indexer.urls.kinds import MaskKind

# Stands for "any text": no character of a URL, so only a star of the wider mask can match it.
_ANYTHING = "\0"


def covers(wider: Mask, narrower: Mask) -> bool:
    """Return True where every URL that ``narrower`` matches is matched by ``wider`` as well.

    Sure, not complete: False also means that it takes more thought than this. Used for commands
    that can have no effect (docs/spec/03-planning.md, *What is dropped*).
    """
    if wider == narrower:
        return True
    if wider.kind is MaskKind.REGEXP:
        return False
    return all(wider.matches(sample) for sample in _samples(narrower))


def _samples(mask: Mask) -> tuple[str, ...]:
    if mask.kind is MaskKind.WILDCARD:
        return tuple(_ANYTHING.join(reading) for reading in mask.readings)
    return (mask.literal_prefix + _ANYTHING,)
