"""From a response to facts and a document (docs/spec/04-crawling.md, 4.6 and 4.8)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Container, Sequence
from typing import Any

from site_indexer.crawling import directives
from site_indexer.crawling.documents import build_document
from site_indexer.crawling.extracted import EXTRACTOR_VERSION, ExtractedPage, UnreadableError
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.http_dates import parse_http_date
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import StoredPage
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.masks.model import DocumentDates

_MANY_LINKS = 5

# A slower refresh is a link: its page is there to be read.
MOST_REDIRECTING_REFRESH_S = 10.0


def page_request(url: str, stored: StoredPage | None, *, method: str = "GET") -> Request:
    """The request for a page; it sends the validators of a document of today's extractor.

    A document of another extractor has to be made anew, which a 304 would not allow.
    """
    if stored is None or stored.extractor_version != EXTRACTOR_VERSION or method != "GET":
        return Request(url, method=method)
    return Request(url, etag=stored.etag, last_modified=stored.last_modified)


class AnswerReader:
    """Reads the answers of one site's URLs."""

    def __init__(
        self, site: str, extractor: Extractor, resolver: LinkResolver, sitemaps: Container[str]
    ) -> None:
        """``sitemaps``: URLs that are sitemaps, and so never documents; may grow."""
        self._site = site
        self._extractor = extractor
        self._resolver = resolver
        self._sitemaps = sitemaps

    def read(
        self, response: Response, stored: StoredPage | None
    ) -> tuple[PageFacts, dict[str, Any] | None]:
        """The facts of an answer to a GET, and the document of a page that was read.

        ``stored`` is what the index holds under the URL that was asked for.
        """
        if response.failure is None and response.location is None:
            if response.status == 304 and stored is not None:
                return _not_modified(response, stored), None
            if response.status not in (404, 410):
                return self._page(response, stored)
        return self._without_page(response, stored), None

    def _without_page(self, response: Response, stored: StoredPage | None) -> PageFacts:
        common = _common(response, stored)
        if response.failure is not None:
            return PageFacts(Answer.FAILED, **common)
        if response.location is None:
            return PageFacts(Answer.GONE, **common)
        return PageFacts(
            Answer.REDIRECT,
            target=self._resolver.resolve(response.location, response.request.url),
            permanent=response.status in (301, 308),
            **common,
        )

    def _page(
        self, response: Response, stored: StoredPage | None
    ) -> tuple[PageFacts, dict[str, Any] | None]:
        url = response.request.url
        if url in self._sitemaps:
            return PageFacts(Answer.UNSUPPORTED, **_common(response, stored)), None
        try:
            page = self._extractor.extract(response)
        except UnreadableError as error:
            common = _common(response, stored)
            common |= {"failure": Failure.UNREADABLE, "error": error.message}
            return PageFacts(Answer.FAILED, **common), None
        if page is None:
            return PageFacts(Answer.UNSUPPORTED, **_common(response, stored)), None
        digest = page.content_digest
        links = self._links(page)
        server_date = server_date_of(response)
        redirects = _redirects(page)
        aliases = stored.aliases if stored is not None else ()
        facts = PageFacts(
            Answer.REFRESH if redirects else Answer.PAGE,
            status=response.status,
            fetched_at=response.received_at,
            stored=stored is not None,
            aliases=aliases,
            bytes=len(response.body),
            elapsed_ms=response.elapsed_ms,
            target=page.refresh.url if page.refresh is not None and redirects else None,
            canonical=page.canonical if page.canonical != url else None,
            noindex=page.directives.noindex,
            nofollow=page.directives.nofollow,
            links=links,
            dates=DocumentDates(own=page.date, server=server_date),
            changed=stored is None or stored.content_digest != digest,
            warnings=(*response.warnings, *page.warnings, *_leads_nowhere(page, links, stored)),
            text_digest=None if redirects else page.text_digest,
        )
        document = build_document(
            site=self._site,
            response=response,
            page=page,
            content_digest=digest,
            links=links,
            server_date=server_date,
            aliases=aliases,
        )
        return facts, document

    def _links(self, page: ExtractedPage) -> tuple[str, ...]:
        """The links to follow, now and after a 304."""
        if page.directives.nofollow:
            return ()
        refresh = page.refresh
        if refresh is None or _redirects(page) or not self._resolver.is_same_site(refresh.url):
            return page.followable
        return tuple(dict.fromkeys((*page.followable, refresh.url)))


def _common(response: Response, stored: StoredPage | None) -> dict[str, Any]:
    """The facts that an answer of any kind has."""
    return {
        "status": response.status,
        "fetched_at": response.received_at,
        "stored": stored is not None,
        "aliases": stored.aliases if stored is not None else (),
        "failure": response.failure,
        "error": response.error,
        "bytes": len(response.body),
        "elapsed_ms": response.elapsed_ms,
    }


def _leads_nowhere(
    page: ExtractedPage, links: Sequence[str], stored: StoredPage | None
) -> tuple[str, ...]:
    """A warning where a page that led to many others leads to none: what is behind it is not read.

    So a start page looks that says "back soon"; with one page alone nothing else tells.
    """
    if stored is None or links or len(stored.links) < _MANY_LINKS:
        return ()
    if page.directives.nofollow or _redirects(page):
        return ()
    return (
        f"{stored.url} leads to no page any more; in the index it leads to {len(stored.links)}. If"
        " that is a notice (maintenance, a log-in), add it in a newer block once the site is back.",
    )


def server_date_of(response: Response) -> dt.datetime | None:
    """The Last-Modified date of a response, None if it has none that can be read."""
    text = response.header("last-modified")
    return parse_http_date(text) if text else None


def _redirects(page: ExtractedPage) -> bool:
    """Whether a page sends its readers on before they can read it, and may be indexed itself."""
    return (
        page.refresh is not None
        and page.refresh.seconds <= MOST_REDIRECTING_REFRESH_S
        and not page.directives.noindex
    )


def _not_modified(response: Response, stored: StoredPage) -> PageFacts:
    """What a 304 says: the document is as it was, but for robots headers sent with the 304."""
    now = directives.of_headers(response.header_values("x-robots-tag")).at(response.received_at)
    nofollow = stored.nofollow or now.nofollow
    # Spelled out here and for pages read: to unpack a mapping costs several times as much.
    return PageFacts(
        Answer.PAGE,
        status=response.status,
        fetched_at=response.received_at,
        stored=True,
        aliases=stored.aliases,
        bytes=len(response.body),
        elapsed_ms=response.elapsed_ms,
        canonical=stored.canonical,
        noindex=now.noindex,
        nofollow=nofollow,
        links=() if nofollow else stored.links,
        dates=DocumentDates(own=stored.date, server=stored.server_date),
        not_modified=True,
        warnings=now.warnings(response.request.url),
    )
