"""Between what a crawl knows of a URL and the record that it writes and goes on from."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from site_indexer.crawling.frontier import Entry
from site_indexer.crawling.judging import Judged
from site_indexer.crawling.model import Outcome, PageRecord, StoredPage
from site_indexer.crawling.page_facts import NO_DATES, Answer, PageFacts
from site_indexer.crawling.responses import Failure
from site_indexer.crawling.settling import Settled
from site_indexer.masks.model import DocumentDates

_ANSWERS = {
    Outcome.GONE: Answer.GONE,
    Outcome.UNSUPPORTED: Answer.UNSUPPORTED,
    Outcome.FAILED: Answer.FAILED,
    Outcome.REFUSED: Answer.REFUSED,
}
_PLAIN = frozenset({Outcome.INDEXED, Outcome.UNCHANGED, Outcome.NOT_WRITTEN})


def record_of(
    entry: Entry, facts: PageFacts, judged: Judged, document: Mapping[str, Any] | None
) -> PageRecord:
    """The record of a URL judged by itself. ``facts.fetched_at`` is set."""
    if facts.fetched_at is None:
        message = f"{entry.url} has no time at which it was asked for"
        raise ValueError(message)
    decisive = judged.decisive
    return PageRecord(
        url=entry.url,
        document_id=entry.document_id,
        fetched_at=facts.fetched_at,
        outcome=judged.outcome,
        action=judged.action,
        block=decisive.block,
        line=decisive.line,
        cause=decisive.cause,
        named=entry.is_named,
        reaches=judged.reaches,
        status=facts.status,
        target=facts.target if facts.target is not None else facts.canonical,
        permanent=facts.permanent,
        document=document,
        links=facts.links,
        failure=facts.failure.value if facts.failure is not None else None,
        error=facts.error,
        bytes=facts.bytes,
        elapsed_ms=facts.elapsed_ms,
        warnings=facts.warnings,
        not_modified=facts.not_modified,
        links_as_stored=facts.not_modified and not facts.nofollow,
        own_date=facts.dates.own,
        server_date=facts.dates.server,
        text_digest=facts.text_digest,
    )


def settled_record(
    entry: Entry, record: PageRecord, settled: Settled, document: Mapping[str, Any] | None
) -> PageRecord:
    """The record of a URL as it was settled among all others, with that document."""
    failure = settled.failure
    judged = entry.judged
    if judged is not None:
        decisive = judged.decisive
        record = dataclasses.replace(
            record,
            block=decisive.block,
            line=decisive.line,
            cause=decisive.cause,
            named=entry.is_named,
            reaches=judged.reaches,
        )
    return dataclasses.replace(
        record,
        outcome=settled.outcome,
        action=settled.action,
        target=settled.target,
        document=document,
        failure=failure.value if failure is not None else record.failure,
        error=_sentence(record.url, failure) if failure is not None else record.error,
    )


def needs_document(facts: PageFacts) -> bool:
    """Whether a record has to hold the document, for itself or for what is decided later."""
    if not facts.is_read or facts.noindex:
        return False
    return facts.changed or facts.canonical is not None or facts.answer is Answer.REFRESH


def is_told_by_record(facts: PageFacts, outcome: Outcome) -> bool:
    """Whether the record of a URL with that outcome gives back all that judging it again needs.

    What redirects, refreshes and canonicals lead to is settled among all URLs, so those are not
    meant here; nor are pages without a document in their record that a rule may let in later.
    """
    if facts.answer is not Answer.PAGE:
        return _ANSWERS.get(outcome) is facts.answer
    if outcome is Outcome.NOINDEX:
        return not facts.may_lose_document
    if outcome is Outcome.EXCLUDED:
        return not facts.noindex and (facts.changed or facts.not_modified)
    return outcome in _PLAIN


def restored_facts(
    record: PageRecord, stored: StoredPage | None, *, of_this_crawl: bool = False
) -> PageFacts | None:
    """The facts that a record holds; None if the URL is to be looked at again.

    ``stored`` is what the index holds under the URL. What robots.txt refused or rules left out was
    not fetched, and costs nothing to find out again; within one crawl a refusal holds.
    """
    if record.outcome is Outcome.REFUSED and not of_this_crawl:
        return None
    answer = _answer(record)
    if answer is None or (record.links_as_stored and stored is None):
        return None
    aliases = stored.aliases if stored is not None else ()
    return PageFacts(
        answer=answer,
        status=record.status,
        fetched_at=record.fetched_at,
        target=record.target if answer in (Answer.REDIRECT, Answer.REFRESH) else None,
        permanent=record.permanent,
        canonical=_canonical(record, stored) if answer is Answer.PAGE else None,
        noindex=record.outcome is Outcome.NOINDEX,
        links=stored.links if stored is not None and record.links_as_stored else record.links,
        dates=_dates(record),
        stored=stored is not None,
        changed=_is_changed(record, stored),
        not_modified=record.not_modified,
        aliases=aliases,
        failure=Failure(record.failure) if record.failure is not None else None,
        error=record.error,
        bytes=record.bytes,
        elapsed_ms=record.elapsed_ms,
        warnings=record.warnings,
        text_digest=record.text_digest,
    )


def _answer(record: PageRecord) -> Answer | None:
    if record.outcome is Outcome.REDIRECT or _is_endless_redirect(record):
        return Answer.REFRESH if record.status in (200, 203) else Answer.REDIRECT
    if record.outcome in _ANSWERS:
        return _ANSWERS[record.outcome]
    if record.outcome is Outcome.EXCLUDED and not (record.document or record.not_modified):
        return None
    return Answer.PAGE


def _is_endless_redirect(record: PageRecord) -> bool:
    return record.failure in (Failure.REDIRECT_LOOP, Failure.TOO_MANY_REDIRECTS)


def _canonical(record: PageRecord, stored: StoredPage | None) -> str | None:
    if record.document is not None:
        canonical = record.document.get("canonical")
        return canonical if isinstance(canonical, str) else None
    return stored.canonical if stored is not None and record.not_modified else None


def _dates(record: PageRecord) -> DocumentDates:
    if record.own_date is None and record.server_date is None:
        return NO_DATES
    return DocumentDates(own=record.own_date, server=record.server_date)


def _is_changed(record: PageRecord, stored: StoredPage | None) -> bool:
    if record.document is None:
        return False
    return stored is None or stored.content_digest != record.document.get("content_digest")


def _sentence(url: str, failure: Failure) -> str:
    if failure is Failure.REDIRECT_LOOP:
        return f"{url} redirects in a loop that holds no page."
    return f"{url} redirects more often than crawl.max_redirects allows."
