"""Use case: say why a URL is, or is not, in the index (docs/spec/08-shell.md, ``explain``)."""

from __future__ import annotations

import datetime as dt
from typing import Any

from site_indexer.crawling.robots import RobotsAccess, RobotsVerdict
from site_indexer.index_store.names import Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import iso
from site_indexer.indexing.script_opinion import BlockJudgement, Opinion
from site_indexer.indexing.url_evidence import Evidence, Retry, Visit, gather
from site_indexer.indexing.url_verdict import verdict
from site_indexer.masks.model import Outcome as RuleOutcome
from site_indexer.urls import document_id, normalize

_OF_DOCUMENT = (
    "url", "title", "date", "date_source", "server_date", "language", "content_type", "tier",
    "fetched_at", "block_date", "content_digest", "extractor_version", "aliases", "canonical",
)  # fmt: skip
_OF_VISIT = ("outcome", "status", "failure", "error", "rejected", "target", "line", "cause")


def explain(
    collaborators: Collaborators, site: str, written: str, *, target: Target, now: dt.datetime
) -> dict[str, Any]:
    """Everything known about a URL, and one sentence. Raises UrlError for what is no URL.

    Also raises SiteFileError, and the store's errors.
    """
    url = normalize(written)
    evidence = gather(collaborators, site, url, target=target, now=now)
    finding = verdict(evidence)
    visits = [_visit(visit) for visit in evidence.visits]
    generation = evidence.generation
    return {
        "site": site,
        "target": target.value,
        "url": written,
        "normalized": url,
        "document_id": document_id(url),
        "in_index": finding.in_index,
        "sentence": finding.sentence,
        "advice": finding.advice or None,
        "generation": generation.name if generation is not None else None,
        "published_at": iso(generation.published_at) if generation is not None else None,
        "watermark": iso(generation.watermark) if generation is not None else None,
        "document": _document(evidence),
        "stored_as": evidence.stored_as,
        "canonical": (evidence.document or {}).get("canonical"),
        "duplicate_of": _duplicate_of(evidence),
        "last_fetch": visits[0] if visits else None,
        "visits": visits,
        "retry": _retry(evidence.retry),
        "removals": [
            {
                "line": removal.line,
                "block_date": iso(removal.counts_as),
                "url": removal.url,
                "mask": removal.mask,
                "mask_kind": removal.mask_kind.value if removal.mask_kind else None,
            }
            for removal in evidence.removals
        ],
        "script": _script(evidence.opinion),
        "robots": _robots(evidence.robots) if evidence.is_on_site else None,
        "class": None,
        "next_check": None,
    }


def _document(evidence: Evidence) -> dict[str, Any] | None:
    document = evidence.document
    if document is None:
        return None
    return {name: document[name] for name in _OF_DOCUMENT if name in document}


def _duplicate_of(evidence: Evidence) -> str | None:
    last = evidence.last_visit
    if last is not None and last.outcome == "duplicate":
        target = last.facts.get("target")
        return target if isinstance(target, str) else None
    return evidence.stored_as


def _visit(visit: Visit) -> dict[str, Any]:
    return {
        "fetched_at": iso(visit.fetched_at),
        "run_id": visit.run_id,
        "action": visit.action,
        "block_line": visit.block_line,
        "block_date": iso(visit.block_date),
        **{name: visit.facts.get(name) for name in _OF_VISIT},
        "not_modified": bool(visit.facts.get("not_modified")),
        "judged": [
            {name: reach.get(name) for name in ("line", "cause", "verdict", "rule", "found_on")}
            for reach in visit.facts.get("reaches", ())
        ],
        "warnings": list(visit.facts.get("warnings", ())),
    }


def _retry(retry: Retry | None) -> dict[str, Any] | None:
    if retry is None:
        return None
    return {
        "since": iso(retry.since),
        "until": iso(retry.until),
        "tries": retry.tries,
        "failure": retry.failure,
        "line": retry.line,
    }


def _script(opinion: Opinion | None) -> dict[str, Any] | None:
    if opinion is None:
        return None
    naming = opinion.naming
    return {
        "error": opinion.error,
        **_judgement(opinion.newest, read=opinion.error is None),
        "excluded_by": [_judgement(each, read=True) for each in opinion.exclusions],
        "named_by": None
        if naming is None
        else {
            "line": naming.line,
            "command": naming.text,
            "block_line": naming.block_line,
            "block_date": iso(naming.block_date),
        },
    }


def _judgement(judged: BlockJudgement | None, *, read: bool) -> dict[str, Any]:
    rule = judged.judgement.rule if judged is not None else None
    said = judged.judgement.outcome if judged is not None else RuleOutcome.NO_MATCH
    return {
        "decision": said.value if read else None,
        "line": rule.line if rule is not None else None,
        "rule": rule.text if rule is not None else None,
        "origin": rule.origin.value if rule is not None else None,
        "block_line": judged.block_line if judged is not None else None,
        "block_date": iso(judged.block_date) if judged is not None else None,
    }


def _robots(robots: RobotsVerdict | None) -> dict[str, Any]:
    if robots is None:
        return {"allowed": True, "rule": "the site file says robots: ignore"}
    known = robots.access in (RobotsAccess.ALLOWED, RobotsAccess.REFUSED)
    return {"allowed": robots.allowed if known else None, "rule": robots.rule}
