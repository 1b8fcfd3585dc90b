"""The limits of one run: pages, minutes and depth (docs/spec/04-crawling.md, 4.10)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from site_indexer.crawling.model import CrawlSettings

_QUEUED_PER_PAGE = 4
_QUEUED_AT_LEAST = 10_000
_BEGINNING = re.compile(r"https?://[^/]*/[^/?]*[/?]?")


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

    @property
    def most_queued(self) -> int:
        """How many URLs may wait; of more, a run that ends at ``max_pages`` would ask for none.

        It is several times ``max_pages``, as URLs that robots.txt forbids wait too.
        """
        return _QUEUED_PER_PAGE * self._settings.max_pages + _QUEUED_AT_LEAST

    def sentence(
        self, unfetched: int, too_deep: int, not_kept: int = 0, *, more_too_deep: bool = False
    ) -> str | None:
        """Which limits kept URLs from being fetched, and how many; None if none did.

        ``more_too_deep``: there were more of these than were counted.
        ``not_kept``: how many links to further URLs were met while too many waited.
        """
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
        if too_deep or more_too_deep:
            number = f"at least {too_deep}" if more_too_deep else str(too_deep)
            reached.append(
                f"max_depth ({self._settings.max_depth}) is reached:"
                f" {number} URLs further down are not fetched"
            )
        if not_kept:
            reached.append(
                f"more than {self.most_queued} URLs wait: {not_kept} links to others are not kept"
            )
        return "; ".join(reached) or None


def trap_of(urls: Iterable[str]) -> tuple[str, int] | None:
    """The beginning that most of the URLs share, and how many; None where no half of them do.

    It is the host with the first segment of the path, where calendars, sessions and endless paths
    have their root.
    """
    counted = Counter(_beginning(url) for url in urls)
    if not counted:
        return None
    beginning, count = counted.most_common(1)[0]
    return (beginning, count) if 2 * count >= counted.total() else None


def _beginning(url: str) -> str:
    match = _BEGINNING.match(url)
    return match[0] if match else url
