"""Writes the pages of a crawl to its draft, in a thread of its own."""

from __future__ import annotations

import datetime as dt
import logging
import queue
import threading
from collections.abc import Sequence

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.bulk import Item, bulk_write
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.drafts import DraftPlan, begin_draft, find_draft, mark_draft

WORTH_IT = 500
"""Pages from which on a draft saves more than it costs."""

_BATCHES_QUEUED = 2

log = logging.getLogger(__name__)


class DraftWriter:
    """Takes documents, and begins a draft once there are enough of them.

    Nothing here raises: where the draft cannot be written it is given up, and publishing copies
    all of the change set. One thread may use it.
    """

    def __init__(self, client: StoreClient, plan: DraftPlan) -> None:
        self._client = client
        self._plan = plan
        self._held: list[Item] = []
        self._queue: queue.Queue[Sequence[Item]] = queue.Queue(_BATCHES_QUEUED)
        self._given_up = False
        self._index = self._go_on()
        self._thread: threading.Thread | None = None

    def put(self, items: Sequence[Item]) -> None:
        """Take documents. Waits while two batches are unwritten: OpenSearch is what takes time."""
        if self._given_up:
            return
        if self._thread is None:
            self._held += items
            if self._index is None and len(self._held) < WORTH_IT:
                return
            items, self._held = self._held, []
            self._thread = threading.Thread(target=self._run, name="write draft", daemon=True)
            self._thread.start()
        if items:
            self._queue.put(items)

    def finish(self, *, complete: bool) -> None:
        """Write what is left. Unless ``complete``, the draft counts for nothing from now on."""
        if self._thread is not None:
            self._queue.put(())
            self._thread.join()
        if self._index is None or self._given_up or not complete:
            return
        try:
            mark_draft(self._client, self._plan.names, self._index, complete=True)
        except SiteIndexerError as error:
            self._give_up(error)

    def _go_on(self) -> str | None:
        """The draft of the run's crawl before this, which is incomplete while this one goes on."""
        try:
            draft = find_draft(self._client, self._plan)
            if draft is not None:
                mark_draft(self._client, self._plan.names, draft.name, complete=False)
        except SiteIndexerError as error:
            self._give_up(error)
            return None
        return None if draft is None else draft.name

    def _run(self) -> None:
        """Write batch after batch. Once given up what is taken is thrown away, so none waits."""
        while items := self._queue.get():
            if self._given_up:
                continue
            try:
                self._write(items)
            except SiteIndexerError as error:
                self._give_up(error)

    def _write(self, items: Sequence[Item]) -> None:
        if self._index is None:
            self._index = begin_draft(self._client, self._plan, dt.datetime.now(dt.UTC))
            if self._index is None:
                self._given_up = True
                return
        # What is rejected is missing from the draft. Publishing finds that out, and why.
        bulk_write(self._client, self._index, items)

    def _give_up(self, error: SiteIndexerError) -> None:
        self._given_up = True
        log.info("Publishing will copy all pages itself: %s", error)
