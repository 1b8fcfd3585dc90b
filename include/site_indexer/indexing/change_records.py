"""Between the crawl's page records and the store's change records.

``crawling`` and ``index_store`` know nothing of each other; here one becomes the other.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.index_script.model import Action
from site_indexer.index_store.change_sets import ChangeRecord
from site_indexer.planning.model import PlannedBlock

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
# Where nothing would mean something else than what is written.
_ALWAYS = frozenset({"named", "target", "failure", "error"})


def to_change_record(record: PageRecord, blocks: Sequence[PlannedBlock]) -> ChangeRecord:
    """The stored form of a page record. Its version is the fetch time in milliseconds."""
    return ChangeRecord(
        document_id=record.document_id,
        url=record.url,
        version_ms=_milliseconds(record.fetched_at),
        action=record.action.value,
        block=record.block,
        counts_as=blocks[record.block].counts_as,
        document=record.document,
        facts=_facts(record),
    )


def to_page_record(change: ChangeRecord) -> PageRecord:
    """The page record that a change record was made from."""
    facts = change.facts
    if change.block is None:
        raise ValueError(f"{change.url} was found by no block of a script")
    links = (change.document or {}).get("links", ())
    return PageRecord(
        url=change.url,
        document_id=change.document_id,
        fetched_at=EPOCH + dt.timedelta(milliseconds=change.version_ms),
        outcome=Outcome(facts["outcome"]),
        action=RecordAction(change.action),
        block=change.block,
        line=facts["line"],
        cause=Action(facts["cause"]),
        named=facts["named"],
        reaches=tuple(_reach(reach) for reach in facts.get("reaches", ())),
        status=facts.get("status"),
        target=facts.get("target"),
        permanent=facts.get("permanent", False),
        document=change.document,
        links=tuple(facts.get("links", links)),
        failure=facts.get("failure"),
        error=facts.get("error"),
        bytes=facts.get("bytes", 0),
        elapsed_ms=facts.get("elapsed_ms", 0),
        warnings=tuple(facts.get("warnings", ())),
        not_modified=facts.get("not_modified", False),
        links_as_stored=facts.get("links_as_stored", False),
        own_date=_instant(facts.get("own_date")),
        server_date=_instant(facts.get("server_date")),
        text_digest=facts.get("text_digest"),
    )


def _facts(record: PageRecord) -> dict[str, Any]:
    """The facts; what is nothing or False is left out, as each page of a run has them."""
    facts: dict[str, Any] = {
        "outcome": record.outcome.value,
        "line": record.line,
        "cause": record.cause.value,
        "named": record.named,
        "reaches": [_reach_facts(reach) for reach in record.reaches],
        "status": record.status,
        "target": record.target,
        "permanent": record.permanent,
        "failure": record.failure,
        "error": record.error,
        "bytes": record.bytes,
        "elapsed_ms": record.elapsed_ms,
        "warnings": list(record.warnings),
        "not_modified": record.not_modified,
        "links_as_stored": record.links_as_stored,
        "own_date": record.own_date and record.own_date.isoformat(),
        "server_date": record.server_date and record.server_date.isoformat(),
        "text_digest": record.text_digest,
    }
    facts = {
        name: value
        for name, value in facts.items()
        if value or (name in _ALWAYS and value is not None)
    }
    if not _has_links_elsewhere(record):
        facts["links"] = list(record.links)
    return facts


def _has_links_elsewhere(record: PageRecord) -> bool:
    """Whether the record's document holds its links, or the one in the index does."""
    if record.links_as_stored:
        return True
    document = record.document
    return document is not None and tuple(document.get("links", ())) == record.links


def _reach_facts(reach: Reach) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "block": reach.block,
        "depth": reach.depth,
        "line": reach.line,
        "cause": reach.cause.value,
        "named": reach.named,
        "verdict": reach.verdict,
    }
    if reach.nofollow or reach.noindex:
        facts |= {"nofollow": reach.nofollow, "noindex": reach.noindex}
    if reach.found_on is not None:
        facts["found_on"] = reach.found_on
    if reach.rule is not None:
        facts["rule"] = reach.rule
    return facts


def _reach(facts: Mapping[str, Any]) -> Reach:
    return Reach(**{**facts, "cause": Action(facts["cause"])})


def _instant(text: str | None) -> dt.datetime | None:
    return None if text is None else dt.datetime.fromisoformat(text)


def _milliseconds(instant: dt.datetime) -> int:
    return (instant - EPOCH) // dt.timedelta(milliseconds=1)
