"""What a crawl keeps of a URL that it has asked for: facts, before any rule judges them."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

from site_indexer.crawling.responses import Failure
from site_indexer.masks.model import DocumentDates
from site_indexer.values import value_object

NO_DATES = DocumentDates()


class Answer(StrEnum):
    """What kind of answer a URL gave."""

    PAGE = "page"
    REFRESH = "refresh"  # a page that may be indexed and sends its readers elsewhere at once
    REDIRECT = "redirect"
    GONE = "gone"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"
    REFUSED = "refused"  # robots.txt forbids to ask
    LEFT_OUT = "left-out"  # no block lets it in: not asked, or asked for its server's date only


@value_object
class PageFacts:
    """One answer.

    ``target`` is where a redirect or refresh leads, normalized, None where that is no http(s) URL;
    ``permanent`` tells 301 and 308. ``canonical`` is the other page that a page names as its
    original. ``noindex`` and ``nofollow`` are the page's own. ``links`` are those that may be
    followed, none for a nofollow page. ``stored``: the index has a document for this URL, with
    ``aliases``; ``changed``: it has none, or one of other content. ``dates`` are those that date
    rules ask for. ``text_digest`` is that of the text of a page that was read and is no redirect.
    """

    answer: Answer
    status: int | None = None
    fetched_at: dt.datetime | None = None
    target: str | None = None
    permanent: bool = False
    canonical: str | None = None
    noindex: bool = False
    nofollow: bool = False
    links: tuple[str, ...] = ()
    dates: DocumentDates = NO_DATES
    stored: bool = False
    changed: bool = False
    not_modified: bool = False
    aliases: tuple[str, ...] = ()
    failure: Failure | None = None
    error: str | None = None
    bytes: int = 0
    elapsed_ms: int = 0
    warnings: tuple[str, ...] = ()
    text_digest: str | None = None

    @property
    def is_read(self) -> bool:
        """Whether the URL answered with a page of its own."""
        return self.answer in (Answer.PAGE, Answer.REFRESH)

    @property
    def may_lose_document(self) -> bool:
        """Whether the first turn that meets the page may take its document away.

        An ``update`` after that does not list it any more.
        """
        moved = self.answer is Answer.REDIRECT and self.permanent
        return self.stored and (self.noindex or moved)
