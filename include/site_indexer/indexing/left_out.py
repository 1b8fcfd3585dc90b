"""What a run left out of its script for errors, where the site file says to go on (``on_error``).

The run publishes the rest; at a shell it ends with status 1 all the same
(docs/spec/05-index-lifecycle.md, *What ends how*).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from site_indexer.index_script.counting import counted
from site_indexer.index_script.model import Severity
from site_indexer.index_script.rendering import diagnostic_as_json
from site_indexer.index_store.client import StoreClient
from site_indexer.indexing.plan_storage import load_plan

MOST_TOLD = 100

Told = tuple[Mapping[str, Any], ...]


def errors_left_out(client: StoreClient, digest: str) -> Told:
    """The errors of the new blocks of a stored plan, the first 100, JSON-safe."""
    diagnostics = load_plan(client, digest).plan.diagnostics
    errors = [found for found in diagnostics if found.severity is Severity.ERROR]
    told: list[Mapping[str, Any]] = [diagnostic_as_json(found) for found in errors[:MOST_TOLD]]
    if len(errors) > MOST_TOLD:
        what = f"{counted(len(errors) - MOST_TOLD, 'more error')} of the script"
        hint = "Mend them in a newer block: theirs are behind the watermark now."
        told.append(_summed_up(what, hint))
    return tuple(told)


def nothing_but_errors(errors: int) -> Told:
    """What is told of a run for which errors left nothing to do, and which has no plan."""
    if not errors:
        return ()
    what = f"{counted(errors, 'error')} of new blocks, of which nothing is left to do"
    return (_summed_up(what, "Mend the script; the next run reads these blocks again."),)


def _summed_up(what: str, hint: str) -> Mapping[str, Any]:
    message = f"{what}: see the run's log."
    return {"severity": "error", "code": "left-out", "message": message, "hint": hint}
