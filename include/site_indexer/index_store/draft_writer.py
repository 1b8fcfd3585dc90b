"""Writes the pages of a crawl to its draft, in threads of its own."""

from __future__ import annotations

import datetime as dt
import logging
import queue
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store.building import refresh
from site_indexer.index_store.bulk import Item, bulk_write
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.drafts import DraftPlan, begin_draft, find_draft, mark_draft

WORTH_IT = 500
"""Pages from which on a draft saves more than it costs."""

_LANES = 2
"""OpenSearch indexes each request in one thread, so one at a time would leave a core idle."""

_BATCHES_QUEUED = 2
_REFRESHED_EVERY = 4_000
"""Pages, by lane, after which they are made visible: all at once in the end takes a second."""

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
        self._lanes: list[_Lane] = []
        self._given_up = False
        self._index = self._attempt(self._go_on)

    def put(self, items: Sequence[Item]) -> None:
        """Take documents. Waits while four batches are unwritten: OpenSearch takes the time."""
        if self._given_up or not items:
            return
        if not self._lanes:
            self._held += items
            if self._index is None and len(self._held) < WORTH_IT:
                return
            items, self._held = self._held, []
            self._index = self._index or self._attempt(self._begin)
            if self._index is None:
                self._given_up = True
                return
            self._lanes = [_Lane(self._client, self._index, self._give_up) for _ in range(_LANES)]
        # All versions of a document go one way, so that the last one stays.
        for number, lane in enumerate(self._lanes):
            lane.put([each for each in items if hash(each.document_id) % _LANES == number])

    def finish(self, *, complete: bool) -> None:
        """Write what is left. Unless ``complete``, the draft counts for nothing from now on."""
        for lane in self._lanes:
            lane.close()
        if not complete or self._given_up or self._index is None:
            return
        try:
            mark_draft(self._client, self._plan.names, self._index, complete=True)
        except SiteIndexerError as error:
            self._give_up(error)
            return
        # Publishing needs the last pages visible, but first it looks at the change set for a while.
        threading.Thread(
            target=self._refresh, args=(self._index,), name=f"refresh {self._index}", daemon=True
        ).start()

    def _refresh(self, index: str) -> None:
        # Publishing does it again, and says so if it fails.
        with suppress(SiteIndexerError):
            refresh(self._client, index)

    def _begin(self) -> str | None:
        return begin_draft(self._client, self._plan, dt.datetime.now(dt.UTC))

    def _go_on(self) -> str | None:
        """The draft of the run's crawl before this, which is incomplete while this one goes on."""
        draft = find_draft(self._client, self._plan)
        if draft is None:
            return None
        mark_draft(self._client, self._plan.names, draft.name, complete=False)
        return draft.name

    def _attempt(self, what: Callable[[], str | None]) -> str | None:
        try:
            return what()
        except SiteIndexerError as error:
            self._give_up(error)
            return None

    def _give_up(self, error: SiteIndexerError) -> None:
        if not self._given_up:
            self._given_up = True
            log.info("Publishing will copy all pages itself: %s", error)


class _Lane:
    """Sends one request after the other."""

    def __init__(
        self, client: StoreClient, index: str, give_up: Callable[[SiteIndexerError], None]
    ) -> None:
        self._client = client
        self._index = index
        self._give_up = give_up
        self._queue: queue.Queue[Sequence[Item] | None] = queue.Queue(_BATCHES_QUEUED)
        self._unrefreshed = 0
        self._thread = threading.Thread(target=self._run, name=f"write {index}", daemon=True)
        self._thread.start()

    def put(self, items: Sequence[Item]) -> None:
        self._queue.put(items)

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        """Write batch after batch. After an error what is taken is thrown away, so none waits."""
        failed = False
        while (items := self._queue.get()) is not None:
            if failed or not items:
                continue
            try:
                self._write(items)
            except SiteIndexerError as error:
                failed = True
                self._give_up(error)

    def _write(self, items: Sequence[Item]) -> None:
        # What is rejected is missing from the draft. Publishing finds that out, and why.
        bulk_write(self._client, self._index, items)
        self._unrefreshed += len(items)
        if self._unrefreshed >= _REFRESHED_EVERY:
            self._unrefreshed = 0
            refresh(self._client, self._index)
