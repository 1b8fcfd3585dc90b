"""The dates that sitemaps state of pages (docs/spec/04-crawling.md, 4.6 *Date*)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping
from typing import Any

from site_indexer.crawling.documents import to_seconds
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.masks.model import DocumentDates

SOURCE = "sitemap"

Read = tuple[PageFacts, Mapping[str, Any] | None]


class SitemapDates:
    """Remembers dates until their pages are read: some 100 bytes of each, ``most`` at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        # By the hash of the URL: the text would cost as much again as all else.
        self._dates: dict[int, int] = {}

    def note(self, url: str, date: dt.datetime) -> None:
        """Remember the date (aware) of a normalized URL; of several the latest."""
        key, seconds = hash(url), int(date.timestamp())
        if key in self._dates or len(self._dates) < self._most:
            self._dates[key] = max(seconds, self._dates.get(key, seconds))

    def complete(self, url: str, facts: PageFacts, document: Mapping[str, Any] | None) -> Read:
        """The same with the date from a sitemap, if the page has no other.

        That is no change of the page: the content digest does not cover it.
        """
        seconds = self._dates.pop(hash(url), None)
        if seconds is None or facts.answer is not Answer.PAGE or facts.dates.of_rule():
            return facts, document
        date = dt.datetime.fromtimestamp(seconds, dt.UTC)
        facts = dataclasses.replace(facts, dates=DocumentDates(own=date))
        if document is not None:
            document = {**document, "date": to_seconds(date), "date_source": SOURCE}
        return facts, document
