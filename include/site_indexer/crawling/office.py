"""The text of Office files: docx, xlsx, pptx, and OpenDocument (docs/spec/04-crawling.md, 4.5)."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from site_indexer.crawling.extracted import ExtractedPage, UnreadableError
from site_indexer.crawling.http_dates import parse_page_date
from site_indexer.crawling.language_tags import primary_language
from site_indexer.crawling.office_archive import (
    Archive,
    LimitReachedError,
    Properties,
    relationships_of,
)
from site_indexer.crawling.office_text import (
    HeadingStyles,
    OpenText,
    Paragraphs,
    Parts,
    SharedStrings,
    SheetText,
    SlideText,
    WordText,
)
from site_indexer.crawling.page_language import language_of
from site_indexer.crawling.page_source import PageSource
from site_indexer.crawling.page_text import one_line, tidy

DATE_SOURCE = "office:modified"
_CONTENT = "content.xml"
_MANIFEST = "META-INF/manifest.xml"


@dataclass(slots=True)
class _Found:
    """What was read so far; a file that takes too much keeps it."""

    content_type: str = ""
    lines: list[str] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)

    def add(self, read: Paragraphs) -> None:
        self.lines += read.lines
        self.headings += read.headings


def read_office(
    body: bytes,
    source: PageSource,
    language: str,
    zone: dt.tzinfo,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> ExtractedPage:
    """Title, headings, text, date and language of an Office file.

    ``language`` is the site's, ``zone`` that of dates without one. Raises UnreadableError for what
    is none, or is encrypted. What is damaged or too much is named in the warnings.
    """
    archive = Archive(body, source.url, clock)
    found = _Found()
    properties = Properties()
    try:
        _read(archive, found, properties, source.url)
    except LimitReachedError as limit:
        archive.warnings.append(f"{source.url}: the rest of its text is left out, as {limit}.")
    if not found.lines and archive.warnings:
        # A document that is there must not give way to an empty one.
        raise UnreadableError(
            archive.warnings[0],
            hint="Open it in an office program; if that can show it, report the file.",
            url=source.url,
        )
    values = properties.values
    date = parse_page_date(values.get("modified") or values.get("date") or "", zone)
    title = one_line(values.get("title")) or next(iter(found.headings), "")
    text = tidy("\n".join(found.lines))
    return ExtractedPage(
        title=title,
        description=one_line(values.get("description") or values.get("subject")),
        headings=tuple(found.headings),
        text=text,
        language=language_of(primary_language(values.get("language")), title, text, language),
        date=date,
        date_source=DATE_SOURCE if date else None,
        directives=source.directives,
        content_type=source.content_type or found.content_type,
        warnings=tuple(archive.warnings),
    )


def _read(archive: Archive, found: _Found, properties: Properties, url: str) -> None:
    if _CONTENT in archive:
        _read_open_document(archive, found, properties, url)
        return
    parts = relationships_of(archive, "").by_type
    main = parts.get("officeDocument", "")
    archive.read(parts.get("core-properties", "docProps/core.xml"), properties)
    reader = _READERS.get(main.partition("/")[0])
    if reader is None or main not in archive:
        raise UnreadableError(
            f"{url} holds no text document, workbook or presentation.",
            hint="Open it in an office program; if that can show it, report the file.",
            url=url,
        )
    found.content_type = _TYPES[main.partition("/")[0]]
    reader(archive, main, found)


def _read_open_document(archive: Archive, found: _Found, properties: Properties, url: str) -> None:
    found.content_type = "application/vnd.oasis.opendocument.text"
    manifest = _Manifest()
    archive.read(_MANIFEST, manifest)
    if manifest.is_encrypted:
        raise UnreadableError(
            f"{url} is encrypted.", hint="Publish it without a password.", url=url
        )
    archive.read("meta.xml", properties)
    _gather(archive, (_CONTENT,), OpenText, found)


def _read_text_document(archive: Archive, main: str, found: _Found) -> None:
    parts = relationships_of(archive, main).by_type
    styles = HeadingStyles()
    archive.read(parts.get("styles", ""), styles)
    notes = [parts[kind] for kind in ("footnotes", "endnotes") if kind in parts]
    _gather(archive, (main, *notes), lambda: WordText(styles.ids), found)


def _read_presentation(archive: Archive, main: str, found: _Found) -> None:
    for _, slide in _parts_of(archive, main):
        read = SlideText()
        try:
            archive.read(slide, read)
        finally:
            if not read.is_hidden:
                found.add(read)


def _read_workbook(archive: Archive, main: str, found: _Found) -> None:
    strings = SharedStrings()
    archive.read(relationships_of(archive, main).by_type.get("sharedStrings", ""), strings)
    for name, part in _parts_of(archive, main):
        sheet = SheetText(strings.strings)
        try:
            archive.read(part, sheet)
        finally:
            if sheet.lines:
                found.lines += [one_line(name), *sheet.lines]
                found.headings.append(one_line(name))


def _parts_of(archive: Archive, main: str) -> Iterable[tuple[str, str]]:
    order = Parts()
    archive.read(main, order)
    by_id = relationships_of(archive, main).by_id
    return [(name, by_id[relation]) for name, relation in order.found if relation in by_id]


def _gather(
    archive: Archive, parts: Iterable[str], reader: Callable[[], Paragraphs], found: _Found
) -> None:
    """Read parts one after another, and keep of each what it gave, also if it took too much."""
    for part in parts:
        read = reader()
        try:
            archive.read(part, read)
        finally:
            read.close()
            found.add(read)


class _Manifest(Properties):
    """Whether the manifest of an OpenDocument file says that parts are encrypted."""

    is_encrypted = False

    def start(self, tag: str, attributes: object) -> None:
        """An element begins."""
        del attributes
        self.is_encrypted = self.is_encrypted or tag.endswith("}encryption-data")


_OOXML = "application/vnd.openxmlformats-officedocument."
_TYPES = {
    "word": f"{_OOXML}wordprocessingml.document",
    "xl": f"{_OOXML}spreadsheetml.sheet",
    "ppt": f"{_OOXML}presentationml.presentation",
}
_READERS = {"word": _read_text_document, "ppt": _read_presentation, "xl": _read_workbook}
