"""Which encoding a page is in, as browsers decide it (docs/spec/04-crawling.md, 4.5).

A byte order mark, then the Content-Type header, then what the first bytes state (a ``meta``
element, or the XML declaration), then a guess: UTF-8 if the bytes are valid, else windows-1252.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from enum import StrEnum

from site_indexer.crawling.encoding_labels import (
    UTF_8,
    UTF_16BE,
    UTF_16LE,
    WINDOWS_1252,
    Encoding,
    encoding_of,
)

# Browsers look at 1,024 bytes before they show anything, and again when a later meta turns up;
# templates put long comments and scripts first.
_LOOKED_AT = 4096
_MARKS = (
    (codecs.BOM_UTF8, UTF_8),
    (codecs.BOM_UTF16_LE, UTF_16LE),
    (codecs.BOM_UTF16_BE, UTF_16BE),
)
_HEADER_CHARSET = re.compile(r";\s*charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^;\s]*))", re.I)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.S)
_META = re.compile(rb"<meta[\s/]([^>]*)", re.I)
_ATTRIBUTE = re.compile(
    rb"([^\s=/>]+)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]*)))?",
)
_CONTENT_CHARSET = re.compile(rb"charset\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s;]+))", re.I)
_XML_DECLARATION = re.compile(rb"<\?xml\s[^>]*?encoding\s*=\s*[\"']([A-Za-z0-9._:-]+)[\"']")


class CharsetSource(StrEnum):
    """What the decision for an encoding rests on."""

    BOM = "bom"
    HEADER = "header"
    META = "meta"
    XML = "xml"
    GUESS = "guess"


@dataclass(frozen=True, slots=True)
class Charset:
    """The encoding of a body, and what said so."""

    encoding: Encoding
    source: CharsetSource

    @property
    def name(self) -> str:
        """The WHATWG name, in lower case."""
        return self.encoding.name


def charset_of(body: bytes, content_type: str | None, *, xml: bool = False) -> Charset:
    """Decide the encoding of a body; unknown labels are passed over.

    ``xml``: the type is an XML one, whose declaration comes before any ``meta`` element.
    """
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return Charset(encoding, CharsetSource.BOM)
    stated = _stated_by_header(content_type)
    if stated is not None:
        return Charset(stated, CharsetSource.HEADER)
    head = body[:_LOOKED_AT]
    for source in (CharsetSource.XML, CharsetSource.META) if xml else tuple(_IN_BYTES):
        stated = _IN_BYTES[source](head)
        if stated is not None:
            return Charset(stated, source)
    return Charset(UTF_8 if _is_utf_8(body) else WINDOWS_1252, CharsetSource.GUESS)


def decoded(body: bytes, charset: Charset) -> tuple[str, bool]:
    """The text of a body without its byte order mark, and whether some bytes were unreadable.

    Unreadable bytes become U+FFFD, so that one bad byte does not cost a page.
    """
    codec = charset.encoding.codec
    if not codec:
        return "", bool(body)
    mark = next((mark for mark, encoding in _MARKS if encoding is charset.encoding), b"")
    body = body.removeprefix(mark)
    try:
        return body.decode(codec), False
    except UnicodeDecodeError:
        # The five bytes that windows-1252 leaves open are no reason for a warning to browsers.
        return body.decode(codec, "replace"), charset.encoding is not WINDOWS_1252


def _stated_by_header(content_type: str | None) -> Encoding | None:
    match = _HEADER_CHARSET.search(content_type or "")
    return encoding_of(next(filter(None, match.groups()), "")) if match else None


def _stated_by_meta(head: bytes) -> Encoding | None:
    for match in _META.finditer(_COMMENT.sub(b"", head)):
        label = _label_of_meta(match[1])
        encoding = encoding_of(label) if label else None
        if encoding is not None:
            # A page whose meta could be read byte by byte is in no UTF-16 (HTML, 13.2.3.2).
            return UTF_8 if encoding in (UTF_16LE, UTF_16BE) else _user_defined(encoding)
    return None


def _label_of_meta(attributes: bytes) -> str | None:
    found: dict[bytes, bytes] = {}
    for name, *values in _ATTRIBUTE.findall(attributes):
        found.setdefault(name.lower(), b"".join(values))
    if b"charset" in found:
        return found[b"charset"].decode("latin-1")
    if found.get(b"http-equiv", b"").strip().lower() != b"content-type":
        return None
    match = _CONTENT_CHARSET.search(found.get(b"content", b""))
    return b"".join(filter(None, match.groups())).decode("latin-1") if match else None


def _stated_by_xml(head: bytes) -> Encoding | None:
    match = _XML_DECLARATION.match(head)
    return encoding_of(match[1].decode("latin-1")) if match else None


def _user_defined(encoding: Encoding) -> Encoding:
    return WINDOWS_1252 if encoding.name == "x-user-defined" else encoding


def _is_utf_8(body: bytes) -> bool:
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


_IN_BYTES = {CharsetSource.META: _stated_by_meta, CharsetSource.XML: _stated_by_xml}
