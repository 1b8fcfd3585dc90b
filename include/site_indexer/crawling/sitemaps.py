"""Reading sitemaps: XML, plain text, and both packed (docs/spec/04-crawling.md, 4.7; sitemaps.org).

Entities and DTDs are not loaded: a sitemap is somebody else's XML.
"""

from __future__ import annotations

import datetime as dt
import itertools
import re
import zlib
from dataclasses import dataclass

from lxml import etree

from site_indexer.crawling.http_dates import parse_page_date

_GZIP_MAGIC = b"\x1f\x8b"
MOST_BYTES = 50 * 2**20  # what sitemaps.org allows, packed or unpacked
_MOST_URLS = 50_000
# So many that each URL can name its translations; more would keep the crawl waiting for long.
_MOST_ELEMENTS = 1_000_000
_TOO_MANY_URLS = "names more than {} URLs"
_LEFT_OUT = "what follows is left out."
# Atomic, as what ends at the first end must not be tried with each later one.
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?>(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*+>)\s*+)*+"
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
    urls = (
        SitemapUrl(line.lstrip("\ufeff"), None)
        for line in lines
        if line.lstrip("\ufeff").lower().startswith(("http://", "https://"))
    )
    found = tuple(itertools.islice(urls, _MOST_URLS))
    if not found and body.strip():
        warnings.append(f"{url} is no sitemap: it is neither XML nor a list of URLs.")
    if next(urls, None) is not None:
        warnings.append(f"{url} {_TOO_MANY_URLS.format(_MOST_URLS)}; {_LEFT_OUT}")
    return Sitemap(found, (), tuple(warnings))


def unpacked(body: bytes) -> bytes:
    """A body without the gzip around it, if there is one, as far as that can be undone."""
    return _gunzip(body)[0] if body.startswith(_GZIP_MAGIC) else body


def looks_like_sitemap(body: bytes) -> bool:
    """Whether an unpacked XML body is a sitemap or an index of sitemaps, by its root element."""
    return _ROOT.match(body) is not None


def _parse_xml(body: bytes, url: str, warnings: list[str]) -> Sitemap:
    target = _Entries()
    parser = etree.XMLParser(
        target=target, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
    )
    try:
        parser.feed(body.lstrip())
        parser.close()
    except _EnoughError as enough:
        warnings.append(f"{url} {enough}; {_LEFT_OUT}")
    except etree.XMLSyntaxError as error:
        warnings.append(f"{url} is broken XML ({error}); what stands before counts.")
    return Sitemap(tuple(target.urls), tuple(target.sitemaps), tuple(warnings))


class _EnoughError(Exception):
    """As much has been read as counts; its text says of what."""


class _Entries:
    """Takes a sitemap's elements as they are read, so that no tree of them fills the memory."""

    def __init__(self) -> None:
        self.urls: list[SitemapUrl] = []
        self.sitemaps: list[str] = []
        self._elements = 0
        self._stated: dict[str, str] = {}
        self._field: str | None = None
        self._text: list[str] = []

    def doctype(self, _name: str, _public: str | None, _system: str | None) -> None:
        # It would declare entities, which a parser with a target expands.
        raise _EnoughError("has a document type, which no sitemap needs")

    def start(self, tag: str | bytes, _attributes: object) -> None:
        self._elements += 1
        if self._elements > _MOST_ELEMENTS:
            raise _EnoughError(f"has more than {_MOST_ELEMENTS} elements")
        name = _local(tag)
        if name in ("url", "sitemap"):
            self._stated = {}
        elif name in ("loc", "lastmod") and name not in self._stated:
            self._field = name
            self._text = []

    def data(self, text: str | bytes) -> None:
        if self._field is not None:
            self._text.append(str(text))

    def end(self, tag: str | bytes) -> None:
        name = _local(tag)
        if name == self._field:
            self._stated[name] = "".join(self._text).strip()
            self._field = None
        elif name in ("url", "sitemap"):
            self._take(name)

    def comment(self, text: str | bytes) -> None:
        """Say nothing of comments."""

    def close(self) -> None:
        """Nothing is left open: what was read is in the lists."""

    def _take(self, kind: str) -> None:
        stated, self._stated = self._stated, {}
        location = stated.get("loc", "")
        if not location:
            return
        if kind == "sitemap":
            self.sitemaps.append(location)
            return
        date = stated.get("lastmod", "")
        if len(self.urls) >= _MOST_URLS:
            raise _EnoughError(_TOO_MANY_URLS.format(_MOST_URLS))
        self.urls.append(SitemapUrl(location, parse_page_date(date, dt.UTC) if date else None))


def _local(tag: str | bytes) -> str:
    return str(tag).rpartition("}")[2]


def _gunzip(body: bytes) -> tuple[bytes, str | None]:
    """What can be unpacked, and what is wrong with it."""
    decoder = zlib.decompressobj(wbits=31)
    try:
        text = decoder.decompress(body, MOST_BYTES)
    except zlib.error as error:
        return b"", f"cannot be unpacked ({error})."
    if not decoder.eof:
        return text, "is cut short or too large; what could be unpacked counts."
    return text, None
