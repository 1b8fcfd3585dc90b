"""Commands that the rules of their own block, or of the site, leave without effect.

Rules: docs/spec/02-urls-and-masks.md, *Rules*: an exclude wins over an ``add`` or ``update`` of
the same block.
"""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence

from site_indexer.index_script.model import Action, Command, Diagnostic, Severity
from site_indexer.index_script.spelling import line_of
from site_indexer.masks import (
    Mask,
    Outcome,
    Rule,
    RuleAction,
    RuleList,
    RuleOrigin,
    UrlMask,
    cover_samples,
    disjoint,
)
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.planning.rules import rule_of
from site_indexer.urls.kinds import MaskKind


class OwnExclusions:
    """The rules that are asked before the includes which a block's own commands give."""

    def __init__(
        self,
        own: Sequence[Command],
        of_site: Sequence[Rule],
        *,
        now: dt.datetime,
        zone: dt.tzinfo,
    ) -> None:
        rules = (*(rule_of(command, RuleOrigin.SCRIPT) for command in own), *of_site)
        self._rules = RuleList(rules, now=now, zone=zone)
        self._index: MaskIndex | None = None
        self._same: dict[UrlMask, list[int]] = defaultdict(list)

    def of_url(self, url: str) -> Rule | None:
        """Return the rule that excludes a URL whatever its document's date is, or None."""
        judgement = self._rules.judge(url)
        return judgement.rule if judgement.outcome is Outcome.EXCLUDE else None

    def of_mask(self, mask: Mask) -> Rule | None:
        """Return the rule that surely excludes all that a mask matches, or None."""
        for place in self._covering(mask):
            rule = self._rules.rules[place]
            if rule.action is RuleAction.EXCLUDE and not rule.is_dated:
                return None if self._is_let_in_before(place, mask) else rule
        return None

    def _covering(self, mask: Mask) -> list[int]:
        """Return the places of the rules whose masks surely match all that a mask matches."""
        if self._index is None:
            masks = [rule.mask for rule in self._rules.rules]
            self._index = MaskIndex(masks)
            for place, each in enumerate(masks):
                self._same[each].append(place)
        samples = [set(self._index.matching(sample)) for sample in cover_samples(mask)]
        covering = {
            place
            for place in set.intersection(*samples)
            if _is_sure(self._rules.rules[place].mask, mask)
        }
        return sorted(covering.union(self._same.get(mask, ())))

    def _is_let_in_before(self, end: int, mask: Mask) -> bool:
        """Whether an include before a place may let in some of what a mask matches."""
        return any(
            rule.action is RuleAction.INCLUDE
            and isinstance(rule.mask, Mask)
            and not disjoint(rule.mask, mask)
            for rule in self._rules.rules[:end]
        )


def _is_sure(wider: UrlMask, narrower: Mask) -> bool:
    """Whether matching a sample means to cover the mask: not so for expressions."""
    return (
        isinstance(wider, Mask)
        and wider.kind is not MaskKind.REGEXP
        and not disjoint(wider, narrower)
    )


def exclusion_warning(command: Command, named: str, rule: Rule) -> Diagnostic:
    """Return the warning that a rule excludes what a command names (a URL or mask as written)."""
    text = line_of(command)
    by = f"line {rule.line}" if rule.line is not None else f"the site's own mask `{rule.text}`"
    if command.action is Action.ADD:
        code, message = "add-excluded", f"line {command.line} adds a URL that {by} excludes"
    else:
        code = "update-excluded"
        message = f"line {command.line} updates only documents that {by} excludes"
    return Diagnostic(
        severity=Severity.WARNING,
        code=code,
        line=command.line,
        column=text.find(named) + 1,
        message=message,
        hint="It is not fetched, and stays as it is. To let it in, put an include above that line.",
        text=text,
    )
