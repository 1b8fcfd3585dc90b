"""The limits of one run: pages, minutes and depth (docs/spec/04-crawling.md, 4.10)."""

from __future__ import annotations

from collections.abc import Callable

from site_indexer.crawling.model import CrawlSettings


class Limits:
    """How many more pages may be asked for, and what to say where that was not enough.

    ``pages_before``: how many pages an earlier crawl of the same run has fetched already.
    """

    def __init__(self, settings: CrawlSettings, clock: Callable[[], float]) -> None:
        self._settings = settings
        self._clock = clock
        self._end = clock() + settings.max_minutes * 60
        self._time_is_up = False
        self.pages_before = 0

    def budget(self, submitted: int) -> int:
        """How many more pages may be asked for now, after so many in this crawl."""
        if self._clock() >= self._end:
            self._time_is_up = True
            return 0
        return max(0, self._settings.max_pages - self.pages_before - submitted)

    def sentence(self, unfetched: int, too_deep: int) -> str | None:
        """Which limits kept URLs from being fetched, and how many; None if none did."""
        reached: list[str] = []
        if unfetched and self._time_is_up:
            reached.append(
                f"max_minutes ({self._settings.max_minutes:g}) is reached:"
                f" {unfetched} known URLs are not fetched"
            )
        elif unfetched:
            reached.append(
                f"max_pages ({self._settings.max_pages}) is reached:"
                f" {unfetched} known URLs are not fetched"
            )
        if too_deep:
            reached.append(
                f"max_depth ({self._settings.max_depth}) is reached:"
                f" {too_deep} URLs further down are not fetched"
            )
        return "; ".join(reached) or None
