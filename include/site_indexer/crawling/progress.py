"""Telling how far a crawl is, every ten seconds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass

logger = logging.getLogger("site_indexer.crawling")

_EVERY_S = 10.0
_TELL_EVERY_S = 0.25


@dataclass(frozen=True, slots=True)
class Progress:
    """``rate`` is in pages a second since the last report; ``failures`` by their word."""

    done: int
    queued: int
    rate: float
    failures: Mapping[str, int]


ProgressListener = Callable[[Progress], None]


class ProgressReporter:
    """Reports to the log, and several times a second to ``listener`` where there is one."""

    def __init__(self, clock: Callable[[], float], listener: ProgressListener | None) -> None:
        self._clock = clock
        self._listener = listener
        self._last = clock()
        self._told = self._last
        self._done = 0

    def report(self, done: int, queued: int, failures: Mapping[str, int]) -> None:
        """Report if the last report is long enough ago."""
        now = self._clock()
        passed = now - self._last
        if self._listener is not None and now - self._told >= _TELL_EVERY_S:
            self._told = now
            rate = (done - self._done) / max(passed, _TELL_EVERY_S)
            self._listener(Progress(done, queued, rate, dict(failures)))
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
