"""Telling how far a crawl is, every ten seconds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

logger = logging.getLogger("site_indexer.crawling")

_EVERY_S = 10.0


@dataclass(frozen=True, slots=True)
class Progress:
    """``rate`` is in pages a second since the last report; ``failures`` by their word."""

    done: int
    queued: int
    rate: float
    failures: Mapping[str, int]


class ProgressReporter:
    """Reports to the log, and to ``listener`` where there is one."""

    def __init__(
        self, clock: Callable[[], float], listener: Callable[[Progress], None] | None
    ) -> None:
        self._clock = clock
        self._listener = listener
        self._last = clock()
        self._done = 0

    def report(self, done: int, queued: int, failures: Mapping[str, int]) -> None:
        """Report if the last report is ten seconds ago."""
        now = self._clock()
        passed = now - self._last
        if passed < _EVERY_S:
            return
        progress = Progress(done, queued, (done - self._done) / passed, dict(failures))
        self._last = now
        self._done = done
        errors = ", ".join(f"{count} {word}" for word, count in sorted(failures.items()))
        logger.info(
            "%d pages done (%.1f a second), %d queued, errors: %s",
            progress.done,
            progress.rate,
            progress.queued,
            errors or "none",
        )
        if self._listener is not None:
            self._listener(progress)
