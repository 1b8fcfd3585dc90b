"""Writing a crawl's records, counting them, and naming errors in the log."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from site_indexer.crawling.documents import with_aliases
from site_indexer.crawling.frontier import Entry, Frontier, written_state
from site_indexer.crawling.judging import Judged
from site_indexer.crawling.model import (
    CrawlCounts,
    KnownPages,
    Outcome,
    PageRecord,
    RecordAction,
    RecordSink,
)
from site_indexer.crawling.page_facts import PageFacts
from site_indexer.crawling.page_records import (
    needs_document,
    record_of,
    restored_facts,
    settled_record,
)
from site_indexer.crawling.removal_log import RemovalLog
from site_indexer.crawling.settling import Settled
from site_indexer.index_script.model import Action
from site_indexer.urls import document_id

# A name of its own: what it tells of pages their records tell with more facts.
logger = logging.getLogger("site_indexer.crawling.pages")

_READ_BACK_AT_ONCE = 100


class Ledger:
    """Puts records to the sink, and knows what it put."""

    def __init__(self, sink: RecordSink, known: KnownPages) -> None:
        self._sink = sink
        self._known = known
        self._fetched = 0
        self._bytes = 0
        self._failures: Counter[str] = Counter()
        self._removals = RemovalLog()

    @property
    def failures(self) -> Mapping[str, int]:
        """How many URLs failed so far, by the word of the failure."""
        return self._failures

    def note_answer(self, facts: PageFacts) -> None:
        """Count an answer to a request of this crawl."""
        self._fetched += 1
        self._bytes += facts.bytes

    def judged(
        self, entry: Entry, facts: PageFacts, judged: Judged, document: Mapping[str, Any] | None
    ) -> None:
        """Write a URL's record when it is judged for the first time.

        ``document`` is that of a page just read. What further blocks and other pages change is
        written once, by :meth:`settle`; until then the record tells enough to go on from.
        """
        if entry.written is not None:
            return
        record = record_of(entry, facts, judged, document if needs_document(facts) else None)
        entry.written = written_state(record)
        self._sink.put(record)
        self._log(record)
        if record.action is RecordAction.REMOVE and facts.stored:
            self._removals.note(record)

    def settle(self, entries: Iterable[tuple[Entry, Settled]]) -> None:
        """Rewrite the records of those URLs that became something else than is written."""
        changes = [(entry, settled) for entry, settled in entries if _differs(entry, settled)]
        for start in range(0, len(changes), _READ_BACK_AT_ONCE):
            batch = changes[start : start + _READ_BACK_AT_ONCE]
            records = self._sink.get([entry.document_id for entry, _ in batch])
            for entry, settled in batch:
                record = records.get(entry.document_id)
                if record is not None:
                    self._settle_one(entry, record, settled)

    def read_back(self, urls: Sequence[str]) -> dict[str, tuple[PageRecord, PageFacts]]:
        """What records tell of these URLs, by URL, as far as they tell enough to go on from."""
        found: dict[str, tuple[PageRecord, PageFacts]] = {}
        for start in range(0, len(urls), _READ_BACK_AT_ONCE):
            ids = [document_id(url) for url in urls[start : start + _READ_BACK_AT_ONCE]]
            stored = self._known.lookup(ids)
            for key, record in self._sink.get(ids).items():
                facts = restored_facts(record, stored.get(key), of_this_crawl=True)
                if facts is not None:
                    found[record.url] = (record, facts)
        return found

    def flush(self) -> None:
        """End: return once all records are durable."""
        self._sink.flush()
        self._removals.close()

    def counts(
        self,
        frontier: Frontier,
        *,
        left_out: int,
        more_left_out: bool,
        seconds: float,
        limit_reached: str | None,
    ) -> CrawlCounts:
        """What this crawl did; what it went on from counts where it was done."""
        outcomes: Counter[Outcome] = Counter()
        removed = not_modified = 0
        for kind in frontier.finished:
            if kind.is_fresh:
                outcomes[kind.outcome] += kind.pages
                removed += kind.pages * (kind.action is RecordAction.REMOVE and kind.stored)
                not_modified += kind.pages * kind.not_modified
        for entry in frontier:
            if not entry.is_fresh or entry.written is None or entry.facts is None:
                continue
            outcome, action, *_ = entry.written
            outcomes[outcome] += 1
            removed += action is RecordAction.REMOVE and entry.facts.stored
            not_modified += entry.facts.not_modified
        return CrawlCounts(
            fetched=self._fetched,
            indexed=outcomes[Outcome.INDEXED],
            unchanged=outcomes[Outcome.UNCHANGED],
            not_modified=not_modified,
            removed=removed,
            excluded=outcomes[Outcome.EXCLUDED] + left_out,
            excluded_at_least=more_left_out,
            refused=outcomes[Outcome.REFUSED],
            redirected=outcomes[Outcome.REDIRECT],
            duplicates=outcomes[Outcome.DUPLICATE],
            unsupported=outcomes[Outcome.UNSUPPORTED],
            errors=outcomes[Outcome.FAILED],
            bytes=self._bytes,
            seconds=seconds,
            limit_reached=limit_reached,
            failures=dict(self._failures),
        )

    def _settle_one(self, entry: Entry, record: PageRecord, settled: Settled) -> None:
        document = record.document
        if settled.aliases is not None:
            document = document or self._known.document(entry.document_id)
            if document is None:
                return  # it went from the index meanwhile, and with it what was to be added
            document = with_aliases(document, settled.aliases)
        after = settled_record(entry, record, settled, document)
        self._sink.put(after)
        entry.written = written_state(after)
        if after.failure != record.failure:
            self._log(after)
        stored = entry.facts is not None and entry.facts.stored
        if stored and after.action is RecordAction.REMOVE is not record.action:
            self._removals.note(after)

    def _log(self, record: PageRecord) -> None:
        for warning in record.warnings:
            logger.warning("%s", warning)
        if record.failure is not None:
            self._failures[record.failure] += 1
        named = f"line {record.line}: " if record.named else ""
        if record.outcome in (Outcome.FAILED, Outcome.REFUSED):
            level = logging.ERROR if record.named else logging.WARNING
            if record.outcome is Outcome.REFUSED and not record.named:
                level = logging.DEBUG
            logger.log(level, "%s%s", named, record.error or record.failure)
        elif record.outcome is Outcome.GONE and record.named and record.cause is Action.ADD:
            logger.warning("%s%s answered %s", named, record.url, record.status)
        elif record.outcome is Outcome.UNSUPPORTED and record.named:
            logger.warning("%s%s is of a type that is not indexed", named, record.url)
        elif record.outcome is Outcome.EXCLUDED and record.named and record.cause is Action.ADD:
            # Of an update's mask that is what the block's exclude lines are for.
            logger.warning("%s%s is left out by the rules of its block", named, record.url)


def _differs(entry: Entry, settled: Settled) -> bool:
    if entry.written is None or entry.judged is None:
        return False
    block = entry.judged.decisive.block
    wanted = (settled.outcome, settled.action, settled.target, block, entry.is_named)
    return settled.aliases is not None or entry.written != wanted
