"""The URLs that a run's add and update commands name (docs/spec/03-planning.md, *Order*)."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from site_indexer.crawling.model import (
    FlaggedCommand,
    PageRecord,
    Reach,
    RecordAction,
    Seed,
    turn_of,
)
from site_indexer.index_script.model import Action
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.masks.mask import Mask, compile_mask
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.model import Plan, PlannedCommand
from site_indexer.urls.kinds import MaskKind

logger = logging.getLogger(__name__)


def add_seeds(commands: Iterable[PlannedCommand]) -> list[Seed]:
    """The seeds of ``add`` commands: the URLs themselves."""
    return [
        _seed(command, command.url, Action.ADD) for command in commands if command.url is not None
    ]


def flagged_commands(plan: Plan) -> list[FlaggedCommand]:
    """The ``add`` and ``update`` commands of a plan that have flags."""
    return [
        FlaggedCommand(
            block=command.block,
            cause=cause,
            named=command.url or command.mask or "",
            nofollow=command.nofollow,
            noindex=command.noindex,
        )
        for cause in (Action.ADD, Action.UPDATE)
        if (step := plan.step(cause)) is not None
        for command in step.commands
        if command.nofollow or command.noindex
    ]


class UpdateListing:
    """The documents that ``update`` commands match, as each command's block finds them.

    That is: what the base holds, less what any block of the run deletes, plus what blocks up to
    the command's own added and no block deletes afterwards. What an older block's own ``update``
    led to is there too by then.
    """

    def __init__(self, commands: Iterable[PlannedCommand], removals: RunRemovals) -> None:
        self._commands = [command for command in commands if command.mask is not None]
        self._masks = [
            compile_mask(command.mask or "", command.mask_kind or MaskKind.PREFIX)
            for command in self._commands
        ]
        self._index = MaskIndex(self._masks)
        self._removals = removals
        self._nofollow: dict[int, list[Mask]] = defaultdict(list)
        for command, mask in zip(self._commands, self._masks, strict=True):
            if command.nofollow:
                self._nofollow[turn_of(command.block, Action.UPDATE)].append(mask)

    def begin(self, documents: StoredDocuments, done: Iterable[PageRecord]) -> list[Seed]:
        """The seeds that the base gives, and what the ``add`` step of the run wrote."""
        found: dict[Seed, None] = {}
        for command, mask in zip(self._commands, self._masks, strict=True):
            for url in documents.matching(mask):
                if not self._removals.any_match(url):
                    found[_seed(command, url, Action.UPDATE)] = None
        for record in done:
            if record.action is RecordAction.WRITE:
                found.update(dict.fromkeys(self.seeds(record.url, record.writers)))
        counts = Counter(seed.line for seed in found)
        for command in self._commands:
            logger.info(
                "line %d: update %s %s: %d documents to look at",
                command.line,
                command.mask_kind,
                command.mask,
                counts[command.line],
            )
        return list(found)

    def seeds(self, url: str, writers: Sequence[Reach]) -> Iterator[Seed]:
        """The seeds of a page that these reaches write in this run."""
        for position in self._index.matching(url):
            command = self._commands[position]
            turn = _seed(command, url, Action.UPDATE).turn
            before = [writer.block for writer in writers if writer.turn < turn]
            if before and not self._removals.newer_match(url, max(before)):
                yield _seed(command, url, Action.UPDATE)

    def is_nofollow(self, url: str, turn: int) -> bool:
        """Whether a command of the turn would list the URL, nofollow, if it had a document."""
        return any(mask.matches(url) for mask in self._nofollow.get(turn, ()))


def _seed(command: PlannedCommand, url: str, cause: Action) -> Seed:
    return Seed(
        url=url,
        block=command.block,
        line=command.line,
        cause=cause,
        nofollow=command.nofollow,
        noindex=command.noindex,
    )
