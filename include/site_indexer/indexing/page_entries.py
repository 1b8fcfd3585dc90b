"""What the index log says of the pages of a crawl."""

from __future__ import annotations

from collections.abc import Iterator

from site_indexer.crawling.model import Outcome, PageRecord, RecordAction
from site_indexer.index_store.log_entries import Level, LogEntry

_WORDS = {
    Outcome.INDEXED: "indexed",
    Outcome.UNCHANGED: "unchanged",
    Outcome.NOT_WRITTEN: "followed, not indexed, as its command or rule says noindex",
    Outcome.NOINDEX: "not indexed: the page says noindex",
    Outcome.GONE: "gone",
    Outcome.EXCLUDED: "skipped by rule",
    Outcome.REFUSED: "refused by robots.txt",
    Outcome.FAILED: "failed",
    Outcome.UNSUPPORTED: "of a type that is not indexed",
}


def page_entries(record: PageRecord, *, again: bool = False) -> Iterator[LogEntry]:
    """The entries of one page: its warnings, then what became of it.

    ``again``: the end of the crawl made something else of a page that has its entries already.
    """
    for warning in () if again else record.warnings:
        yield _entry(record, Level.WARNING, warning)
    words = message_of(record)
    yield LogEntry(
        time=record.fetched_at,
        level=level_of(record),
        action=record.cause.value,
        message=f"in the end: {words}" if again else words,
        line=record.line,
        url=record.url,
        status=record.status,
        bytes=None if again else record.bytes,
        milliseconds=None if again else record.elapsed_ms,
    )


def level_of(record: PageRecord) -> Level:
    """How much it matters: what a command names and cannot be had is an error."""
    if record.outcome is Outcome.FAILED:
        return Level.ERROR if record.named else Level.WARNING
    if record.outcome is Outcome.REFUSED:
        return Level.ERROR if record.named else Level.INFO
    if record.named and record.outcome in (Outcome.GONE, Outcome.UNSUPPORTED):
        return Level.WARNING
    return Level.INFO


def message_of(record: PageRecord) -> str:
    """What became of a page, in words."""
    match record.outcome:
        case Outcome.REDIRECT:
            words = f"redirects {'for good ' if record.permanent else ''}to {record.target}"
        case Outcome.DUPLICATE:
            words = f"the same document as {record.target}, which is indexed in its place"
        case Outcome.UNCHANGED if record.not_modified:
            words = "unchanged (not modified)"
        case Outcome.UNCHANGED if record.action is RecordAction.WRITE:
            words = "unchanged, with new aliases"
        case Outcome.EXCLUDED:
            words = f"skipped by rule: {_rule(record)}"
        case Outcome.FAILED | Outcome.REFUSED if record.error:
            words = record.error
        case _:
            words = _WORDS[record.outcome]
    return f"{words}; its document goes" if record.action is RecordAction.REMOVE else words


def _rule(record: PageRecord) -> str:
    decisive = (reach for reach in record.reaches if reach.block == record.block)
    reach = next(decisive, None)
    return "none matches" if reach is None or reach.rule is None else reach.rule


def _entry(record: PageRecord, level: Level, message: str) -> LogEntry:
    return LogEntry(
        time=record.fetched_at,
        level=level,
        action=record.cause.value,
        message=message,
        line=record.line,
        url=record.url,
        status=record.status,
    )
