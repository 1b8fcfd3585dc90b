"""Blocks whose rules say the same of every URL, so that only the newest of them need be asked.

A site that appends a block a day, each adding a page or two and following the links from there,
would else have every page judged once for each block, all with the same answer
(docs/spec/04-crawling.md, 4.8 Deciding).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from site_indexer.crawling.model import FlaggedCommand, Reach
from site_indexer.index_script.model import Action
from site_indexer.masks import Mask, Rule, RuleList, RuleOrigin, covers

# Asked whether they cover a later rule; lists that need more are compared as they stand.
_MOST_COVERING = 32

_Effect = tuple[object, ...]


class LikeMinded:
    """Which blocks judge alike.

    ``update`` commands ask what the blocks before them wrote, so a block does not speak for an
    older one across a block that updates by other rules. Nor across one that may keep pages from
    being written, nor in it or for it, as then it matters which turns lead to them. Nor where
    commands name the URL with flags, which go before all else that leads there. Nor does a turn
    whose commands name pages nofollow: there it stops, and the older one goes on.
    """

    def __init__(
        self, rules: Mapping[int, RuleList], flagged: Iterable[FlaggedCommand] = ()
    ) -> None:
        """``flagged``: the commands of the blocks that have flags."""
        numbers: dict[tuple[_Effect, ...], int] = {}
        self._class_of = {
            block: numbers.setdefault(tuple(_effects(rules[block])), block)
            for block in sorted(rules)
        }
        self._other_updates_before: dict[int, int] = {}
        updates: Counter[int] = Counter()
        for block, judges in self._class_of.items():
            self._other_updates_before[block] = updates.total() - updates[judges]
            if any(rule.origin is RuleOrigin.UPDATE for rule in rules[block].rules):
                updates[judges] += 1
        apart = {
            block for block, found in rules.items() if any(rule.noindex for rule in found.rules)
        }
        self._stops: dict[int, set[str]] = defaultdict(set)
        for command in flagged:
            if command.noindex:
                apart.add(command.block)
            if command.nofollow:
                self._stops[command.turn].add(command.named)
        self._apart = sorted(apart)

    def class_of(self, block: int) -> int:
        """The first block that judges as that one does."""
        return self._class_of.get(block, block)

    def is_spoken_for(self, reach: Reach, reaches: Mapping[int, Reach]) -> bool:
        """Whether one of the reaches, by turn, says all that this one could say."""
        return any(True for _ in self.speakers(reach, reaches))

    def speakers(self, reach: Reach, reaches: Mapping[int, Reach]) -> Iterator[Reach]:
        """Those of the reaches, by turn, that say all that this one could say.

        One of a newer block does if the blocks judge alike, neither has flags, and it is as near
        and, where this one is named, named as well. So does one of the same block.
        """
        mine = self._class_of.get(reach.block)
        if mine is None or reach.nofollow or reach.noindex:
            return
        for newer in reaches.values():
            if (
                newer.block >= reach.block
                and newer.turn != reach.turn
                and newer.depth <= reach.depth
                and newer.named >= reach.named
                and not (newer.nofollow or newer.noindex)
                and self._class_of.get(newer.block) == mine
                and self._may_speak(newer, reach)
            ):
                yield newer

    def _may_speak(self, newer: Reach, reach: Reach) -> bool:
        before = self._other_updates_before
        return (
            before[newer.block] == before[reach.block]
            and bisect_right(self._apart, newer.block) == bisect_left(self._apart, reach.block)
            and self._stops_at_most_where(newer, reach)
        )

    def _stops_at_most_where(self, newer: Reach, reach: Reach) -> bool:
        """Whether the turn of the newer reach names no page nofollow but those the other does too.

        What an ``update`` names depends on what there is by then.
        """
        stops = self._stops.get(newer.turn)
        if stops is None:
            return True
        return newer.cause is Action.ADD and stops <= self._stops.get(reach.turn, set())


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
