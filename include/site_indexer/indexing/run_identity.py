"""Which run a plan and its change set belong to."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import secrets

from site_indexer.indexing.model import RunRequest

SHELL_RUN_PREFIX = "shell__"


def change_set_digest(request: RunRequest, plan_digest: str) -> str:
    """Name the change set of a plan: 16 hex digits.

    It belongs to the run, to how often the run was cleared, and to what is planned; records of
    another plan are never used (docs/spec/05-index-lifecycle.md, 5.1).
    """
    identity = [
        request.site,
        request.target.value,
        request.run_id,
        request.clear_number,
        plan_digest,
    ]
    return hashlib.sha256(json.dumps(identity).encode()).hexdigest()[:16]


def new_shell_run_id() -> str:
    """A run id that no other run has: the wall clock's second and a few random digits."""
    started = dt.datetime.now(dt.UTC)
    return f"{SHELL_RUN_PREFIX}{started:%Y%m%dT%H%M%SZ}_{secrets.token_hex(3)}"


def is_shell_run(run_id: str) -> bool:
    """Whether a run was made from a shell, not by Airflow."""
    return run_id.startswith(SHELL_RUN_PREFIX)
