"""The rule list of one block: its own rules, the site's, and what its commands name.

Rules: docs/spec/02-urls-and-masks.md, *Rules*.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from site_indexer.index_script.model import Action, Block, Command
from site_indexer.index_script.spelling import line_of
from site_indexer.masks import Rule, RuleAction, RuleList, RuleOrigin, compile_mask
from site_indexer.planning.model import DroppedCommand, Plan, PlannedCommand
from site_indexer.planning.site_view import SiteView
from site_indexer.urls import normalize
from site_indexer.urls.kinds import MaskKind


def rules_of_block(plan: Plan, block_number: int, site: SiteView | None = None) -> RuleList:
    """Return the rules that judge the URLs which a block of a plan reaches.

    In order: the block's own, the site's masks, an include for each entry point, for each URL the
    block adds and for each mask it updates (dropped commands too: pages below them may still be
    reached). Flags of ``add`` and ``update`` do not pass to these. Raises IndexError where there
    is no such block.
    """
    return _PlanRules(plan, site).of_block(block_number)


def rules_of_blocks(plan: Plan, site: SiteView | None = None) -> dict[int, RuleList]:
    """Return the rules of every block of a plan by number; see :func:`rules_of_block`."""
    rules = _PlanRules(plan, site)
    return {block.number: rules.of_block(block.number) for block in plan.blocks}


def rules_of_script_block(
    block: Block, site: SiteView | None = None, *, now: dt.datetime
) -> RuleList:
    """Return the rules that a run at ``now`` would judge by, were this block its only one."""
    return _completed(
        [command for command in block.commands if command.action.is_rule],
        rules_of_site(site),
        [
            _Named(command.action is Action.UPDATE, command.line, block.line, text, kind)
            for command in block.commands
            if command.action in (Action.ADD, Action.UPDATE)
            for text, kind in _texts(command)
        ],
        now=now,
        zone=_zone(site),
    )


def rule_of(command: Command, origin: RuleOrigin) -> Rule:
    """Return the rule of an include or exclude command; raises MaskError for an invalid mask."""
    excludes = command.action.value.startswith(RuleAction.EXCLUDE.value)
    return Rule(
        action=RuleAction.EXCLUDE if excludes else RuleAction.INCLUDE,
        mask=compile_mask(command.mask or "", command.mask_kind or MaskKind.PREFIX),
        origin=origin,
        text=line_of(command),
        line=command.line if origin is RuleOrigin.SCRIPT else None,
        days=command.days,
        date=command.date,
        server_date=command.server_date,
        nofollow=command.nofollow,
        noindex=command.noindex,
    )


def rules_of_site(site: SiteView | None) -> tuple[Rule, ...]:
    """Return the site's own masks, then an include for each entry point; none without a site."""
    if site is None:
        return ()
    masks = (rule_of(command, RuleOrigin.SITE) for command in site.masks)
    return (*masks, *(_of_entry_point(url) for url in site.entry_points))


class _PlanRules:
    """Rule lists of the blocks of one plan; what they share is worked out once."""

    def __init__(self, plan: Plan, site: SiteView | None) -> None:
        self._plan = plan
        self._zone = _zone(site)
        self._of_site = rules_of_site(site)
        self._named: dict[int, list[_Named]] = defaultdict(list)
        for named in _named(plan):
            self._named[named.block_line].append(named)

    def of_block(self, number: int) -> RuleList:
        block = self._plan.blocks[number]
        named = self._named[block.line]
        return _completed(block.rules, self._of_site, named, now=self._plan.now, zone=self._zone)


def _completed(
    own: Iterable[Command],
    of_site: Iterable[Rule],
    named: Iterable[_Named],
    *,
    now: dt.datetime,
    zone: dt.tzinfo,
) -> RuleList:
    rules = (
        *(rule_of(command, RuleOrigin.SCRIPT) for command in own),
        *of_site,
        *(each.as_rule() for each in sorted(named)),
    )
    return RuleList(rules, now=now, zone=zone)


def _zone(site: SiteView | None) -> dt.tzinfo:
    return dt.UTC if site is None else site.zone


@dataclass(frozen=True, slots=True, order=True)
class _Named:
    """A URL that a block adds, or a mask that it updates. Adds sort before updates."""

    is_update: bool
    line: int
    block_line: int
    text: str
    kind: MaskKind

    def as_rule(self) -> Rule:
        words = ["update" if self.is_update else "add"]
        words += ["regexp"] * (self.kind is MaskKind.REGEXP)
        return Rule(
            action=RuleAction.INCLUDE,
            mask=compile_mask(self.text, self.kind),
            origin=RuleOrigin.UPDATE if self.is_update else RuleOrigin.ADD,
            text=" ".join([*words, self.text]),
            line=self.line,
        )


def _named(plan: Plan) -> Iterator[_Named]:
    commands: Iterable[PlannedCommand | DroppedCommand] = (
        *(command for step in plan.steps if step.crawls for command in step.commands),
        *plan.dropped,
    )
    for command in commands:
        if command.url is not None:
            yield _Named(False, command.line, command.block_line, command.url, MaskKind.PREFIX)
        elif command.mask is not None and command.mask_kind is not None:
            yield _Named(True, command.line, command.block_line, command.mask, command.mask_kind)


def _texts(command: Command) -> Iterator[tuple[str, MaskKind]]:
    for url in command.urls:
        yield normalize(url), MaskKind.PREFIX
    if command.mask is not None and command.mask_kind is not None:
        yield command.mask, command.mask_kind


def _of_entry_point(url: str) -> Rule:
    return Rule(
        action=RuleAction.INCLUDE,
        mask=compile_mask(url, MaskKind.PREFIX),
        origin=RuleOrigin.ENTRY_POINT,
        text=f"include {url}",
    )
