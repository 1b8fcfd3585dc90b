"""Reading sitemaps: XML, plain text, and both packed (docs/spec/04-crawling.md, 4.7; sitemaps.org).

Entities and DTDs are not loaded: a sitemap is somebody else's XML.
"""

from __future__ import annotations

import datetime as dt
import io
import re
import zlib
from dataclasses import dataclass

from lxml import etree

from site_indexer.crawling.http_dates import parse_page_date

_GZIP_MAGIC = b"\x1f\x8b"
_MOST_BYTES = 64 * 2**20  # sitemaps.org allows 50 MB unpacked
_MOST_URLS = 50_000
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?.*?\?>\s*|<!--.*?-->\s*|<!DOCTYPE[^>]*>\s*)*"
    rb"<(?:[\w.-]+:)?(?:urlset|sitemapindex)\b",
    re.DOTALL | re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SitemapUrl:
    """One URL as written, and when it was last changed (aware UTC), if that is stated."""

    location: str
    last_modified: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Sitemap:
    """What one sitemap names: pages, and further sitemaps. ``warnings`` are sentences."""

    urls: tuple[SitemapUrl, ...] = ()
    sitemaps: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def parse_sitemap(body: bytes, url: str) -> Sitemap:
    """Read a sitemap. What is broken in it is named in the warnings; what stands before counts."""
    warnings: list[str] = []
    if body.startswith(_GZIP_MAGIC):
        body, problem = _gunzip(body)
        warnings += [f"{url} {problem}"] if problem else []
    start = body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start == b"<":
        return _parse_xml(body, url, warnings)
    lines = (line.strip() for line in body.decode("utf-8", "replace").splitlines())
    urls = tuple(
        SitemapUrl(line.lstrip("\ufeff"), None)
        for line in lines
        if line.lstrip("\ufeff").lower().startswith(("http://", "https://"))
    )
    if not urls and body.strip():
        warnings.append(f"{url} is no sitemap: it is neither XML nor a list of URLs.")
    return Sitemap(urls[:_MOST_URLS], (), tuple(warnings))


def unpacked(body: bytes) -> bytes:
    """A body without the gzip around it, if there is one, as far as that can be undone."""
    return _gunzip(body)[0] if body.startswith(_GZIP_MAGIC) else body


def looks_like_sitemap(body: bytes) -> bool:
    """Whether an unpacked XML body is a sitemap or an index of sitemaps, by its root element."""
    return _ROOT.match(body) is not None


def _parse_xml(body: bytes, url: str, warnings: list[str]) -> Sitemap:
    urls: list[SitemapUrl] = []
    sitemaps: list[str] = []
    try:
        for _, element in etree.iterparse(
            io.BytesIO(body.lstrip()),
            tag=("{*}url", "{*}sitemap"),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=True,
        ):
            _take(element, urls, sitemaps)
            element.clear()
            if len(urls) >= _MOST_URLS:
                warnings.append(f"{url} names more than {_MOST_URLS} URLs; the rest is left out.")
                break
    except etree.XMLSyntaxError as error:
        warnings.append(f"{url} is broken XML ({error}); what stands before counts.")
    return Sitemap(tuple(urls), tuple(sitemaps), tuple(warnings))


def _take(element: etree._Element, urls: list[SitemapUrl], sitemaps: list[str]) -> None:
    location = (element.findtext("{*}loc") or "").strip()
    if not location:
        return
    if etree.QName(element).localname == "sitemap":
        sitemaps.append(location)
        return
    stated = (element.findtext("{*}lastmod") or "").strip()
    urls.append(SitemapUrl(location, parse_page_date(stated, dt.UTC) if stated else None))


def _gunzip(body: bytes) -> tuple[bytes, str | None]:
    """What can be unpacked, and what is wrong with it."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        text = decoder.decompress(body, _MOST_BYTES)
    except zlib.error as error:
        return b"", f"cannot be unpacked ({error})."
    if not decoder.eof:
        return text, "is cut short or too large; what could be unpacked counts."
    return text, None
