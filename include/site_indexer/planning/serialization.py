"""Plans as JSON: to be kept between tasks, to be shown, and to be known by a digest."""

from __future__ import annotations

import functools
import hashlib
import json
from typing import Any

from pydantic import TypeAdapter

from site_indexer.index_script.rendering import diagnostic_as_json
from site_indexer.planning.instants import instant_or_none, instant_text
from site_indexer.planning.model import DroppedCommand, Plan, PlannedCommand
from site_indexer.planning.plan_table import plan_table

__all__ = [
    "diagnostic_as_json",
    "plan_as_json",
    "plan_digest",
    "plan_from_dict",
    "plan_table",
    "plan_to_dict",
]


def plan_to_dict(plan: Plan) -> dict[str, Any]:
    """Return a plan as values that JSON has, so that :func:`plan_from_dict` gives it back."""
    kept: dict[str, Any] = _adapter().dump_python(plan, mode="json")
    return kept


def plan_from_dict(kept: dict[str, Any]) -> Plan:
    """Return the plan that :func:`plan_to_dict` made a dict of.

    Raises ValueError (pydantic's) for anything else.
    """
    return _adapter().validate_python(kept)


def plan_digest(plan: Plan) -> str:
    """Return the hex SHA-256 of what is planned.

    Two plans with the same digest do the same. The start of the run counts only where a rule of a
    block asks for days before it; what was skipped and what was found do not count.
    """
    kept = plan_to_dict(plan)
    asks_now = any(rule.days is not None for block in plan.blocks for rule in block.rules)
    ignored = {"skipped", "diagnostics", "watermark_before"} | (set() if asks_now else {"now"})
    planned = {name: value for name, value in kept.items() if name not in ignored}
    return hashlib.sha256(json.dumps(planned, sort_keys=True).encode()).hexdigest()


def plan_as_json(plan: Plan) -> dict[str, Any]:
    """Return the JSON form of the shell's ``plan`` (docs/spec/08-shell.md)."""
    window = plan.window and {
        "from": instant_text(plan.window.from_),
        "to": instant_text(plan.window.to),
    }
    selected = [{"line": block.line, "date": instant_text(block.date)} for block in plan.blocks]
    skipped = [
        {"line": block.line, "date": instant_or_none(block.date), "reason": block.reason.value}
        for block in plan.skipped
    ]
    return {
        "site": plan.site or None,
        "watermark_before": instant_or_none(plan.watermark_before),
        "watermark_after": instant_or_none(plan.watermark_after),
        "window": window,
        "selected": selected,
        "skipped": skipped,
        "steps": [
            {
                "action": step.action.value,
                "commands": [_command(command) for command in step.commands],
            }
            for step in plan.steps
        ],
        "action_types": [step.action.value for step in plan.steps],
        "dropped": [_dropped(command) for command in plan.dropped],
        "diagnostics": [diagnostic_as_json(found) for found in plan.diagnostics],
    }


def _command(command: PlannedCommand) -> dict[str, Any]:
    return {
        "line": command.line,
        "block_line": command.block_line,
        **_named(command),
        "nofollow": command.nofollow,
        "noindex": command.noindex,
    }


def _dropped(command: DroppedCommand) -> dict[str, Any]:
    return {
        "line": command.line,
        "block_line": command.block_line,
        "by_line": command.by_line,
        **_named(command),
    }


def _named(command: PlannedCommand | DroppedCommand) -> dict[str, Any]:
    if command.url is not None:
        return {"url": command.url}
    kind = None if command.mask_kind is None else command.mask_kind.value
    return {"mask": command.mask, "mask_kind": kind}


@functools.cache
def _adapter() -> TypeAdapter[Plan]:
    return TypeAdapter(Plan)
