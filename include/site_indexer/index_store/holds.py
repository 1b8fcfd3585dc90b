"""Targets on hold, in ``site-indexer.state``: nothing but a person changes them.

Rule: docs/spec/05-index-lifecycle.md, *Roll back*.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso, parse
from site_indexer.index_store.names import Target
from site_indexer.index_store.state import StateStore

_KIND = "hold"


@dataclass(frozen=True, slots=True)
class Hold:
    """A target on hold: since when (aware UTC), by whom, and why, as a clause."""

    site: str
    target: Target
    since: dt.datetime
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class HoldStore:
    """The holds of all sites. Raises what ``store_errors`` raises."""

    client: StoreClient

    def read(self, site: str, target: Target) -> Hold | None:
        """The hold of a target, or None."""
        seen = self._store.read(_key(site, target))
        if seen is None:
            return None
        value = seen.value
        return Hold(site, target, parse(value["since"]), value["by"], value["reason"])

    def put(self, hold: Hold) -> None:
        """Put a target on hold, in place of an earlier hold."""
        key = _key(hold.site, hold.target)
        source = {
            "kind": _KIND,
            "site": hold.site,
            "target": hold.target.value,
            "since": iso(hold.since),
            "by": hold.by,
            "reason": hold.reason,
        }
        while not self._store.replace(key, source, self._store.read(key), refresh=False):
            continue

    def remove(self, site: str, target: Target) -> None:
        """Release a target; that it is not on hold is no error."""
        self._store.remove(_key(site, target), refresh=False)

    @property
    def _store(self) -> StateStore:
        return StateStore(self.client)


def _key(site: str, target: Target) -> str:
    return f"{_KIND}:{site}:{target.value}"
