"""Applies what was decided to an unsealed generation, and proves by counting that it is there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from site_indexer.errors import RunFailedError, StoreRefusedError
from site_indexer.index_store import scan
from site_indexer.index_store.bulk import (
    Item,
    ItemError,
    bulk_write,
    delete_item,
    update_item,
)
from site_indexer.index_store.changes import Changes
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.draft_check import Corrections
from site_indexer.index_store.instants import iso
from site_indexer.index_store.reindexing import copy_writes
from site_indexer.index_store.restoring import restored_items


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done: documents written, removed, not taken by OpenSearch, and there in the end."""

    written: int
    removed: int
    rejected: tuple[ItemError, ...]
    documents: int


def apply_changes(
    client: StoreClient,
    changes_index: str,
    changes: Changes,
    index: str,
    draft: Corrections | None = None,
) -> Applied:
    """Remove and write in ``index`` what ``changes`` says; documents come from the change set.

    ``draft``: what ``index`` lacks where it is a copy of a draft that has the others. Raises
    StoreFullError, StoreUnreachableError, StoreRefusedError: then ``index`` is to be discarded.
    """
    decisions = changes.decisions
    redated = dict(decisions.redated)
    _write(client, index, (delete_item(each.document_id) for each in decisions.removed))
    if draft is not None:
        _write(client, index, map(delete_item, draft.strays))
        redated |= draft.redated
    dates = ((key, {"block_date": iso(date)}) for key, date in redated.items())
    _write(client, index, (update_item(key, fields) for key, fields in dates))
    writes = decisions.versions
    copied = writes if draft is None else draft.missing
    rejected: list[ItemError] = []
    if copied:
        refused = frozenset(each.document_id for each in decisions.refused)
        rejected = copy_writes(
            client,
            changes_index,
            index,
            skip=refused | decisions.superseded,
            dates=decisions.dates,
            writes=len(copied),
            only=None if draft is None else draft.missing,
        )
    _write(client, index, restored_items(client, changes.restored))
    failed = {each.document_id for each in rejected}
    lost = failed & decisions.replaced.keys()
    _write(client, index, map(delete_item, lost))
    return Applied(
        written=len(writes) - len(failed & writes.keys()) + len(changes.restored),
        removed=len(decisions.removed) + len(lost),
        rejected=tuple(rejected),
        documents=changes.documents_after
        - len((failed & writes.keys()) - decisions.updated)
        - len(lost),
    )


def verify_count(client: StoreClient, index: str, applied: Applied, base: str) -> None:
    """Raises RunFailedError unless ``index`` (refreshed) has as many documents as it must have."""
    found = scan.count(client, index)
    if found != applied.documents:
        raise RunFailedError(
            f"The new index {index} has {found:,} documents where {applied.documents:,} are"
            f" expected ({base} less {applied.removed:,} removed, with {applied.written:,}"
            " written): it is not published.",
            hint="Clear the task to publish again. If it stays so, report it: this must not be.",
            index=index,
        )


def _write(client: StoreClient, index: str, items: Iterable[Item]) -> None:
    outcome = bulk_write(client, index, items)
    if outcome.errors:
        first = outcome.errors[0]
        raise StoreRefusedError(
            f"OpenSearch refused {len(outcome.errors)} changes to {index}, the first of"
            f" {first.document_id}: {first.reason}.",
            index=index,
        )
