"""The trigger form of a script run, and the check of what came in through it.

Airflow's API checks types and choices but takes unknown keys without a word, so the first task of
a run checks everything again (docs/spec/05-index-lifecycle.md, *Ways to run*).
"""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from airflow.sdk import Param

from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target
from site_indexer.planning.model import Window

TARGET = "target"
CLEAR_DATE = "clear_date"
DRY_RUN = "dry_run"
FROM = "from"
TO = "to"

KNOWN = (TARGET, CLEAR_DATE, FROM, TO, DRY_RUN)

# Airflow keeps settings of its own among a run's options, under this prefix.
_AIRFLOW_PREFIX = "airflow/"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a person chose for one run.

    ``target`` is None where that is left to the run's kind, ``window`` where no dates were given.
    """

    target: Target | None = None
    clear_date: bool = False
    dry_run: bool = False
    window: Window | None = None


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
        FROM: _date_param(
            "Blocks from",
            "Only blocks dated from here on, whatever the watermark says; together with "
            "*Blocks to*. Such a run leaves the watermark alone.",
        ),
        TO: _date_param(
            "Blocks to",
            "Only blocks dated before this moment, which itself is left out.",
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


def _date_param(title: str, description: str) -> Param:
    return Param(
        None, type=["null", "string"], format="date-time", title=title, description_md=description
    )


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
    chosen = RunOptions(
        target=Target(target) if target else None,
        clear_date=_flag(params, CLEAR_DATE),
        dry_run=_flag(params, DRY_RUN),
        window=_window(params),
    )
    if chosen.window is not None and chosen.clear_date:
        raise UsageError(
            f"A window takes its blocks whatever the watermark says; {CLEAR_DATE!r} has no meaning "
            "there.",
            hint=f"Leave {CLEAR_DATE!r} off, or leave {FROM!r} and {TO!r} empty.",
        )
    return chosen


def _window(params: Mapping[str, Any]) -> Window | None:
    """The window of the form (docs/spec/05-index-lifecycle.md, 5.12), None where it is empty."""
    start, end = _date(params, FROM), _date(params, TO)
    if start is None and end is None:
        return None
    if start is None or end is None:
        given, missing = (FROM, TO) if end is None else (TO, FROM)
        raise UsageError(
            f"Option {given!r} is given without {missing!r}; a window needs both ends.",
            hint=f"Give {missing!r} too, or leave both empty.",
        )
    if start >= end:
        raise UsageError(
            f"Option {FROM!r} ({start.isoformat()}) is not before {TO!r} ({end.isoformat()}).",
            hint="The window has the blocks dated from the first up to, not including, the other.",
        )
    return Window(from_=start, to=end)


def _date(params: Mapping[str, Any], name: str) -> dt.datetime | None:
    text = params.get(name)
    if text is None or text == "":
        return None
    try:
        value = dt.datetime.fromisoformat(text.strip())
        if value.tzinfo is not None:
            return value.astimezone(dt.UTC)
    except (AttributeError, ValueError, OverflowError):
        pass  # said below, with the form
    raise UsageError(
        f"Option {name!r} is {text!r}; expected a date and time with its zone, such as "
        "2026-01-31T12:00:00Z."
    )


def _flag(params: Mapping[str, Any], name: str) -> bool:
    value = params.get(name, False)
    if not isinstance(value, bool):
        raise UsageError(f"Option {name!r} is {value!r}; expected true or false.")
    return value


def _refuse_unknown(conf: Mapping[str, Any]) -> None:
    unknown = sorted(
        key for key in conf if key not in KNOWN and not key.startswith(_AIRFLOW_PREFIX)
    )
    if not unknown:
        return
    near = difflib.get_close_matches(unknown[0], KNOWN, n=1)
    raise UsageError(
        f"Unknown option {', '.join(map(repr, unknown))}; a script run takes {', '.join(KNOWN)}.",
        hint=f"Did you mean {near[0]!r}?" if near else "Trigger the run again without it.",
    )
