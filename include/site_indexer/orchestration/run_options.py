"""The trigger form of a script run, and the check of what came in through it.

Airflow's API checks types and choices but takes unknown keys without a word, so the first task of
a run checks everything again (docs/spec/05-index-lifecycle.md, *Ways to run*).
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airflow.sdk import Param

from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target

TARGET = "target"
CLEAR_DATE = "clear_date"
DRY_RUN = "dry_run"

# Airflow keeps settings of its own among a run's options, under this prefix.
_AIRFLOW_PREFIX = "airflow/"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person chose for one run. ``target`` is None where that is left to the run's kind."""

    target: Target | None = None
    clear_date: bool = False
    dry_run: bool = False


def script_params() -> dict[str, Param]:
    """The fields of the trigger form, with their defaults."""
    return {
        TARGET: Param(
            "",
            # Of type "string" alone the form demands a value, and would not let go back to "".
            type=["string", "null"],
            enum=["", *(target.value for target in Target)],
            values_display={
                "": "By the kind of run",
                Target.LIVE.value: "Live",
                Target.STAGED.value: "Staged",
            },
            title="Target",
            description_md=(
                "The index that the run changes. **Live** is what searchers see, **Staged** is a "
                "copy for looking at first. Left as it is: live, in a backfill staged."
            ),
        ),
        CLEAR_DATE: Param(
            False,
            type="boolean",
            title="Clear date",
            description_md=(
                "Process every block of the script, as if the site had never been indexed. "
                "The watermark is set anew when the run has published."
            ),
        ),
        DRY_RUN: Param(
            False,
            type="boolean",
            title="Dry run",
            description_md=(
                "Read the script and show the plan in the log of the task `plan`; "
                "crawl nothing and change nothing."
            ),
        ),
    }


def read_options(conf: Mapping[str, Any] | None, params: Mapping[str, Any]) -> RunOptions:
    """What was chosen: ``params`` are the defaults with ``conf`` laid over them.

    Raises UsageError that names the option, what it was and what was expected.
    """
    _refuse_unknown(conf or {})
    target = params.get(TARGET, "")
    choices = [member.value for member in Target]
    if target not in ("", *choices):
        raise UsageError(
            f"Option {TARGET!r} is {target!r}; expected one of {', '.join(choices)}, or empty."
        )
    return RunOptions(
        target=Target(target) if target else None,
        clear_date=_flag(params, CLEAR_DATE),
        dry_run=_flag(params, DRY_RUN),
    )


def _flag(params: Mapping[str, Any], name: str) -> bool:
    value = params.get(name, False)
    if not isinstance(value, bool):
        raise UsageError(f"Option {name!r} is {value!r}; expected true or false.")
    return value


def _refuse_unknown(conf: Mapping[str, Any]) -> None:
    known = (TARGET, CLEAR_DATE, DRY_RUN)
    unknown = sorted(
        key for key in conf if key not in known and not key.startswith(_AIRFLOW_PREFIX)
    )
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0], known, n=1)
    raise UsageError(
        f"Unknown option {', '.join(map(repr, unknown))}; a script run takes {', '.join(known)}.",
        hint=f"Did you mean {near[0]!r}?" if near else "Trigger the run again without it.",
    )
