"""Naming in the log which documents a crawl takes away, and why."""

from __future__ import annotations

import logging

from site_indexer.crawling.model import Outcome, PageRecord

logger = logging.getLogger("site_indexer.crawling")

MOST_NAMED = 100


class RemovalLog:
    """One line for each document that goes, for ``MOST_NAMED`` of them; then how many more."""

    def __init__(self) -> None:
        self._count = 0

    def note(self, record: PageRecord) -> None:
        """Take the record of a page whose document goes."""
        self._count += 1
        if self._count <= MOST_NAMED:
            reason = _reason(record)
            logger.info("line %d: %s %s; its document goes", record.line, record.url, reason)

    def close(self) -> None:
        """Say how many were not named."""
        if self._count > MOST_NAMED:
            logger.info("%d more documents go", self._count - MOST_NAMED)


def _reason(record: PageRecord) -> str:
    return {
        Outcome.GONE: f"answered {record.status}",
        Outcome.NOINDEX: "says noindex",
        Outcome.REDIRECT: f"has moved to {record.target}",
        Outcome.DUPLICATE: f"is the same page as {record.target}",
    }.get(record.outcome, record.outcome.value)
