"""Which of very many wildcards and expressions match a URL, without asking each of them.

One pass finds which of the texts that they need are in the URL; only masks whose own is there are
asked. An automaton that searches for all masks at once, in comparison, has to know all combinations
of half-matched masks, and with hundreds of wildcards these are too many.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence

from site_indexer.masks.expressions import ExpressionError, ExpressionFilter, TextSet
from site_indexer.masks.mask import Mask

Search = Callable[[str], list[int]]
"""Gives the positions of the masks that match a URL, in any order, some perhaps twice."""

Placed = tuple[int, Mask]

# Measured: longer texts tell no more masks apart, and take more memory to find.
_LONGEST_TEXT = 16
_SHORTEST_TEXT = 2
# Masks that share the text which tells them from others best are better searched as a whole.
_MOST_OF_ONE_TEXT = 16
# Measured: twice as many in one pass take longer than two passes.
_AT_ONCE = 2_000


def searches(masks: Sequence[Placed]) -> Iterator[Search]:
    """Yield searches that together find all of the masks, which stand in ascending order."""
    told_apart: dict[str, list[Placed]] = defaultdict(list)
    counts = Counter(
        text
        for _, mask in masks
        for text in {_tail(text) for texts in mask.required for text in texts}
    )
    for place, mask in masks:
        for texts in mask.required:
            tails = [tail for text in texts if len(tail := _tail(text)) >= _SHORTEST_TEXT]
            rarest = min(tails, key=lambda tail: (counts[tail], -len(tail)), default="")
            told_apart[rarest].append((place, mask))
    crowded = {
        text for text, sharing in told_apart.items() if not text or len(sharing) > _MOST_OF_ONE_TEXT
    }
    whole = dict.fromkeys(placed for text in crowded for placed in told_apart.pop(text))
    others = sorted(whole, key=lambda placed: placed[0])
    for start in range(0, len(others), _AT_ONCE):
        yield from _by_expressions(others[start : start + _AT_ONCE])
    items = list(told_apart.items())
    for start in range(0, len(items), _AT_ONCE):
        yield from _by_texts(dict(items[start : start + _AT_ONCE]))


def _tail(text: str) -> str:
    return text[-_LONGEST_TEXT:]


def _by_texts(masks: dict[str, list[Placed]]) -> Iterator[Search]:
    """Yield a search of masks by a text that each needs, or several if that takes too much."""
    everyone = list(dict.fromkeys(placed for sharing in masks.values() for placed in sharing))
    one_by_one = asked_one_by_one(everyone)
    try:
        texts = TextSet(list(masks))
    except ExpressionError:
        if len(masks) == 1:
            yield one_by_one
            return
        items = list(masks.items())
        yield from _by_texts(dict(items[: len(items) // 2]))
        yield from _by_texts(dict(items[len(items) // 2 :]))
        return
    sharing = [[], *([(place, mask.test) for place, mask in placed] for placed in masks.values())]

    def search(url: str) -> list[int]:
        found = texts.found_in(url)
        if found is None:
            return one_by_one(url)
        return [place for text in found for place, test in sharing[text] if test(url)]

    yield search


def _by_expressions(masks: Sequence[Placed]) -> Iterator[Search]:
    """Yield a search of masks by their expressions, or several if that takes too much."""
    one_by_one = asked_one_by_one(masks)
    places = [place for place, mask in masks for _ in mask.expressions]
    patterns = [pattern for _, mask in masks for pattern in mask.expressions]
    try:
        together = ExpressionFilter(patterns, places)
    except ExpressionError:
        if len(masks) == 1:
            yield one_by_one
            return
        yield from _by_expressions(masks[: len(masks) // 2])
        yield from _by_expressions(masks[len(masks) // 2 :])
        return

    def search(url: str) -> list[int]:
        found = together.matching(url)
        return one_by_one(url) if found is None else found

    yield search


def asked_one_by_one(masks: Sequence[Placed]) -> Search:
    """Return the search that asks each mask."""
    return lambda url: [place for place, mask in masks if mask.matches(url)]
