"""What the delete and deletemask commands of one run match, and from which block on."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from site_indexer.index_script.model import Action
from site_indexer.masks.mask import Mask, compile_mask
from site_indexer.planning.model import Plan


@dataclass(frozen=True, slots=True)
class RunRemovals:
    """Deleted URLs with the newest block that deletes each, and masks with their block."""

    newest_block_of_url: dict[str, int]
    masks: tuple[tuple[Mask, int], ...]

    @classmethod
    def of_plan(cls, plan: Plan) -> RunRemovals:
        """Collect the removals of a plan."""
        blocks: dict[str, list[int]] = defaultdict(list)
        masks: list[tuple[Mask, int]] = []
        for action in (Action.DELETE, Action.DELETEMASK):
            step = plan.step(action)
            for command in step.commands if step else ():
                if command.url is not None:
                    blocks[command.url].append(command.block)
                elif command.mask is not None and command.mask_kind is not None:
                    masks.append((compile_mask(command.mask, command.mask_kind), command.block))
        return cls(
            newest_block_of_url={url: max(found) for url, found in blocks.items()},
            masks=tuple(masks),
        )

    def any_match(self, url: str) -> bool:
        """Whether any command of the run removes the URL."""
        return url in self.newest_block_of_url or any(mask.matches(url) for mask, _ in self.masks)

    def newer_match(self, url: str, block: int) -> bool:
        """Whether a block after that one removes the URL."""
        newest = self.newest_block_of_url.get(url)
        if newest is not None and newest > block:
            return True
        return any(number > block and mask.matches(url) for mask, number in self.masks)
