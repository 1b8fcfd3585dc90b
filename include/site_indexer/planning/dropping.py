"""Which ``add`` and ``update`` commands can have no effect (docs/spec/03-planning.md, *Order*)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from site_indexer.index_script.model import Block, Command, Diagnostic
from site_indexer.masks import compile_mask
from site_indexer.planning.later_removals import LaterRemovals
from site_indexer.planning.model import DroppedCommand, PlannedCommand
from site_indexer.planning.own_exclusion import OwnExclusions, exclusion_warning
from site_indexer.planning.rules import rules_of_site
from site_indexer.planning.site_view import SiteView
from site_indexer.urls.kinds import MaskKind


class Dropping:
    """Sorts out commands of one plan, block by block; what is dropped and warned of adds up."""

    def __init__(self, removals: LaterRemovals, site: SiteView | None, now: dt.datetime) -> None:
        self.dropped: list[DroppedCommand] = []
        self.warnings: list[Diagnostic] = []
        self._removals = removals
        self._of_site = rules_of_site(site)
        self._zone = dt.UTC if site is None else site.zone
        self._now = now
        self._of_site_alone = self._exclusions(())

    def rules_before(self, block: Block) -> OwnExclusions:
        """Return the rules that may exclude what the block itself adds or updates."""
        own = [command for command in block.commands if command.action.is_rule]
        return self._exclusions(own) if own else self._of_site_alone

    def keeps(self, planned: PlannedCommand, command: Command, rules: OwnExclusions) -> bool:
        """Whether an ``add`` or ``update`` can have an effect; else it is among the dropped.

        One that the site's own masks exclude is warned of and kept: no line of the script undoes
        it, so the crawl reports it.
        """
        by_line = self._excluded_by(planned, command, rules)
        if by_line is None:
            by_line = self._undone_by(planned)
        if by_line is None:
            return True
        self.dropped.append(
            DroppedCommand(
                line=planned.line,
                block_line=planned.block_line,
                by_line=by_line,
                url=planned.url,
                mask=planned.mask,
                mask_kind=planned.mask_kind,
            )
        )
        return False

    def _excluded_by(
        self, planned: PlannedCommand, command: Command, rules: OwnExclusions
    ) -> int | None:
        if planned.url is not None:
            rule, named = rules.of_url(planned.url), command.urls[0]
        else:
            named = planned.mask or ""
            rule = rules.of_mask(compile_mask(named, planned.mask_kind or MaskKind.PREFIX))
        if rule is None:
            return None
        self.warnings.append(exclusion_warning(command, named, rule))
        return rule.line

    def _undone_by(self, planned: PlannedCommand) -> int | None:
        if planned.url is not None:
            removal = self._removals.of_url(planned.url, planned.block)
        else:
            mask = compile_mask(planned.mask or "", planned.mask_kind or MaskKind.PREFIX)
            removal = self._removals.of_mask(mask, planned.block)
        return None if removal is None else removal.line

    def _exclusions(self, own: Sequence[Command]) -> OwnExclusions:
        return OwnExclusions(own, self._of_site, now=self._now, zone=self._zone)
