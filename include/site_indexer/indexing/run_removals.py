"""What the delete and deletemask commands of one run match, and from which block on."""

from __future__ import annotations

from dataclasses import dataclass

from site_indexer.index_script.model import Action
from site_indexer.masks.mask import Mask, compile_mask
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.model import Plan


@dataclass(frozen=True, slots=True)
class RunRemovals:
    """Deleted URLs with the newest block that deletes each, and masks with theirs."""

    newest_block_of_url: dict[str, int]
    masks: MaskIndex
    mask_blocks: tuple[int, ...]

    @classmethod
    def of_plan(cls, plan: Plan) -> RunRemovals:
        """Collect the removals of a plan."""
        of_url: dict[str, int] = {}
        masks: list[Mask] = []
        mask_blocks: list[int] = []
        for action in (Action.DELETE, Action.DELETEMASK):
            step = plan.step(action)
            for command in step.commands if step else ():
                if command.url is not None:
                    of_url[command.url] = max(command.block, of_url.get(command.url, 0))
                elif command.mask is not None and command.mask_kind is not None:
                    masks.append(compile_mask(command.mask, command.mask_kind))
                    mask_blocks.append(command.block)
        return cls(of_url, MaskIndex(masks), tuple(mask_blocks))

    def any_match(self, url: str) -> bool:
        """Whether any command of the run removes the URL."""
        return self.newer_match(url, -1)

    def newer_match(self, url: str, block: int) -> bool:
        """Whether a block after that one removes the URL."""
        if self.newest_block_of_url.get(url, -1) > block:
            return True
        return any(self.mask_blocks[place] > block for place in self.masks.matching(url))
