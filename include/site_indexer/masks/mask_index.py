"""Which of very many masks match a URL, without asking each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Sequence

from site_indexer.masks.expressions import ExpressionError, ExpressionSet
from site_indexer.masks.mask import Mask
from site_indexer.masks.model import UrlMask
from site_indexer.urls.kinds import MaskKind

# RE2's memory for a set: its own default, and one mebibyte more for each so many expressions.
_SET_MEBIBYTES = 8
_EXPRESSIONS_PER_MEBIBYTE = 256


class MaskIndex:
    """Masks by position. Prefixes are found by bisection, all others by one pass of an RE2 set."""

    __slots__ = ("_prefixes", "_searched")

    def __init__(self, masks: Sequence[UrlMask]) -> None:
        """Take the masks; masks of other classes than :class:`Mask` are asked one by one."""
        prefixes: dict[str, list[int]] = defaultdict(list)
        searched: dict[int, UrlMask] = {}
        for position, mask in enumerate(masks):
            if isinstance(mask, Mask) and mask.kind is MaskKind.PREFIX:
                prefixes[mask.literal_prefix].append(position)
            else:
                searched[position] = mask
        self._prefixes = _PrefixIndex(prefixes)
        self._searched = _searcher(searched)

    def matching(self, url: str) -> list[int]:
        """Return the positions of all masks that match a normalized URL, in ascending order."""
        return sorted({*self._prefixes.matching(url), *self._searched(url)})


class _PrefixIndex:
    """Sorted prefixes, each with the next shorter one that it starts with.

    All prefixes of a URL lie on the way up from the one that sorts just before the URL.
    """

    __slots__ = ("_parents", "_positions", "_texts")

    def __init__(self, positions: dict[str, list[int]]) -> None:
        self._texts = sorted(positions)
        self._positions = [positions[text] for text in self._texts]
        self._parents: list[int] = []
        above: list[int] = []
        for place, text in enumerate(self._texts):
            while above and not text.startswith(self._texts[above[-1]]):
                above.pop()
            self._parents.append(above[-1] if above else -1)
            above.append(place)

    def matching(self, url: str) -> list[int]:
        found: list[int] = []
        place = bisect_right(self._texts, url) - 1
        while place >= 0:
            if url.startswith(self._texts[place]):
                found += self._positions[place]
            place = self._parents[place]
        return found


def _searcher(masks: dict[int, UrlMask]) -> Callable[[str], list[int]]:
    """Return the search of many masks; one by one where RE2 has no memory for all together."""

    def one_by_one(url: str) -> list[int]:
        return [position for position, mask in masks.items() if mask.matches(url)]

    others = [position for position, mask in masks.items() if not isinstance(mask, Mask)]
    owners: list[int] = []
    patterns: list[str] = []
    for position, mask in masks.items():
        for expression in mask.expressions if isinstance(mask, Mask) else ():
            patterns.append(expression)
            owners.append(position)
    if not patterns:
        return one_by_one
    try:
        together = ExpressionSet(
            patterns, max_mebibytes=_SET_MEBIBYTES + len(patterns) // _EXPRESSIONS_PER_MEBIBYTE
        )
    except ExpressionError:
        return one_by_one

    def all_at_once(url: str) -> list[int]:
        members = together.matching(url)
        if members is None:
            return one_by_one(url)
        found = [owners[member] for member in members]
        return found + [position for position in others if masks[position].matches(url)]

    return all_at_once
