"""Use case: show the plan of a run, and open the change set that its tasks will fill."""

from __future__ import annotations

import logging

from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.setup import ensure_site
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import Planned, RunRequest, RunStatus
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.recording import step
from site_indexer.indexing.script_reading import prepare_plan
from site_indexer.planning.serialization import plan_table

logger = logging.getLogger(__name__)


@step("plan")
def make_plan(collaborators: Collaborators, request: RunRequest, digest: str | None) -> Planned:
    """Log the plan as a table. In a dry run that is all; else the change set is opened.

    In a dry run nothing was stored, so the script is read once more.
    """
    if request.dry_run:
        plan = prepare_plan(collaborators, request).plan
    elif digest is None:
        raise ValueError("a run that is no dry run plans from a stored plan")
    else:
        plan = load_plan(collaborators.client, digest).plan
        definition = collaborators.definition(request.site)
        ensure_site(
            collaborators.client,
            request.site,
            now=request.now,
            shards=definition.index.shards,
            replicas=definition.index.replicas,
        )
        ChangeSet.create(collaborators.client, SiteNames(request.site), digest)
    table = plan_table(plan)
    for line in table.splitlines():
        logger.info("%s", line)
    if request.dry_run:
        collaborators.run_log.end(RunStatus.DRY_RUN.value)
    commands = {each.action.value: len(each.commands) for each in plan.steps}
    return Planned(digest=digest, action_types=tuple(commands), commands=commands, table=table)
