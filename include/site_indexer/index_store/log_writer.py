"""Writes the entries of a run's log in the background.

A run is never slower or red because of its log: nothing here waits or raises. What cannot be
written is lost, and the log says how much as soon as it can be written again.
"""

from __future__ import annotations

import datetime as dt
import logging
import queue
import threading
import time

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.log_entries import Level, LogEntry, LogRun
from site_indexer.index_store.log_store import NO_ENDING, Ending, LogStore

BATCH = 500
LONGEST_WAIT_S = 1.0
LONGEST_CLOSE_S = 10.0
MOST_QUEUED = 20_000

logger = logging.getLogger(__name__)


class LogWriter:
    """Takes entries of one run and writes them within a second, 500 at a time, in a thread.

    Several threads may use it.
    """

    def __init__(self, store: LogStore, run: LogRun) -> None:
        self.store = store
        self.has_ended = False
        """Whether the run has said how it ended."""
        self._run_log = run
        self._queue: queue.Queue[LogEntry | Ending | None] = queue.Queue(MOST_QUEUED)
        self._lock = threading.Lock()
        self.lost = 0
        """How many entries could not be written, and have not been accounted for in the log."""
        self._reason = ""
        self._thread = threading.Thread(target=self._run, name=f"log {run.run_id}", daemon=True)
        self._thread.start()

    def put(self, entry: LogEntry) -> None:
        """Take an entry. Where 20,000 wait to be written it is lost."""
        try:
            self._queue.put_nowait(entry)
        except queue.Full:
            self._lose(1, "they came faster than OpenSearch took them")

    def end(self, ending: Ending) -> None:
        """Say how the run ended; what is said last counts."""
        self.has_ended = True
        try:
            self._queue.put_nowait(ending)
        except queue.Full:
            self._lose(1, "they came faster than OpenSearch took them")

    def close(self) -> None:
        """Write what is left, for at most ten seconds."""
        try:
            self._queue.put(None, timeout=LONGEST_CLOSE_S)
        except queue.Full:
            return
        self._thread.join(LONGEST_CLOSE_S)

    def _run(self) -> None:
        last = False
        while not last:
            entries, ending, last = self._next_batch()
            if entries or ending is not NO_ENDING:
                self._write(entries, ending)

    def _next_batch(self) -> tuple[list[LogEntry], Ending, bool]:
        entries: list[LogEntry] = []
        ending = NO_ENDING
        deadline = None
        while len(entries) < BATCH:
            wait = None if deadline is None else max(0.0, deadline - time.monotonic())
            try:
                taken = self._queue.get(timeout=wait)
            except queue.Empty:
                break
            if taken is None:
                return entries, ending, True
            if isinstance(taken, Ending):
                ending = ending.then(taken)
            else:
                entries.append(taken)
            deadline = deadline or time.monotonic() + LONGEST_WAIT_S
        return entries, ending, False

    def _write(self, entries: list[LogEntry], ending: Ending) -> None:
        lost = self.lost
        if lost:
            entries = [self._gap(lost), *entries]
        try:
            self.store.append(self._run_log, entries, ending)
        except SiteIndexerError as error:
            if not lost:
                logger.warning("The index log of this run has gaps: %s", error)
            self._lose(len(entries) - bool(lost), str(error))
        else:
            self._lose(-lost, self._reason)

    def _lose(self, count: int, reason: str) -> None:
        with self._lock:
            self.lost += count
            self._reason = reason

    def _gap(self, lost: int) -> LogEntry:
        return LogEntry(
            time=dt.datetime.now(dt.UTC),
            level=Level.WARNING,
            action="log",
            message=f"{lost} entries of this log are lost: {self._reason}",
        )
