"""From a response's bytes to a page, by content type (docs/spec/04-crawling.md, 4.5 and 4.6)."""

from __future__ import annotations

import dataclasses
import re
from enum import StrEnum
from zoneinfo import ZoneInfo

from site_indexer.crawling.charset import charset_of, decoded
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.html_page import HtmlReader, HtmlRules
from site_indexer.crawling.language_tags import primary_language
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.page_account import Account
from site_indexer.crawling.page_language import language_of
from site_indexer.crawling.page_source import PageSource, telling_headers
from site_indexer.crawling.page_text import tidy
from site_indexer.crawling.responses import Response
from site_indexer.crawling.selectors import css_selector, selector
from site_indexer.crawling.xhtml import html_of_xhtml

_SNIFFED = 512
_OWN_ENTITY = "<!ENTITY"
_HTML_START = re.compile(
    rb"\s*(?:<!--|<\?xml|<!doctype\s+html|<(?:html|head|body|title|div|p|h1)\b)", re.IGNORECASE
)


class Kind(StrEnum):
    """How the bytes of a content type are read."""

    HTML = "html"
    XHTML = "xhtml"
    TEXT = "text"
    PDF = "pdf"
    OFFICE = "office"
    UNSUPPORTED = "unsupported"


_KINDS = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.XHTML,
    "application/vnd.wap.xhtml+xml": Kind.XHTML,
    "text/plain": Kind.TEXT,
    "text/markdown": Kind.TEXT,
    "application/pdf": Kind.PDF,
    "application/x-pdf": Kind.PDF,
    **dict.fromkeys(
        (
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.presentationml.presentation",
            "application/vnd.openxmlformats-officedocument.presentationml.slideshow",
            "application/vnd.ms-word.document.macroenabled.12",
            "application/vnd.ms-excel.sheet.macroenabled.12",
            "application/vnd.ms-powerpoint.presentation.macroenabled.12",
            "application/vnd.oasis.opendocument.text",
            "application/vnd.oasis.opendocument.spreadsheet",
            "application/vnd.oasis.opendocument.presentation",
        ),
        Kind.OFFICE,
    ),
}
_ZIP_MAGIC = b"PK\x03\x04"
# What an Office file holds beside its text, and no other archive does.
_OF_OFFICE_FILES = (b"[Content_Types].xml", b"mimetypeapplication/vnd.oasis.opendocument.")


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
    if head.startswith(_ZIP_MAGIC) and any(mark in body for mark in _OF_OFFICE_FILES):
        return Kind.OFFICE
    if _HTML_START.match(head.removeprefix(b"\xef\xbb\xbf")):
        return Kind.HTML
    return Kind.UNSUPPORTED if b"\x00" in head else Kind.TEXT


class Extractor:
    """Reads the pages of one site."""

    def __init__(self, settings: CrawlSettings, resolver: LinkResolver) -> None:
        """Raises ConfigurationError for selectors that are none."""
        self._default_language = settings.default_language
        self._zone = ZoneInfo(settings.timezone)
        self._html = HtmlReader(
            HtmlRules(
                resolver=resolver,
                zone=self._zone,
                default_language=settings.default_language,
                content=tuple(
                    selector(text, what=f"site {settings.site}, extract.content")
                    for text in settings.content_selectors
                ),
                leave_out=tuple(
                    css_selector(text, what=f"site {settings.site}, extract.leave_out")
                    for text in settings.leave_out_selectors
                ),
                fields={
                    name: selector(text, what=f"site {settings.site}, extract.fields.{name}")
                    for name, text in settings.fields.items()
                },
            )
        )

    def extract(self, response: Response) -> ExtractedPage | None:
        """The page of a 200 response; None for a type that is not indexed.

        Its directives are those that held when the response came. Raises UnreadableError for a
        body that claims a type and cannot be read as that.
        """
        page = self._page(response)
        said = None if page is None else page.directives
        if page is None or said is None or (said.expiry is None and said.unreadable is None):
            return page
        warnings = (*page.warnings, *said.warnings(response.request.url))
        said = said.at(response.received_at)
        return dataclasses.replace(page, directives=said, warnings=warnings)

    def _page(self, response: Response) -> ExtractedPage | None:
        stated = response.header("content-type")
        kind = kind_of(stated, response.body)
        if kind is Kind.UNSUPPORTED:
            return None
        source = PageSource(
            url=response.request.url,
            content_type=media_type(stated) or _TYPES.get(kind, ""),
            headers=telling_headers(response),
        )
        # What reads these is a quarter of the start of each task, and many sites have none of them.
        if kind is Kind.PDF:
            from site_indexer.crawling.pdf import read_pdf  # noqa: PLC0415

            return read_pdf(response.body, source, self._default_language)
        if kind is Kind.OFFICE:
            from site_indexer.crawling.office import read_office  # noqa: PLC0415

            return read_office(response.body, source, self._default_language, self._zone)
        return self._text(response.body, stated, kind, source)

    def account(self, response: Response, page: ExtractedPage) -> Account | None:
        """What became of the words of a page that was extracted; None where it is no HTML."""
        markup = _markup_of(response)
        return None if markup is None else self._html.account(markup, page)

    def anchor_texts(self, response: Response) -> dict[str, str]:
        """The texts of a page's links, by URL in their order; none where it is no HTML."""
        markup = _markup_of(response)
        if markup is None:
            return {}
        source = PageSource(response.request.url, "text/html", telling_headers(response))
        return self._html.anchor_texts(markup, source)

    def _text(
        self, body: bytes, content_type: str | None, kind: Kind, source: PageSource
    ) -> ExtractedPage:
        charset = charset_of(body, content_type, xml=kind is Kind.XHTML)
        text, damaged = decoded(body, charset)
        warnings = []
        if damaged:
            warnings.append(
                f"{source.url} holds bytes that are not {charset.name}; they are left out."
            )
        if kind is Kind.XHTML and _OWN_ENTITY in text:
            warnings.append(f"{source.url} defines entities of its own; they are not expanded.")
        source = PageSource(
            url=source.url,
            content_type=source.content_type,
            headers=source.headers,
            charset=charset.name,
            charset_source=charset.source.value,
            warnings=tuple(warnings),
        )
        if kind is Kind.TEXT:
            return read_plain_text(text, source, self._default_language)
        return self._html.read(html_of_xhtml(text) if kind is Kind.XHTML else text, source)


def _markup_of(response: Response) -> str | None:
    """The markup of an HTML page, decoded; None for other types."""
    stated = response.header("content-type")
    kind = kind_of(stated, response.body)
    if kind not in (Kind.HTML, Kind.XHTML):
        return None
    text, _ = decoded(response.body, charset_of(response.body, stated, xml=kind is Kind.XHTML))
    return html_of_xhtml(text) if kind is Kind.XHTML else text


def read_plain_text(text: str, source: PageSource, language: str) -> ExtractedPage:
    """The page that a plain text file is: its text, line by line. ``language`` is the site's."""
    text = tidy(text.replace("\r\n", "\n").replace("\r", "\n").replace("\t", " "))
    return ExtractedPage(
        text=text,
        language=language_of(
            primary_language(",".join(source.headers["content-language"])), "", text, language
        ),
        directives=source.directives,
        content_type=source.content_type,
        charset=source.charset,
        charset_source=source.charset_source,
        warnings=source.warnings,
    )


_TYPES = {
    Kind.HTML: "text/html",
    Kind.XHTML: "application/xhtml+xml",
    Kind.TEXT: "text/plain",
    Kind.PDF: "application/pdf",
}
