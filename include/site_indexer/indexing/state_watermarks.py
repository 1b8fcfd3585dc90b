"""Watermarks in OpenSearch, as the shell keeps them (docs/spec/06-watermark.md)."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_store.names import Target
from site_indexer.index_store.state import StateStore


class StateWatermarks:
    """The Watermarks port on ``site-indexer.state``."""

    def __init__(self, store: StateStore) -> None:
        self._store = store

    def get(self, site: str, target: Target) -> dt.datetime | None:
        """The watermark, or None where there is none."""
        return self._store.get_watermark(site, target)

    def set(self, site: str, target: Target, value: dt.datetime) -> None:
        """Remember a watermark."""
        self._store.set_watermark(site, target, value)

    def clear(self, site: str, target: Target) -> None:
        """Forget the watermark."""
        self._store.clear_watermark(site, target)

    @property
    def outlives_index(self) -> bool:
        """They are kept beside the index: what loses the one loses the other."""
        return False

    def place(self, site: str, target: Target) -> str:
        """Where a person finds it."""
        return f"site-indexer watermark {site} --target {target.value}"
