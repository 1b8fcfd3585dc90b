"""Which of very many masks match a URL, without asking each of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence

from site_indexer.masks.mask import Mask
from site_indexer.masks.mask_search import searches
from site_indexer.masks.model import UrlMask
from site_indexer.urls.kinds import MaskKind


class MaskIndex:
    """Masks by position.

    Prefixes are found by bisection, all others by few passes that look for what they need. Masks
    of other classes than :class:`Mask` are asked one by one.
    """

    __slots__ = ("_others", "_prefixes", "_searches")

    def __init__(self, masks: Sequence[UrlMask]) -> None:
        prefixes: dict[str, list[int]] = defaultdict(list)
        searched: list[tuple[int, Mask]] = []
        self._others: list[tuple[int, UrlMask]] = []
        for position, mask in enumerate(masks):
            if not isinstance(mask, Mask):
                self._others.append((position, mask))
            elif (prefix := _as_prefix(mask)) is not None:
                prefixes[prefix].append(position)
            else:
                searched.append((position, mask))
        self._prefixes = _PrefixIndex(prefixes)
        self._searches = tuple(searches(searched))

    def matching(self, url: str) -> list[int]:
        """Return the positions of all masks that match a normalized URL, in ascending order."""
        return sorted({*self._prefixes.matching(url), *self._searched(url)})

    def first(self, url: str) -> int | None:
        """Return the first of these positions, None if there is none."""
        first = self._prefixes.first(url)
        for search in self._searches:
            for position in search(url):
                if first is None or position < first:
                    first = position
        if self._others:
            others = (place for place, mask in self._others if mask.matches(url))
            return min(others if first is None else (first, *others), default=None)
        return first

    def _searched(self, url: str) -> Iterator[int]:
        for search in self._searches:
            yield from search(url)
        yield from (place for place, mask in self._others if mask.matches(url))


def _as_prefix(mask: Mask) -> str | None:
    """Return the prefix that a mask means, if it means one: ``https://h/a*`` does, too."""
    if mask.kind is MaskKind.PREFIX:
        return mask.literal_prefix
    if len(mask.readings) == 1 and mask.readings[0][1:] == ("",):
        return mask.literal_prefix
    return None


class _PrefixIndex:
    """Sorted prefixes, each with the next shorter one that it starts with.

    All prefixes of a URL lie on the way up from the one that sorts just before the URL.
    """

    __slots__ = ("_firsts", "_parents", "_positions", "_texts")

    def __init__(self, positions: dict[str, list[int]]) -> None:
        self._texts = sorted(positions)
        self._positions = [positions[text] for text in self._texts]
        self._parents: list[int] = []
        self._firsts: list[int] = []  # of a text and all on its way up
        above: list[int] = []
        for place, text in enumerate(self._texts):
            while above and not text.startswith(self._texts[above[-1]]):
                above.pop()
            first = min(self._positions[place])
            self._firsts.append(min(first, self._firsts[above[-1]]) if above else first)
            self._parents.append(above[-1] if above else -1)
            above.append(place)

    def matching(self, url: str) -> list[int]:
        """Return the positions of all that a URL starts with, in no order."""
        found: list[int] = []
        place = self._longest(url)
        while place >= 0:
            found += self._positions[place]
            place = self._parents[place]
        return found

    def first(self, url: str) -> int | None:
        """Return the lowest of these positions."""
        place = self._longest(url)
        return None if place < 0 else self._firsts[place]

    def _longest(self, url: str) -> int:
        texts, parents = self._texts, self._parents
        place = bisect_right(texts, url) - 1
        while place >= 0 and not url.startswith(texts[place]):
            place = parents[place]
        return place
