"""Use cases: the delete and deletemask commands of a run.

The tasks write what is to be removed to the change set, with counts of what matches now; the
removal itself is part of publishing, against the generation that is then the newest.
"""

from __future__ import annotations

import logging

from site_indexer.index_script.model import Action
from site_indexer.index_store.change_sets import ChangeSet, RemovalRecord
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import SiteNames
from site_indexer.indexing.base_index import base_index
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.recording import step
from site_indexer.masks.mask import compile_mask
from site_indexer.planning.model import PlannedCommand
from site_indexer.urls import document_id

logger = logging.getLogger(__name__)


@step("remove")
def remove(
    collaborators: Collaborators, request: RunRequest, digest: str, action: Action
) -> dict[str, int]:
    """Record the removals of one action type; returns counts of commands and of documents."""
    stored = load_plan(collaborators.client, digest)
    planned = stored.plan.step(action)
    commands = planned.commands if planned else ()
    names = SiteNames(request.site)
    change_set = ChangeSet.open(collaborators.client, names, digest)
    base = base_index(collaborators.client, names, request.target)
    documents = StoredDocuments(collaborators.client, base)
    records = [
        RemovalRecord(
            line=command.line,
            block=command.block,
            counts_as=stored.plan.blocks[command.block].counts_as,
            url=command.url,
            mask=command.mask,
            mask_kind=command.mask_kind,
            matched=_matched(documents, command, action),
        )
        for command in commands
    ]
    change_set.put_removals(records)
    counts = {"commands": len(records), "matched": sum(record.matched for record in records)}
    change_set.complete(action.value, counts)
    logger.info(
        "%s: %d commands match %d documents; they go when the run publishes",
        action.value,
        counts["commands"],
        counts["matched"],
    )
    return counts


def _matched(documents: StoredDocuments, command: PlannedCommand, action: Action) -> int:
    if command.url is not None:
        matched = int(document_id(command.url) in documents.lookup([document_id(command.url)]))
        subject = command.url
        if not matched:
            _report_alias(documents, command)
    else:
        subject = f"{command.mask_kind} {command.mask}"
        mask = compile_mask(command.mask or "", command.mask_kind)  # type: ignore[arg-type]
        matched = sum(1 for _ in documents.matching(mask))
    logger.info("line %d: %s %s: %d documents", command.line, action.value, subject, matched)
    return matched


def _report_alias(documents: StoredDocuments, command: PlannedCommand) -> None:
    stored_under = documents.stored_under_alias(command.url or "")
    if stored_under is not None:
        logger.warning(
            "line %d: %s is only an alias of %s, whose document stays; delete that URL instead",
            command.line,
            command.url,
            stored_under,
        )
