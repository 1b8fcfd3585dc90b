"""Pages for tests of the extractor, without a network."""

from __future__ import annotations

import datetime as dt
from typing import Any

from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.responses import Request, Response
from site_indexer.urls import SiteHosts

URL = "https://h.test/dir/page.html"
HTML = "text/html; charset=utf-8"


def response(
    body: str | bytes,
    *headers: tuple[str, str],
    content_type: str | None = HTML,
    url: str = URL,
    status: int = 200,
) -> Response:
    kind = (("content-type", content_type),) if content_type is not None else ()
    return Response(
        request=Request(url),
        status=status,
        headers=(*kind, *headers),
        body=body.encode() if isinstance(body, str) else body,
        received_at=dt.datetime(2024, 6, 1, tzinfo=dt.UTC),
        elapsed_ms=1,
    )


def extractor(**settings: Any) -> Extractor:
    values = {"site": "s", "user_agent": "SiteIndexer/test", "hosts": ("h.test",), **settings}
    site = CrawlSettings(**values)
    return Extractor(site, LinkResolver(SiteHosts(site.hosts)))


def extract(
    body: str | bytes,
    *headers: tuple[str, str],
    content_type: str | None = HTML,
    url: str = URL,
    **settings: Any,
) -> ExtractedPage:
    page = extractor(**settings).extract(
        response(body, *headers, content_type=content_type, url=url)
    )
    assert page is not None
    return page
