"""Blocks whose rules say the same of every URL, so that only the newest of them need be asked.

A site that appends a block a day, each adding a page or two and following the links from there,
would else have every page judged once for each block, all with the same answer
(docs/spec/04-crawling.md, 4.8 Deciding).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from site_indexer.crawling.model import Reach
from site_indexer.masks import Mask, Rule, RuleList, covers

# Asked whether they cover a later rule; lists that need more are compared as they stand.
_MOST_COVERING = 32

_Effect = tuple[object, ...]


class LikeMinded:
    """Which blocks judge alike."""

    def __init__(self, rules: Mapping[int, RuleList]) -> None:
        numbers: dict[tuple[_Effect, ...], int] = {}
        self._class_of = {
            block: numbers.setdefault(tuple(_effects(found)), block)
            for block, found in rules.items()
        }

    def is_spoken_for(self, reach: Reach, reaches: Mapping[int, Reach]) -> bool:
        """Whether one of the reaches, of a newer block, says all that this one could say.

        It does if the blocks judge alike, the flags are the same, and the newer one is as near
        and, where this one is named, named as well.
        """
        mine = self._class_of.get(reach.block)
        return mine is not None and any(
            block > reach.block
            and self._class_of.get(block) == mine
            and newer.depth <= reach.depth
            and newer.named >= reach.named
            and (newer.nofollow, newer.noindex) == (reach.nofollow, reach.noindex)
            for block, newer in reaches.items()
        )


def _effects(rules: RuleList) -> Iterator[_Effect]:
    """The rules that can decide, each as what it does: none that an earlier one leaves nothing."""
    covering: list[Mask] = []
    for rule in rules.rules:
        mask = rule.mask
        if not isinstance(mask, Mask):
            yield (id(rule),)
        elif not any(covers(wider, mask) for wider in covering):
            if not rule.is_dated and len(covering) < _MOST_COVERING:
                covering.append(mask)
            yield _effect(rule, mask)


def _effect(rule: Rule, mask: Mask) -> _Effect:
    return (
        rule.action,
        mask,
        rule.days,
        rule.date,
        rule.server_date,
        rule.nofollow,
        rule.noindex,
    )
