"""The trigger forms of the operation Dags, and the check of what came in through them."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from airflow.sdk import Context, Param

from site_indexer.errors import UsageError
from site_indexer.index_store.names import Target
from site_indexer.orchestration.operation_use_cases import Operation

SITE = "site"
FORCE = "force"
GENERATION = "generation"
TARGET = "target"
VALUE = "watermark"
CLEAR = "clear"
ACTION = "action"
ON_RELEASE = "on_release"

# Airflow keeps settings of its own among a run's options, under this prefix.
_AIRFLOW_PREFIX = "airflow/"
_CHOICE = ["string", "null"]


def site_param(sites: Sequence[str]) -> Param:
    """Which site. Nothing is preselected: the wrong one would be the first of the alphabet."""
    return Param(
        "",
        type=_CHOICE,
        enum=["", *sites],
        values_display={"": "Choose a site", **{site: site for site in sites}},
        title="Site",
        description_md="The site to act on.",
    )


def force_param() -> Param:
    """Whether a push may lose what live has gained."""
    return Param(
        False,
        type="boolean",
        title="Force",
        description_md=(
            "Push although live has published since the staged index began. "
            "**What live has gained since is lost**; the task `look` lists it."
        ),
    )


def generation_param() -> Param:
    """Which generation to roll back to."""
    return Param(
        "",
        type=_CHOICE,
        title="Generation",
        description_md=(
            "The generation to show again, such as `docs.g-20261124t060000z`. "
            "Left empty: the one that live showed before."
        ),
    )


def target_param() -> Param:
    """Whose watermark."""
    return Param(
        Target.LIVE.value,
        type="string",
        enum=[target.value for target in Target],
        values_display={Target.LIVE.value: "Live", Target.STAGED.value: "Staged"},
        title="Target",
        description_md="The index whose watermark it is.",
    )


def watermark_param() -> Param:
    """The date to set."""
    return Param(
        "",
        type=_CHOICE,
        title="Watermark",
        description_md=(
            "The date to set, in UTC, such as `2026-11-24T06:00:00Z`: blocks dated later are new. "
            "Leave it empty to clear."
        ),
    )


def clear_param() -> Param:
    """Whether to clear."""
    return Param(
        False,
        type="boolean",
        title="Clear",
        description_md="Clear the watermark: every block is new in the next run (Clear Date).",
    )


def action_param() -> Param:
    """Release or set a hold."""
    return Param(
        "release",
        type="string",
        enum=["release", "set"],
        values_display={"release": "Release", "set": "Put on hold"},
        title="Action",
        description_md="**Release**: runs change live again. **Put on hold**: none does.",
    )


def on_release_param() -> Param:
    """Where the watermark is after a release."""
    return Param(
        "generation",
        type="string",
        enum=["generation", "keep"],
        values_display={
            "generation": "That of the generation shown",
            "keep": "As it is",
        },
        title="Watermark on release",
        description_md=(
            "**That of the generation shown**: what was rolled back runs again. "
            "**As it is**: it does not."
        ),
    )


def read_operation(context: Context, known: Sequence[str]) -> Operation:
    """Which site, and whose run it is. Raises UsageError for unknown options, or without a site."""
    run, params = context["dag_run"], context["params"]
    _refuse_unknown(run.conf or {}, known)
    site = params.get(SITE) or ""
    if not site:
        raise UsageError(
            "No site was chosen; nothing was changed.", hint=f"Trigger again with {SITE!r}."
        )
    return Operation(
        site=str(site),
        run_id=f"{run.dag_id}/{run.run_id}",
        by=getattr(run, "triggering_user_name", None) or "unknown",
        now=run.start_date or run.run_after,
    )


def read_watermark(params: Mapping[str, Any]) -> dt.datetime | None:
    """The date to set, None to clear. Raises UsageError where it is neither, or both."""
    text, clear = str(params.get(VALUE) or "").strip(), bool(params.get(CLEAR))
    if clear == bool(text):
        raise UsageError(
            "Give either a date to set, or 'Clear'; nothing was changed.",
            hint="The date is in UTC, such as 2026-11-24T06:00:00Z.",
        )
    if clear:
        return None
    try:
        value = dt.datetime.fromisoformat(text)
    except ValueError:
        value = None
    if value is None or value.tzinfo is None:
        raise UsageError(
            f"{text!r} is no date; expected a date and time in UTC such as 2026-11-24T06:00:00Z.",
            hint="Nothing was changed.",
        )
    return value.astimezone(dt.UTC)


def _refuse_unknown(conf: Mapping[str, Any], known: Sequence[str]) -> None:
    unknown = sorted(
        key for key in conf if key not in known and not key.startswith(_AIRFLOW_PREFIX)
    )
    if unknown:
        near = difflib.get_close_matches(unknown[0], known, n=1)
        raise UsageError(
            f"Unknown option {', '.join(map(repr, unknown))}; this takes {', '.join(known)}.",
            hint=f"Did you mean {near[0]!r}?" if near else "Trigger the run again without it.",
        )
