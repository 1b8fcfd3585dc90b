"""Which command of a later block removes what a command would write."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence

from site_indexer.masks import Mask, cover_samples
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.model import PlannedCommand
from site_indexer.urls.kinds import MaskKind


class LaterRemovals:
    """The removals of a plan, in the order in which the blocks would run them."""

    def __init__(
        self, deletes: Sequence[PlannedCommand], deletemasks: Sequence[PlannedCommand]
    ) -> None:
        """Take the ``delete`` and the ``deletemask`` commands, each oldest block first."""
        self._deletes: dict[str, list[PlannedCommand]] = defaultdict(list)
        for command in deletes:
            self._deletes[command.url or ""].append(command)
        self._deletemasks = deletemasks
        self._masks = [
            Mask(command.mask or "", command.mask_kind or MaskKind.PREFIX)
            for command in deletemasks
        ]
        self._index = MaskIndex(self._masks)
        self._same: dict[Mask, list[int]] = defaultdict(list)
        for place, mask in enumerate(self._masks):
            self._same[mask].append(place)

    def of_url(self, url: str, block: int) -> PlannedCommand | None:
        """Return the first command of a later block that removes the URL, or None."""
        deletes = self._deletes.get(url, [])
        delete = deletes[bisect_left(deletes, block + 1, key=_block) :][:1]
        deletemask = self._first(self._index.matching(url), block)
        return min((*delete, *deletemask), key=_order, default=None)

    def of_mask(self, mask: Mask, block: int) -> PlannedCommand | None:
        """Return the first ``deletemask`` of a later block that removes all that a mask matches."""
        samples = [set(self._index.matching(sample)) for sample in cover_samples(mask)]
        covering = {
            place
            for place in set.intersection(*samples)
            if self._masks[place].kind is not MaskKind.REGEXP
        }
        places = sorted(covering.union(self._same.get(mask, ())))
        return next(iter(self._first(places, block)), None)

    def _first(self, places: Iterable[int], block: int) -> list[PlannedCommand]:
        """Return the first ``deletemask`` of a later block, if any; places are ascending."""
        later = (self._deletemasks[place] for place in places)
        return next(([command] for command in later if command.block > block), [])


def _block(command: PlannedCommand) -> int:
    return command.block


def _order(command: PlannedCommand) -> tuple[int, bool, int]:
    return (command.block, command.url is None, command.line)
