"""The stored plan of a run: what its tasks share, on whichever machine they run."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from site_indexer.errors import RunFailedError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.names import Target
from site_indexer.index_store.plans import PlanStore
from site_indexer.indexing.instants import iso
from site_indexer.planning.model import Plan
from site_indexer.planning.serialization import plan_from_dict, plan_to_dict


@dataclass(frozen=True, slots=True)
class StoredPlan:
    """A plan with the run it belongs to and the script it was made from.

    ``held`` is the watermark that was found when the script was read, also where Clear Date made
    the plan look away from it. ``retried`` are the numbers of blocks that are there only for pages
    to be tried again.
    """

    plan: Plan
    held: dt.datetime | None
    target: Target
    run_id: str
    fresh_start: bool
    script_url: str
    script_digest: str
    retried: frozenset[int] = frozenset()


def store_plan(client: StoreClient, digest: str, stored: StoredPlan) -> None:
    """Keep a plan under its change set's digest."""
    PlanStore(client).put(
        digest,
        {
            "plan": plan_to_dict(stored.plan),
            "held": iso(stored.held),
            "target": stored.target.value,
            "run_id": stored.run_id,
            "fresh_start": stored.fresh_start,
            "script_url": stored.script_url,
            "script_digest": stored.script_digest,
            "retried": sorted(stored.retried),
        },
    )


def load_plan(client: StoreClient, digest: str) -> StoredPlan:
    """The plan of that digest. Raises RunFailedError where it is gone."""
    stored = find_plan(client, digest)
    if stored is None:
        raise RunFailedError(
            f"The plan {digest} of this run is not in OpenSearch any more.",
            hint="Clear the task read_script with its downstream tasks: it makes the plan anew.",
        )
    return stored


def find_plan(client: StoreClient, digest: str) -> StoredPlan | None:
    """The plan of that digest, or None where it is gone."""
    kept = PlanStore(client).get(digest)
    if kept is None:
        return None
    return StoredPlan(
        plan=plan_from_dict(kept["plan"]),
        held=dt.datetime.fromisoformat(kept["held"]) if kept["held"] else None,
        target=Target(kept["target"]),
        run_id=kept["run_id"],
        fresh_start=kept["fresh_start"],
        script_url=kept["script_url"],
        script_digest=kept["script_digest"],
        retried=frozenset(kept.get("retried", ())),
    )
