"""The index log of one run, as use cases write to it (docs/spec/05-index-lifecycle.md, 5.16)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from site_indexer.errors import CrawlTurnTakenError
from site_indexer.index_store.log_entries import Level, LogEntry
from site_indexer.index_store.log_store import Ending
from site_indexer.index_store.log_writer import LogWriter

FAILED = "failed"


class RunLog:
    """Writes to the log of a run; neither waits nor raises. Without a writer it keeps nothing.

    ``action`` is what goes on now: ``read_script``, ``add``, and so on. ``failure`` is the last
    error that a step ended with.
    """

    def __init__(self, writer: LogWriter | None = None, action: str = "") -> None:
        self._writer = writer
        self.action = action
        self.failure: BaseException | None = None

    @property
    def is_open(self) -> bool:
        """Whether what is written is kept."""
        return self._writer is not None

    def put(self, entry: LogEntry) -> None:
        """Take an entry; it is written within about a second."""
        if self._writer is not None:
            self._writer.put(entry)

    def say(
        self, level: Level, message: str, *, line: int | None = None, url: str | None = None
    ) -> None:
        """Take an entry of now, and of the action that goes on."""
        now = dt.datetime.now(dt.UTC)
        self.put(LogEntry(now, level, self.action, message, line=line, url=url))

    def end(
        self, status: str, counts: Mapping[str, Any] | None = None, *, if_running: bool = False
    ) -> None:
        """Say how the run ended, with the counts of its summary; what is said last counts.

        ``if_running``: only if nothing else was said before.
        """
        if self._writer is not None:
            self._writer.end(Ending(status, counts or {}, if_running=if_running))

    @contextmanager
    def acting(self, action: str) -> Iterator[None]:
        """While the block runs, that action goes on. Takes the error that leaves the block."""
        before, self.action = self.action, action
        try:
            yield
        except BaseException as error:
            self._note(error)
            raise
        finally:
            self.action = before

    def _note(self, error: BaseException) -> None:
        """Take an error once, from the innermost block. A turn that is taken is none."""
        if error is self.failure or isinstance(error, CrawlTurnTakenError):
            return
        self.failure = error
        self.say(Level.ERROR, str(error) or type(error).__name__)
        self.end(FAILED)


NO_LOG = RunLog()
