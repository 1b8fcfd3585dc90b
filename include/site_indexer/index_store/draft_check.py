"""Finds out whether a draft is what a publish would make of the base, and what it lacks.

A draft is written by a crawl that may have died, and whose findings count only as far as publishing
decides; so each of its pages is held against what was decided. Rule:
docs/spec/05-index-lifecycle.md, 5.5 Rounds.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from site_indexer.index_store import scan
from site_indexer.index_store.building import seal
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.changes import BASE_COLUMNS, Changes, base_documents, to_base
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.drafts import DraftPlan, find_draft
from site_indexer.index_store.generations import Generation
from site_indexer.index_store.instants import iso
from site_indexer.index_store.newer_block import BaseDocument

CLOCKS_DIFFER = dt.timedelta(minutes=10)
"""By how much, at most, the clocks of the machines that crawl may differ."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Corrections:
    """What a clone of the draft needs, beside what any clone of the base does.

    ``missing``: ids to be copied from the change set. ``redated``: block dates by id. ``strays``:
    ids of pages that are not published, nor in the base.
    """

    missing: frozenset[str]
    redated: Mapping[str, dt.datetime]
    strays: Sequence[str]


@dataclass(frozen=True, slots=True)
class CheckedDraft:
    """A draft that publishing may clone, and what is still to be done to the clone."""

    generation: Generation
    corrections: Corrections


def checked_draft(
    client: StoreClient, plan: DraftPlan, change_set: ChangeSet, changes: Changes
) -> CheckedDraft | None:
    """The draft of a change set on the base, sealed; None where there is none, or none of use."""
    draft = find_draft(client, plan)
    if draft is None:
        return None
    seal(client, draft.name)
    found = corrections(client, draft.name, changes, change_set.created_at())
    if found is None:
        log.info("The draft %s is of no use; beginning from %s.", draft.name, plan.base)
        return None
    log.info(
        "%d of %d pages were copied while the crawl went on.",
        len(changes.decisions.versions) - len(found.missing),
        len(changes.decisions.versions),
    )
    return CheckedDraft(replace(draft, sealed=True), found)


def corrections(
    client: StoreClient, draft: str, changes: Changes, since: dt.datetime
) -> Corrections | None:
    """What ``draft``, sealed, lacks. ``since``: when the change set was made.

    None where it cannot be made right, as it has lost documents of the base.
    """
    versions, dates = changes.decisions.versions, changes.decisions.dates
    matching = 0
    redated: dict[str, dt.datetime] = {}
    others: dict[str, BaseDocument] = {}
    for document in _since(client, draft, since):
        key = document.document_id
        version = versions.get(key)
        if version is None:
            others[key] = document
        elif document.fetched_ms == version:
            matching += 1
            if key in dates:
                redated[key] = dates[key]
        elif document.fetched_ms > version:
            return None
    strays = _strays(client, changes, others)
    if strays is None:
        return None
    missing = (
        _missing(client, draft, versions, since) if matching < len(versions) else frozenset[str]()
    )
    return Corrections(missing=missing, redated=redated, strays=strays)


def _missing(
    client: StoreClient, draft: str, versions: Mapping[str, int], since: dt.datetime
) -> frozenset[str]:
    """The ids of what is not there, or older. Asked only if some are: there may be a million."""
    there = {
        document.document_id
        for document in _since(client, draft, since)
        if versions.get(document.document_id) == document.fetched_ms
    }
    return frozenset(versions.keys() - there)


def _strays(
    client: StoreClient, changes: Changes, others: Mapping[str, BaseDocument]
) -> list[str] | None:
    """Those that neither the base has nor publishing wants; None where the base's are gone."""
    removed = {each.document_id for each in changes.decisions.removed}
    base = {each.document_id: each for each in base_documents(client, changes.base, list(others))}
    for key, stored in base.items():
        if key not in removed and others[key] != stored:
            return None
    return [key for key in others if key not in base]


def _since(client: StoreClient, index: str, since: dt.datetime) -> Iterator[BaseDocument]:
    """All documents that were fetched since then."""
    query = {"range": {"fetched_at": {"gte": iso(since - CLOCKS_DIFFER)}}}
    return map(to_base, scan.columns(client, index, BASE_COLUMNS, query=query))
