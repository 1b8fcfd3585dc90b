"""Use case: remove what no one needs any more after a run."""

from __future__ import annotations

import logging

from site_indexer.index_store.drafts import prune_drafts
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.retention import prune
from site_indexer.indexing.approving import withdraw
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest, RunStatus
from site_indexer.indexing.recording import step

logger = logging.getLogger(__name__)


@step("tidy")
def tidy(collaborators: Collaborators, request: RunRequest) -> dict[str, list[str]]:
    """Prune old generations, unfinished clones and old change sets; returns what went.

    A question of the run that nobody answered waits no longer. After a dry run nothing goes.
    """
    if request.dry_run:
        collaborators.run_log.end(RunStatus.FAILED.value, if_running=True)
        logger.info("A dry run: nothing is removed.")
        return {"removed": []}
    withdraw(collaborators, request.site, request.target, request.run_id)
    keep = collaborators.definition(request.site).index.keep_generations
    pruned = prune(collaborators.client, request.site, keep=keep, now=request.now)
    prune_drafts(collaborators.client, SiteNames(request.site), request.run_id, request.now)
    # It comes last, however the run went; one that has not said how it ended has failed.
    collaborators.run_log.end(RunStatus.FAILED.value, if_running=True)
    logger.info("Removed %d old indexes: %s", len(pruned), ", ".join(pruned) or "none")
    return {"removed": list(pruned)}
