"""The include and exclude lines of a site file, written as in a script."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from site_indexer.index_script import parse
from site_indexer.index_script.model import Command, Severity
from site_indexer.masks.mask import check_mask


def parse_rule_lines(lines: Sequence[str]) -> tuple[Command, ...]:
    """Parse rule lines; the commands' ``line`` counts from 1 within the list.

    Raises ValueError with the first finding of a line that is no valid rule.
    """
    # One block of a script, so that a site file and a script can never differ in what they take.
    text = "\n".join(("seconds 0", *(line.strip() or "#" for line in lines)))
    script = parse(text.encode(), source="masks", check_mask=check_mask)
    for diagnostic in script.diagnostics:
        if diagnostic.severity is Severity.ERROR:
            raise ValueError(f"{diagnostic.text!r}: {diagnostic.message} {diagnostic.hint}".strip())
    commands = tuple(command for block in script.blocks for command in block.commands)
    for command in commands:
        if not command.action.is_rule:
            raise ValueError(
                f"a site's masks are include and exclude lines; {command.action.value!r} "
                "belongs into the index script"
            )
    return tuple(_renumbered(command) for command in commands)


def _renumbered(command: Command) -> Command:
    return replace(command, line=command.line - 1)
