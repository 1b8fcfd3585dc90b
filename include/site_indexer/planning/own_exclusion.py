"""Commands that the rules of their own block, or of the site, leave without effect.

Rules: docs/spec/02-urls-and-masks.md, *Rules*: an exclude wins over an ``add`` or ``update`` of
the same block.
"""

from __future__ import annotations

import datetime as dt
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
    covers,
    disjoint,
)
from site_indexer.planning.rules import rule_of


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

    def of_url(self, url: str) -> Rule | None:
        """Return the rule that excludes a URL whatever its document's date is, or None."""
        judgement = self._rules.judge(url)
        return judgement.rule if judgement.outcome is Outcome.EXCLUDE else None

    def of_mask(self, mask: Mask) -> Rule | None:
        """Return the rule that surely excludes all that a mask matches, or None."""
        for rule in self._rules.rules:
            if not isinstance(rule.mask, Mask) or disjoint(rule.mask, mask):
                continue
            if rule.action is RuleAction.INCLUDE:
                return None
            if not rule.is_dated and covers(rule.mask, mask):
                return rule
        return None


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
