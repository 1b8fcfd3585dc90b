"""The writer of the index log never makes a run slower or red."""

from __future__ import annotations

import datetime as dt
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from site_indexer.errors import StoreUnreachableError
from site_indexer.index_store import log_writer
from site_indexer.index_store.log_entries import Level, LogEntry, LogRun
from site_indexer.index_store.log_store import NO_ENDING, Ending, LogStore
from site_indexer.index_store.log_writer import LogWriter

RUN = LogRun("shop", "script", "live", "run-1")
AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@dataclass
class Store:
    """A store that fails as often as it is told to, and waits while it is closed."""

    failures: int = 0
    written: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    endings: list[Ending] = field(default_factory=list)
    open: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)

    def append(self, run: LogRun, entries: Sequence[LogEntry], ending: Ending) -> None:
        self.asked.set()
        self.open.wait()
        if self.failures:
            self.failures -= 1
            raise StoreUnreachableError("OpenSearch does not answer.")
        self.batches.append(len(entries))
        self.written += [each.message for each in entries]
        if ending is not NO_ENDING:
            self.endings.append(ending)


def writer_on(store: Store, *, is_open: bool = True) -> LogWriter:
    if is_open:
        store.open.set()
    return LogWriter(cast(LogStore, store), RUN)


def entry(message: str) -> LogEntry:
    return LogEntry(AT, Level.INFO, "add", message)


def test_entries_are_written_in_order_with_how_the_run_ended_behind_them() -> None:
    store = Store()
    writer = writer_on(store)
    for number in range(1200):
        writer.put(entry(str(number)))
    writer.end(Ending("published", {}))
    writer.close()
    assert store.written == [str(number) for number in range(1200)]
    assert max(store.batches) == log_writer.BATCH
    assert [ending.status for ending in store.endings] == ["published"]


@pytest.mark.parametrize(
    ("endings", "status"),
    [
        ([("published", False), ("failed", True)], "published"),
        ([("failed", True)], "failed"),
        ([("failed", False), ("published", False)], "published"),
        ([("unchanged", True), ("failed", False)], "failed"),
    ],
)
def test_of_several_endings_the_last_counts_unless_it_was_only_for_want_of_another(
    endings: list[tuple[str, bool]], status: str
) -> None:
    ending = NO_ENDING
    for number, (said, if_running) in enumerate(endings):
        ending = ending.then(Ending(said, {str(number): 1}, if_running))
    assert ending.status == status
    assert len(ending.counts) == len(endings)


def test_an_outage_loses_entries_says_so_once_and_tells_how_many_when_it_is_over(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(log_writer, "BATCH", 2)
    store = Store(failures=2)
    writer = writer_on(store)
    with caplog.at_level(logging.WARNING):
        for number in range(6):
            writer.put(entry(str(number)))
        writer.close()
    gap, *rest = store.written
    assert "4 entries of this log are lost: OpenSearch does not answer." in gap
    assert rest == ["4", "5"]
    assert writer.lost == 0
    assert [record.message.count("has gaps") for record in caplog.records] == [1]


def test_where_entries_come_faster_than_they_are_written_none_waits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(log_writer, "MOST_QUEUED", 5)
    store = Store()
    writer = writer_on(store, is_open=False)
    writer.put(entry("first"))
    for number in range(2000):
        writer.put(entry(str(number)))
    assert writer.lost > 0
    store.open.set()
    writer.close()
    assert "first" in store.written
    assert sum("are lost: they came faster" in message for message in store.written) == 1


def test_closing_does_not_wait_for_a_store_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_writer, "LONGEST_CLOSE_S", 0.01)
    store = Store()
    writer = writer_on(store, is_open=False)
    writer.put(entry("first"))
    store.asked.wait(timeout=30)
    writer.close()
    assert store.written == []
    store.open.set()


def test_an_entry_comes_back_from_its_stored_form() -> None:
    whole = LogEntry(
        AT, Level.ERROR, "update", "no answer", line=3, url="https://e.com/", status=503,
        bytes=10, milliseconds=20, number=5,
    )  # fmt: skip
    stored: dict[str, Any] = whole.source("key", 5)
    assert LogEntry.of_source(stored) == whole
    short = entry("text")
    assert LogEntry.of_source(short.source("key", 0)) == short
    assert set(short.source("key", 0)) == {"run", "number", "time", "level", "action", "message"}
