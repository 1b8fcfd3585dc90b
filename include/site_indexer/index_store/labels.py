"""What a generation says of itself in ``_meta``, and what its publish came to."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from site_indexer.index_store.alias_swap import Position
from site_indexer.index_store.applying import Applied
from site_indexer.index_store.bulk import ItemError
from site_indexer.index_store.changes import Changes
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.mappings import MAPPING_VERSION, NORMALIZATION_VERSION
from site_indexer.index_store.names import Target
from site_indexer.index_store.newer_block import RefusedWrite
from site_indexer.index_store.publish_model import Published, PublishRequest, PublishStatus


def first_meta(request: PublishRequest, at: Position, now: dt.datetime) -> dict[str, Any]:
    """The ``_meta`` of a generation that is being made; its name is still to be added.

    The watermark is the later one of base and run, as runs may publish in any order; a fresh start
    has its own.
    """
    inherited = None if request.fresh_start else at.base.watermark
    marks = [mark for mark in (inherited, request.watermark_after) if mark is not None]
    meta: dict[str, Any] = {
        "site": request.site,
        "target": request.target.value,
        "run_id": request.run_id,
        "changes": request.digest,
        "base": at.base.name,
        "watermark": iso(max(marks)) if marks else None,
        "script_url": request.script_url,
        "script_digest": request.script_digest,
        "mapping_version": MAPPING_VERSION,
        "normalization_version": NORMALIZATION_VERSION,
        "started_at": iso(now),
    }
    if request.target is Target.STAGED:
        meta["base_live"] = at.base.name if at.forks else at.base.meta.get("base_live")
    return meta


def outcome_of(changes: Changes, applied: Applied, rounds: int) -> dict[str, Any]:
    """What a publish comes to, JSON-safe; kept in the change set before the swap."""
    decisions = changes.decisions
    return {
        "documents": applied.documents,
        "counts": {
            "before": changes.documents_before,
            "written": applied.written,
            "removed": applied.removed,
            "superseded": len(decisions.superseded),
            "refused": len(decisions.refused),
            "rejected": len(applied.rejected),
            "rounds": rounds,
        },
        "refused": [
            [each.document_id, each.url, each.line, iso(each.counts_as)]
            for each in decisions.refused
        ],
        "rejected": [[each.document_id, each.status, each.reason] for each in applied.rejected],
    }


def published_meta(
    meta: Mapping[str, Any], outcome: Mapping[str, Any] | None, now: dt.datetime
) -> dict[str, Any]:
    """The ``_meta`` of a generation that searchers see."""
    result = {key: outcome[key] for key in ("documents", "counts")} if outcome else {}
    return {**meta, **result, "published_at": iso(now)}


def published(generation: str, base: str, outcome: Mapping[str, Any] | None) -> Published:
    """The result of a publish, from what was kept of it."""
    outcome = outcome or {}
    counts = outcome.get("counts", {})
    return Published(
        status=PublishStatus.PUBLISHED,
        generation=generation,
        base=base,
        documents_before=counts.get("before", 0),
        documents_after=outcome.get("documents", 0),
        written=counts.get("written", 0),
        removed=counts.get("removed", 0),
        superseded=counts.get("superseded", 0),
        refused=tuple(
            RefusedWrite(key, url, line, parse(counts_as))
            for key, url, line, counts_as in outcome.get("refused", ())
        ),
        rejected=tuple(ItemError(*each) for each in outcome.get("rejected", ())),
        rounds=counts.get("rounds", 0),
    )


def unchanged(changes: Changes, rounds: int) -> Published:
    """The result of a publish that changed nothing."""
    return Published(
        status=PublishStatus.UNCHANGED,
        generation=None,
        base=changes.base,
        documents_before=changes.documents_before,
        documents_after=changes.documents_before,
        superseded=len(changes.decisions.superseded),
        refused=changes.decisions.refused,
        rounds=rounds,
    )
