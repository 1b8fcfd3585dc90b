"""The document that is indexed for a page (docs/spec/04-crawling.md, 4.6 Documents).

The mapping of ``index_store`` names the same fields; it rejects a document with another one.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from site_indexer.crawling.extracted import EXTRACTOR_VERSION, ExtractedPage
from site_indexer.crawling.responses import Response

SERVER_SOURCE = "server"


def build_document(
    *,
    site: str,
    response: Response,
    page: ExtractedPage,
    content_digest: str,
    links: Sequence[str],
    server_date: dt.datetime | None,
    aliases: Sequence[str],
) -> dict[str, Any]:
    """The document for a page that was read with status 200.

    ``links`` are those to follow when the page answers 304 next time; ``server_date`` is its
    Last-Modified. A page that will be unavailable one day has no validators, as a 304 would not
    tell that the day has come. Fields without a value are left out. Block and block date are
    added by whoever publishes.
    """
    date = page.date or server_date
    lasts = page.directives.expiry is None
    document: dict[str, Any] = {
        "url": response.request.url,
        "site": site,
        "title": page.title,
        "description": page.description,
        "headings": list(page.headings),
        "text": page.text,
        "language": page.language,
        "links": list(links),
        "content_type": page.content_type,
        "content_digest": content_digest,
        "extractor_version": EXTRACTOR_VERSION,
        "nofollow": page.directives.nofollow,
        "aliases": list(aliases),
        "fields": dict(page.fields),
        "bytes": len(response.body),
        "fetched_at": to_milliseconds(response.received_at),
    }
    optional = {
        "charset": page.charset,
        "canonical": page.canonical if page.canonical != response.request.url else None,
        "date": date and to_seconds(date),
        "date_source": page.date_source if page.date else (date and SERVER_SOURCE),
        "server_date": server_date and to_seconds(server_date),
        "etag": response.header("etag") if lasts else None,
        "last_modified": response.header("last-modified") if lasts else None,
    }
    document.update({name: value for name, value in optional.items() if value})
    return document


def to_seconds(moment: dt.datetime) -> str:
    """An aware time as ISO 8601 in UTC, whole seconds: ``2004-01-02T00:05:53Z``."""
    return _utc(moment, "seconds")


def to_milliseconds(moment: dt.datetime) -> str:
    """An aware time as ISO 8601 in UTC with milliseconds."""
    return _utc(moment, "milliseconds")


def _utc(moment: dt.datetime, timespec: str) -> str:
    return moment.astimezone(dt.UTC).isoformat(timespec=timespec).replace("+00:00", "Z")


def parsed_instant(text: object) -> dt.datetime | None:
    """The aware time that one of these wrote, or None for anything else."""
    if not isinstance(text, str):
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def with_aliases(document: Mapping[str, Any], aliases: Sequence[str]) -> dict[str, Any]:
    """The same document with another list of aliases."""
    return {**document, "aliases": list(aliases)}
