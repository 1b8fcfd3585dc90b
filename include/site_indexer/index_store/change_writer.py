"""Writes page records to a change set in the background, so that a crawl never waits for it."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from site_indexer.errors import RunFailedError, SiteIndexerError
from site_indexer.index_store import scan
from site_indexer.index_store.batches import Batches
from site_indexer.index_store.bulk import ItemError, bulk_write
from site_indexer.index_store.change_records import (
    ChangeRecord,
    page_items,
    to_page,
)
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.draft_writer import DraftWriter

BATCH = 500
LONGEST_WAIT_S = 1.0
_MOST_QUEUED = 4 * BATCH


class _Flush:
    """Asks the thread to write what it holds; ``done`` is set then."""

    def __init__(self, last: bool = False) -> None:
        self.done = threading.Event()
        self.last = last


class ChangeWriter:
    """Takes records and writes them within a second, 500 at a time, in a thread of its own.

    A context manager: leaving it writes the rest. An error of writing is raised by the next
    :meth:`put`, :meth:`flush` or by leaving. Several threads may use it. What is to be indexed goes
    to ``draft`` as well.
    """

    def __init__(self, client: StoreClient, index: str, draft: DraftWriter | None = None) -> None:
        self._client = client
        self._index = index
        self._draft = draft
        self._batches: Batches[ChangeRecord | _Flush] = Batches(
            size=BATCH, most=_MOST_QUEUED, longest_wait_s=LONGEST_WAIT_S
        )
        self._unwritten: dict[str, ChangeRecord] = {}
        self._lock = threading.Lock()
        self._error: SiteIndexerError | None = None
        self._stopped = threading.Event()
        self._complete = False
        self.rejected: list[ItemError] = []
        """Documents that can never be indexed, with the reason; the run goes on without them."""
        self._thread = threading.Thread(target=self._run, name=f"write {index}", daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if not self._stopped.is_set():
            self._ask(_Flush(last=True))
        self._thread.join()
        if self._draft is not None:
            self._draft.finish(complete=kind is None and self._complete)
        if kind is None and not self._complete:
            self._raise_error()

    def put(self, record: ChangeRecord) -> None:
        """Take a record. Waits only while 2,000 are unwritten."""
        self._raise_error()
        with self._lock:
            self._unwritten[record.document_id] = record
        self._enqueue(record)

    def get(self, document_ids: Sequence[str]) -> dict[str, ChangeRecord]:
        """The last records taken of those ids, by id, written or not."""
        self._raise_error()
        with self._lock:
            waiting = {key: self._unwritten[key] for key in document_ids if key in self._unwritten}
        asked = [key for key in document_ids if key not in waiting]
        stored = scan.by_ids(self._client, self._index, asked, source=True)
        return waiting | {key: to_page(key, source) for key, source in stored}

    def flush(self) -> None:
        """Return once all that was taken is durable."""
        self._ask(_Flush())
        self._raise_error()

    def _ask(self, flush: _Flush) -> None:
        self._enqueue(flush)
        self._batches.hurry()
        while not flush.done.wait(timeout=1) and not self._stopped.is_set():
            pass

    def _enqueue(self, entry: ChangeRecord | _Flush) -> None:
        while not self._stopped.is_set():
            if self._batches.put(entry, timeout_s=1):
                return
        self._raise_error()

    def _raise_error(self) -> None:
        if self._error is not None:
            raise self._error
        if self._stopped.is_set():
            raise RunFailedError(
                f"Writing to {self._index} has ended, so a record would be lost.",
                hint="Clear the task: the records that are there are used again.",
            )

    def _run(self) -> None:
        try:
            self._write_batches()
        finally:
            self._stopped.set()

    def _write_batches(self) -> None:
        """Write batch after batch, up to the last flush."""
        while True:
            records: list[ChangeRecord] = []
            for entry in self._batches.take():
                if not isinstance(entry, _Flush):
                    records.append(entry)
                    continue
                self._attempt(records)
                records = []
                self._complete = entry.last and self._error is None
                entry.done.set()
                if entry.last:
                    return
            self._attempt(records)

    def _attempt(self, records: list[ChangeRecord]) -> None:
        """Write records. After an error what is taken is thrown away, so that nobody waits."""
        if not records or self._error is not None:
            return
        try:
            self._write(records)
        except SiteIndexerError as error:
            self._error = error

    def _write(self, batch: list[ChangeRecord]) -> None:
        items = [page_items(record) for record in batch]
        self.rejected += [
            ItemError(each.change.document_id, 0, each.rejected) for each in items if each.rejected
        ]
        # First here, so that a draft never has what the change set has not.
        outcome = bulk_write(self._client, self._index, [each.change for each in items])
        self.rejected += outcome.errors
        if self._draft is not None:
            self._draft.put([each.document for each in items if each.document is not None])
        self._forget(batch)

    def _forget(self, batch: Sequence[ChangeRecord]) -> None:
        with self._lock:
            for record in batch:
                if self._unwritten.get(record.document_id) is record:
                    del self._unwritten[record.document_id]
