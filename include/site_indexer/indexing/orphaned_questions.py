"""Questions about removals whose run has ended: nobody can answer them any more.

A run that a person marks as failed while it waits comes to no further task of its own, so it is
another run that takes its question back (docs/spec/05-index-lifecycle.md, 5.9).
"""

from __future__ import annotations

import datetime as dt
import logging

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.approvals import ApprovalStore, RemovalQuestion
from site_indexer.index_store.log_entries import Level, LogEntry
from site_indexer.index_store.log_store import Ending, LogStore
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.run_log import FAILED

logger = logging.getLogger(__name__)


def withdraw_orphan(collaborators: Collaborators, question: RemovalQuestion) -> bool:
    """Take back a question that waits, if its run has ended; whether it did.

    The index log of that run then says that it has failed.
    """
    if not collaborators.runs.has_ended(question.site, question.run_id):
        return False
    ApprovalStore(collaborators.client).withdraw(question.site, question.target, question.run_id)
    logger.warning(
        "Run %s has ended without an answer to its question about removals from %s (%s); nobody "
        "waits for it any more.",
        question.run_id,
        question.site,
        question.target.value,
    )
    _end_log(collaborators, question)
    return True


def _end_log(collaborators: Collaborators, question: RemovalQuestion) -> None:
    store = LogStore(collaborators.client)
    message = "The run was ended before anybody answered; nothing was changed."
    entry = LogEntry(dt.datetime.now(dt.UTC), Level.ERROR, "approve", message)
    try:
        header = store.run(question.site, question.run_id)
        if header is not None:
            store.append(header.run, [entry], Ending(FAILED, {}, if_running=True))
    except SiteIndexerError as error:
        logger.warning("The index log of run %s does not say so: %s", question.run_id, error)
