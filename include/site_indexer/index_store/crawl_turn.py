"""Crawls of one site take turns, over all Dags and runs.

Rule: docs/spec/05-index-lifecycle.md, *The crawl turn*. It is about politeness: no index
is safer or less safe with it.
"""

from __future__ import annotations

import datetime as dt
import logging
import os
import threading
import uuid
from types import TracebackType
from typing import Self

from site_indexer.errors import CrawlTurnTakenError, StoreRefusedError, StoreUnreachableError
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.state import StateStore, Versioned

TURN_S = 60.0
TURN_VARIABLE = "SITE_INDEXER_CRAWL_TURN_S"
"""Environment variable that shortens the turn, for tests."""

log = logging.getLogger(__name__)


class CrawlTurn:
    """A context manager that holds a site's crawl turn while its block runs.

    The turn lasts ``ttl_s`` seconds (60, or ``SITE_INDEXER_CRAWL_TURN_S``) and is renewed by a
    thread at a third of that; that of a process that died can be taken over once it has run out.
    ``owner`` says to others who holds it. Entering raises CrawlTurnTakenError that names the
    holder, and what ``store_errors`` raises. Whoever crawls asks :meth:`check` all the time.
    """

    def __init__(
        self, client: StoreClient, site: str, owner: str, *, ttl_s: float | None = None
    ) -> None:
        self._store = StateStore(client)
        self._site = site
        self._owner = owner
        self.ttl_s = ttl_s or float(os.environ.get(TURN_VARIABLE) or TURN_S)
        self._token = uuid.uuid4().hex
        self._ended = threading.Event()
        self._lost = threading.Event()
        self._holder: Versioned | None = None
        self._thread = threading.Thread(target=self._renew, name=f"turn {site}", daemon=True)

    def __enter__(self) -> Self:
        self._take()
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        try:
            seen = self._store.read(self._key)
            if seen is not None and self._is_mine(seen):
                self._store.remove(self._key, seen, refresh=False)
        except (StoreUnreachableError, StoreRefusedError) as failure:
            # It runs out by itself; the crawl's own outcome matters more.
            log.warning("The crawl turn of %s was not given back: %s", self._site, failure)

    def check(self) -> None:
        """Raise CrawlTurnTakenError if the turn is lost: two must not crawl a site at once.

        It costs no request: the thread that renews the turn finds it out.
        """
        if self.lost:
            raise self._taken(self._holder, was_mine=True)

    @property
    def lost(self) -> bool:
        """Whether somebody took the turn over, as it could not be renewed in time."""
        return self._lost.is_set()

    def wait_until_lost(self, timeout_s: float) -> bool:
        """Wait for that, ``timeout_s`` seconds at most; whether it is so."""
        return self._lost.wait(timeout_s)

    @property
    def _key(self) -> str:
        return f"crawl-turn:{self._site}"

    def _take(self) -> None:
        seen = self._refuse_if_taken()
        if not self._store.replace(self._key, self._value(_now()), seen, refresh=False):
            raise self._taken(self._store.read(self._key))

    def _refuse_if_taken(self) -> Versioned | None:
        seen = self._store.read(self._key)
        if seen is not None and parse(seen.value["until"]) > _now():
            raise self._taken(seen)
        return seen

    def _renew(self) -> None:
        while not self._ended.wait(self.ttl_s / 3):
            try:
                seen = self._store.read(self._key)
                if seen is None or not self._is_mine(seen):
                    self._holder = seen
                    self._lost.set()
                    log.warning("Another run has taken over the crawl turn of %s.", self._site)
                    return
                self._store.replace(self._key, self._value(_now()), seen, refresh=False)
            except (StoreUnreachableError, StoreRefusedError) as failure:
                log.warning("The crawl turn of %s was not renewed: %s", self._site, failure)

    def _value(self, now: dt.datetime) -> dict[str, str]:
        return {
            "kind": "crawl-turn",
            "site": self._site,
            "owner": self._owner,
            "token": self._token,
            "until": iso(now + dt.timedelta(seconds=self.ttl_s)),
        }

    def _is_mine(self, seen: Versioned) -> bool:
        return bool(seen.value["token"] == self._token)

    def _taken(self, seen: Versioned | None, *, was_mine: bool = False) -> CrawlTurnTakenError:
        holder = seen.value["owner"] if seen else "another run"
        until = f" (until {seen.value['until']} unless it goes on)" if seen else ""
        lost = (
            f" This crawl could not renew its turn within {self.ttl_s:g} s; it goes on later from"
            " what it has recorded."
            if was_mine
            else ""
        )
        return CrawlTurnTakenError(
            f"The site {self._site} is being crawled by {holder}{until}; crawls of one site take"
            f" turns.{lost}",
            hint="Try again in a minute.",
            site=self._site,
            holder=holder,
        )


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)
