"""What the delete and deletemask commands of one run match, and from which block on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from site_indexer.index_script.model import Action
from site_indexer.masks.mask import Mask, compile_mask
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.model import Plan


@dataclass(frozen=True, slots=True)
class RunRemovals:
    """Deleted URLs with the blocks that delete each, and masks with theirs."""

    blocks_of_url: dict[str, tuple[int, ...]]
    masks: MaskIndex
    mask_blocks: tuple[int, ...]

    @classmethod
    def of_plan(cls, plan: Plan) -> RunRemovals:
        """Collect the removals of a plan."""
        of_url: dict[str, tuple[int, ...]] = {}
        masks: list[Mask] = []
        mask_blocks: list[int] = []
        for action in (Action.DELETE, Action.DELETEMASK):
            step = plan.step(action)
            for command in step.commands if step else ():
                if command.url is not None:
                    of_url[command.url] = (*of_url.get(command.url, ()), command.block)
                elif command.mask is not None and command.mask_kind is not None:
                    masks.append(compile_mask(command.mask, command.mask_kind))
                    mask_blocks.append(command.block)
        return cls(of_url, MaskIndex(masks), tuple(mask_blocks))

    def any_match(self, url: str) -> bool:
        """Whether any command of the run removes the URL."""
        return self.newer_match(url, -1)

    def newer_match(self, url: str, block: int) -> bool:
        """Whether a block after that one removes the URL."""
        return any(each > block for each in self._blocks(url))

    def any_between(self, url: str, after: int, until: int) -> bool:
        """Whether a block after the one and up to the other removes the URL."""
        return any(after < each <= until for each in self._blocks(url))

    def _blocks(self, url: str) -> Iterator[int]:
        yield from self.blocks_of_url.get(url, ())
        yield from (self.mask_blocks[place] for place in self.masks.matching(url))
