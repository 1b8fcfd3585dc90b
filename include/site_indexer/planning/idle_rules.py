"""Rules of a block in which nothing crawls (docs/spec/02-urls-and-masks.md, 2.8)."""

from __future__ import annotations

from site_indexer.index_script.model import Action, Block, Diagnostic, Severity
from site_indexer.index_script.spelling import line_of

CODE = "rules-unused"

_CRAWLING = (Action.ADD, Action.UPDATE)


def unused_rules(block: Block) -> Diagnostic | None:
    """Return the warning of a block whose rules nothing asks, at the first of them; else None."""
    first = next((each for each in block.commands if each.action.is_rule), None)
    if first is None or any(each.action in _CRAWLING for each in block.commands):
        return None
    return Diagnostic(
        severity=Severity.WARNING,
        code=CODE,
        line=first.line,
        column=1,
        message=f"line {first.line} is a rule of a block that adds and updates nothing",
        hint="Rules hold for the add and update lines of their own block. For all blocks they stand"
        " under `masks` in the site's file.",
        text=line_of(first),
    )
