"""The text of PDF files (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

import datetime as dt
import io
import logging
import time
from collections.abc import Callable

from pypdf import DocumentInformation, PageObject, PdfReader

from site_indexer.crawling.extracted import ExtractedPage, UnreadableError
from site_indexer.crawling.language_tags import primary_language
from site_indexer.crawling.page_language import language_of
from site_indexer.crawling.page_source import PageSource
from site_indexer.crawling.page_text import one_line, tidy
from site_indexer.crawling.pdf_drawings import BROKEN, content_of, light

DATE_SOURCE = "pdf:ModDate"
# One file must not hold up the crawl of a site.
_MOST_SECONDS = 30.0
# A page is read in one go: 10 KB of file can unpack to what keeps the library busy for a minute.
_MOST_CONTENT = 2 * 2**20

# Its warnings name neither file nor URL; what matters of them is in this module's own.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)


def read_pdf(
    body: bytes,
    source: PageSource,
    language: str,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> ExtractedPage:
    """Title, date and text of a PDF file. Raises UnreadableError if it cannot be read.

    ``language`` is the site's. Pages that cannot be read, and those beyond half a minute of work,
    are named in the warnings.
    """
    url = source.url
    try:
        reader = PdfReader(io.BytesIO(body))
        pages = list(reader.pages)
        metadata = reader.metadata
    except BROKEN as error:
        raise UnreadableError(
            f"{url} cannot be read as a PDF file ({type(error).__name__}: {error}).",
            hint="Open it in a PDF viewer; if that can show it, report the file.",
            url=url,
        ) from error
    texts, warnings = _texts(pages, url, clock)
    date = _modified(metadata)
    title, text = one_line(_stated(metadata, "title")), tidy("\n".join(texts))
    return ExtractedPage(
        title=title,
        description=one_line(_stated(metadata, "subject")),
        text=text,
        language=language_of(_stated_language(reader), title, text, language),
        date=date,
        date_source=DATE_SOURCE if date else None,
        directives=source.directives,
        content_type=source.content_type,
        warnings=tuple(warnings),
    )


def _texts(
    pages: list[PageObject], url: str, clock: Callable[[], float]
) -> tuple[list[str], list[str]]:
    texts: list[str] = []
    unreadable: list[str] = []
    large: list[str] = []
    lightened: list[str] = []
    late: list[str] = []
    end = clock() + _MOST_SECONDS
    for number, page in enumerate(pages, start=1):
        if clock() > end:
            rest = f"{url}: its pages from {number} of {len(pages)} on are left out, as reading"
            late.append(f"{rest} them would take longer than {_MOST_SECONDS:.0f} seconds.")
            break
        try:
            content = content_of(page)
            if len(content) > _MOST_CONTENT:
                large.append(str(number))
                continue
            with light(page, content, _MOST_CONTENT) as was_heavy:
                texts.append(page.extract_text())
            if was_heavy:
                lightened.append(str(number))
        except BROKEN:
            unreadable.append(str(number))
    warnings = []
    if unreadable:
        warnings.append(f"{url}: these pages cannot be read: {', '.join(unreadable)}.")
    if large:
        warnings.append(
            f"{url}: these pages are left out, as each holds more than "
            f"{_MOST_CONTENT // 2**20} MiB of drawing: {', '.join(large)}."
        )
    if lightened:
        warnings.append(
            f"{url}: of these pages parts are left out, as with them each would hold more than "
            f"{_MOST_CONTENT // 2**20} MiB of drawing: {', '.join(lightened)}."
        )
    return texts, [*warnings, *late]


def _stated(metadata: DocumentInformation | None, name: str) -> str:
    try:
        value = getattr(metadata, name, None)
    except BROKEN:
        return ""
    return str(value) if value else ""


def _stated_language(reader: PdfReader) -> str:
    try:
        stated = reader.root_object.get("/Lang")
    except BROKEN:
        return ""
    return primary_language(str(stated)) if stated else ""


def _modified(metadata: DocumentInformation | None) -> dt.datetime | None:
    try:
        date = getattr(metadata, "modification_date", None)
    except BROKEN:
        return None
    if not isinstance(date, dt.datetime):
        return None
    return (date if date.tzinfo else date.replace(tzinfo=dt.UTC)).astimezone(dt.UTC)
