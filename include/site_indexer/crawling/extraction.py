"""From a response's bytes to a page, by content type (docs/spec/04-crawling.md, 4.5 and 4.6)."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from zoneinfo import ZoneInfo

from site_indexer.crawling import directives
from site_indexer.crawling.charset import charset_of, decoded
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.html_page import HtmlReader, HtmlRules
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_text import tidy
from site_indexer.crawling.pdf import read_pdf
from site_indexer.crawling.responses import Response
from site_indexer.crawling.selectors import selector
from site_indexer.crawling.xhtml import html_of_xhtml

_SNIFFED = 512
_HTML_START = re.compile(
    rb"\s*(?:<!--|<\?xml|<!doctype\s+html|<(?:html|head|body|title|div|p|h1)\b)", re.IGNORECASE
)
_PAGE_HEADERS = ("link", "refresh", "x-robots-tag", "content-language")


class Kind(StrEnum):
    """How the bytes of a content type are read."""

    HTML = "html"
    XHTML = "xhtml"
    TEXT = "text"
    PDF = "pdf"
    UNSUPPORTED = "unsupported"


_KINDS = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.XHTML,
    "application/vnd.wap.xhtml+xml": Kind.XHTML,
    "text/plain": Kind.TEXT,
    "text/markdown": Kind.TEXT,
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
}


def media_type(content_type: str | None) -> str:
    """The type of a Content-Type value without parameters, in lower case; "" for none."""
    return (content_type or "").partition(";")[0].strip().lower()


def kind_of(content_type: str | None, body: bytes) -> Kind:
    """How to read a body; where no type is stated its first bytes tell."""
    stated = media_type(content_type)
    if "/" in stated:
        return _KINDS.get(stated, Kind.UNSUPPORTED)
    head = body[:_SNIFFED]
    if head.startswith(b"%PDF-"):
        return Kind.PDF
    if _HTML_START.match(head.removeprefix(b"\xef\xbb\xbf")):
        return Kind.HTML
    return Kind.UNSUPPORTED if b"\x00" in head else Kind.TEXT


class Extractor:
    """Reads the pages of one site."""

    def __init__(self, settings: CrawlSettings, resolver: LinkResolver) -> None:
        """Raises ConfigurationError for selectors that are none."""
        leave_out = [
            selector(text, what=f"site {settings.site}, extract.leave_out")
            for text in settings.leave_out_selectors
        ]
        self._default_language = settings.default_language
        self._html = HtmlReader(
            HtmlRules(
                resolver=resolver,
                zone=ZoneInfo(settings.timezone),
                default_language=settings.default_language,
                content=tuple(
                    selector(text, what=f"site {settings.site}, extract.content")
                    for text in settings.content_selectors
                ),
                leave_out=tuple(out.expression for out in leave_out),
                fields={
                    name: selector(text, what=f"site {settings.site}, extract.fields.{name}")
                    for name, text in settings.fields.items()
                },
            )
        )

    def extract(self, response: Response) -> ExtractedPage | None:
        """The page of a 200 response; None for a type that is not indexed.

        Raises :class:`~site_indexer.crawling.pdf.UnreadableError` for a body that claims a type
        and cannot be read as that.
        """
        url = response.request.url
        content_type = response.header("content-type")
        headers = {name: response.header_values(name) for name in _PAGE_HEADERS}
        kind = kind_of(content_type, response.body)
        if kind is Kind.UNSUPPORTED:
            return None
        if kind is Kind.PDF:
            page = self._pdf(response.body, url, headers)
        else:
            page = self._text(response.body, url, content_type, kind, headers)
        return dataclasses.replace(page, content_type=media_type(content_type) or _TYPES[kind])

    def _pdf(self, body: bytes, url: str, headers: Mapping[str, Sequence[str]]) -> ExtractedPage:
        page = read_pdf(body, url)
        return dataclasses.replace(
            page,
            language=page.language or self._default_language,
            directives=directives.of_headers(headers["x-robots-tag"]),
        )

    def _text(
        self,
        body: bytes,
        url: str,
        content_type: str | None,
        kind: Kind,
        headers: Mapping[str, Sequence[str]],
    ) -> ExtractedPage:
        charset = charset_of(body, content_type, xml=kind is Kind.XHTML)
        text, damaged = decoded(body, charset)
        if kind is Kind.TEXT:
            page = ExtractedPage(
                text=tidy(text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")),
                language=self._default_language,
                directives=directives.of_headers(headers["x-robots-tag"]),
            )
        else:
            page = self._html.read(
                html_of_xhtml(text) if kind is Kind.XHTML else text, url, headers
            )
        warnings = page.warnings
        if damaged:
            warnings += (f"{url} holds bytes that are not {charset.name}; they are left out.",)
        return dataclasses.replace(
            page, charset=charset.name, charset_source=charset.source.value, warnings=warnings
        )


_TYPES = {
    Kind.HTML: "text/html",
    Kind.XHTML: "application/xhtml+xml",
    Kind.TEXT: "text/plain",
    Kind.PDF: "application/pdf",
}
