"""The parts of an Office file, which is a zip archive of XML, read within limits (4.5).

Little of what such a file claims is believed: an archive of a few kilobytes may hold gigabytes, XML
may define itself without end, and both may be cut short. Parts are read as a stream of elements, so
that memory grows with the text that is kept and with nothing else.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast

from lxml import etree

from site_indexer.crawling.extracted import UnreadableError

MOST_BYTES = 32 * 2**20
MOST_SECONDS = 30.0
_MOST_PARTS = 20_000
_PART_MARK = b"PK\x01\x02"
_CHUNK = 64 * 1024
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError)
_ENCRYPTED = 0x1
_OLE_MAGIC = b"\xd0\xcf\x11\xe0"


class Reader(Protocol):
    """What takes the elements of a part as they come (lxml's parser target)."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        ...

    def end(self, tag: str) -> None:
        """It ends."""
        ...

    def data(self, text: str) -> None:
        """Text, in pieces."""
        ...

    def close(self) -> None:
        """The part ends."""
        ...


class LimitReachedError(Exception):
    """More work than a file may take; what was read so far counts."""


class Archive:
    """The parts of one file. ``warnings`` tells what of them could not be read, or was too much."""

    def __init__(self, body: bytes, url: str, clock: Callable[[], float]) -> None:
        """Raises UnreadableError for what is no archive, is encrypted, or has too many parts."""
        self._url = url
        self._clock = clock
        self._end = clock() + MOST_SECONDS
        self._left = MOST_BYTES
        self.warnings: list[str] = []
        if body.startswith(_OLE_MAGIC):
            raise self._unreadable("is encrypted, or of a format older than Office 2007")
        if body.count(_PART_MARK) > _MOST_PARTS:
            raise self._unreadable(f"has more than {_MOST_PARTS:,} parts")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(body))
        except _BROKEN as error:
            raise self._unreadable(f"is no Office file ({error})") from None
        self._names = frozenset(self._zip.namelist())

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def read(self, name: str, reader: Reader) -> None:
        """Give a part to a reader, as far as it can be read; a part that is missing is empty.

        Raises LimitReachedError where the whole file has taken too much.
        """
        if name not in self._names:
            return
        try:
            self._feed(name, reader)
        except etree.XMLSyntaxError as error:
            self.warnings.append(f"{self._url}: {name} is cut short, as it is no XML: {error}.")
        except (*_BROKEN, RuntimeError) as error:
            self.warnings.append(f"{self._url}: {name} cannot be read: {error}.")

    def _feed(self, name: str, reader: Reader) -> None:
        info = self._zip.getinfo(name)
        if info.flag_bits & _ENCRYPTED:
            raise self._unreadable("is encrypted")
        if info.compress_type not in _METHODS:
            raise NotImplementedError(f"compression method {info.compress_type}")
        # Without huge_tree the parser has limits of its own: depth, and what entities grow to.
        parser = etree.XMLParser(
            target=cast(Any, _Guarded(reader)),
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        with self._zip.open(info) as part:
            while chunk := part.read(_CHUNK):
                self._left -= len(chunk)
                if self._left < 0:
                    raise LimitReachedError(f"it holds more than {MOST_BYTES // 2**20} MiB")
                if self._clock() > self._end:
                    raise LimitReachedError(f"reading takes longer than {MOST_SECONDS:.0f} s")
                parser.feed(chunk)
        parser.close()

    def _unreadable(self, what: str) -> UnreadableError:
        return UnreadableError(
            f"{self._url} {what}.",
            hint="Open it in an office program; if that can show it, report the file.",
            url=self._url,
        )


class _Guarded:
    """A reader that no document type definition gets to: Office files have none."""

    def __init__(self, reader: Reader) -> None:
        self.start = reader.start
        self.end = reader.end
        self.data = reader.data
        self.close = reader.close

    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Refuse it."""
        raise ValueError("it has a document type definition")


class Properties:
    """Reads a part of simple properties: the text of each element, by its local name."""

    def __init__(self) -> None:
        self.values: dict[str, str] = {}
        self._name = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        del attributes
        self._name = local(tag)

    def end(self, tag: str) -> None:
        """It ends."""
        del tag
        self._name = ""

    def data(self, text: str) -> None:
        """Text of an element; the first of a name counts."""
        if self._name:
            self.values[self._name] = self.values.get(self._name, "") + text

    def close(self) -> None:
        """The part ends."""


class Relationships:
    """Reads which parts a part refers to: by id, and the first of each type."""

    def __init__(self, part: str) -> None:
        self._folder = posixpath.dirname(part)
        self.by_id: dict[str, str] = {}
        self.by_type: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A relationship; those to other files are none."""
        target = attributes.get("Target")
        if local(tag) != "Relationship" or not target or attributes.get("TargetMode") == "External":
            return
        name = posixpath.normpath(posixpath.join("/", self._folder, target)).lstrip("/")
        self.by_id[attributes.get("Id", "")] = name
        self.by_type.setdefault(attributes.get("Type", "").rpartition("/")[2], name)

    def end(self, tag: str) -> None:
        """It ends."""

    def data(self, text: str) -> None:
        """There is none."""

    def close(self) -> None:
        """The part ends."""


def relationships_of(archive: Archive, part: str) -> Relationships:
    """What a part refers to; ``""`` is the file itself."""
    folder, name = posixpath.split(part)
    found = Relationships(part)
    archive.read(posixpath.join(folder, "_rels", f"{name}.rels"), found)
    return found


def local(tag: str) -> str:
    """A tag or an attribute's name without its namespace, which differs between the editions."""
    return tag.rpartition("}")[2]


def attribute(attributes: Mapping[str, str], name: str) -> str:
    """An attribute by its local name; "" for none."""
    return next((value for key, value in attributes.items() if local(key) == name), "")
