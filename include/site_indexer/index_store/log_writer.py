"""Writes the entries of a run's log in the background.

A run is never slower or red because of its log: nothing here waits or raises. What cannot be
written is lost, and the log says how much as soon as it can be written again.
"""

from __future__ import annotations

import datetime as dt
import logging
import threading

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.batches import Batches
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
        self._batches: Batches[LogEntry | Ending | None] = Batches(
            size=BATCH, most=MOST_QUEUED, longest_wait_s=LONGEST_WAIT_S
        )
        self._lock = threading.Lock()
        self.lost = 0
        """How many entries could not be written, and have not been accounted for in the log."""
        self._reason = ""
        self._thread = threading.Thread(target=self._run, name=f"log {run.run_id}", daemon=True)
        self._thread.start()

    def put(self, entry: LogEntry) -> None:
        """Take an entry. Where 20,000 wait to be written it is lost."""
        if not self._batches.put(entry):
            self._lose(1, "they came faster than OpenSearch took them")

    def end(self, ending: Ending) -> None:
        """Say how the run ended; what is said last counts."""
        self.has_ended = True
        if not self._batches.put(ending):
            self._lose(1, "they came faster than OpenSearch took them")

    def close(self) -> None:
        """Write what is left, for at most ten seconds."""
        if self._batches.put(None, timeout_s=LONGEST_CLOSE_S):
            self._batches.hurry()
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
        for taken in self._batches.take():
            if taken is None:
                return entries, ending, True
            if isinstance(taken, Ending):
                ending = ending.then(taken)
            else:
                entries.append(taken)
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
