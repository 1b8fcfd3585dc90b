"""The text of the parts of Office files, line by line (ECMA-376, OpenDocument 1.3)."""

from __future__ import annotations

from collections.abc import Mapping, Set

from site_indexer.crawling.office_archive import attribute, local

_MOST_HEADINGS = 200


class Paragraphs:
    """Reads paragraphs of text: those of a text document, of a slide, or of OpenDocument.

    ``lines`` are the paragraphs, ``headings`` those that are headings. What was deleted, comments
    and what programs fall back on are left out.
    """

    skipped: Set[str] = frozenset()
    blocks: Set[str] = frozenset({"p"})
    spaces: Set[str] = frozenset()

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.headings: list[str] = []
        self._open: list[list[str]] = []
        self._skipping = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        name = local(tag)
        if name in self.skipped:
            self._skipping += 1
        elif name in self.blocks:
            self._open.append([])
            self.begin_block(name, attributes)
        elif name in self.spaces:
            self._add(" ")
        else:
            self.begin(name, attributes)

    def end(self, tag: str) -> None:
        """It ends."""
        name = local(tag)
        if name in self.skipped:
            self._skipping -= 1
        elif name in self.blocks:
            self._end_block()
        else:
            self.finish(name)

    def data(self, text: str) -> None:
        """Text, in pieces."""
        if self.takes_text():
            self._add(text)

    def close(self) -> None:
        """The part ends, maybe within a paragraph."""
        while self._open:
            self._end_block()

    def begin_block(self, name: str, attributes: Mapping[str, str]) -> None:
        """A paragraph begins."""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """Another element begins."""

    def finish(self, name: str) -> None:
        """Another element ends."""

    def takes_text(self) -> bool:
        """Whether text at this place belongs to the paragraph."""
        return True

    def is_heading(self) -> bool:
        """Whether the paragraph that ends is a heading."""
        return False

    def _add(self, text: str) -> None:
        if self._open and not self._skipping:
            self._open[-1].append(text)

    def _end_block(self) -> None:
        line = " ".join("".join(self._open.pop()).split())
        if not line:
            return
        self.lines.append(line)
        if self.is_heading() and len(self.headings) < _MOST_HEADINGS:
            self.headings.append(line)


class WordText(Paragraphs):
    """A part of a text document (WordprocessingML). ``styles`` are ids of styles of headings."""

    skipped = frozenset({"Fallback", "del", "moveFrom", "instrText", "delText"})
    spaces = frozenset({"tab", "br", "cr"})

    def __init__(self, styles: Set[str] = frozenset()) -> None:
        super().__init__()
        self._styles = styles
        self._style = ""
        self._in_text = False

    def begin_block(self, name: str, attributes: Mapping[str, str]) -> None:
        """A paragraph begins, without a style."""
        del name, attributes
        self._style = ""

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """A piece of text, or the style of the paragraph."""
        if name == "t":
            self._in_text = True
        elif name == "pStyle":
            self._style = attribute(attributes, "val")

    def finish(self, name: str) -> None:
        """A piece of text ends."""
        if name == "t":
            self._in_text = False

    def takes_text(self) -> bool:
        """Text stands in elements of its own."""
        return self._in_text

    def is_heading(self) -> bool:
        """By its style."""
        return self._style in self._styles


class HeadingStyles:
    """Reads which styles of a text document are headings: their names are English everywhere."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self._id = ""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A style, or its name."""
        name = local(tag)
        if name == "style":
            self._id = attribute(attributes, "styleId")
        elif name == "name" and attribute(attributes, "val").lower().startswith(
            ("heading", "title")
        ):
            self.ids.add(self._id)

    def end(self, tag: str) -> None:
        """It ends."""

    def data(self, text: str) -> None:
        """There is none."""

    def close(self) -> None:
        """The part ends."""


class SlideText(WordText):
    """One slide (PresentationML); its title is a heading. ``is_hidden``: it is not shown."""

    def __init__(self) -> None:
        super().__init__()
        self.is_hidden = False
        self._is_title = False

    def begin(self, name: str, attributes: Mapping[str, str]) -> None:
        """A shape, its kind, or a piece of text."""
        super().begin(name, attributes)
        if name == "sp":
            self._is_title = False
        elif name == "ph":
            self._is_title = attribute(attributes, "type") in ("title", "ctrTitle")
        elif name == "sld":
            self.is_hidden = attributes.get("show") in ("0", "false")

    def is_heading(self) -> bool:
        """By the shape that it stands in."""
        return self._is_title


class OpenText(Paragraphs):
    """The content of an OpenDocument file: text, sheets or slides."""

    skipped = frozenset({"annotation", "tracked-changes", "forms", "desc", "title"})
    blocks = frozenset({"p", "h"})
    spaces = frozenset({"s", "tab", "line-break"})

    def __init__(self) -> None:
        super().__init__()
        self._kinds: list[str] = []

    def begin_block(self, name: str, attributes: Mapping[str, str]) -> None:
        """A paragraph or a heading begins."""
        del attributes
        self._kinds.append(name)

    def is_heading(self) -> bool:
        """By its element."""
        return self._kinds.pop() == "h"

    def _end_block(self) -> None:
        depth = len(self._kinds)
        super()._end_block()
        del self._kinds[depth - 1 :]


class SharedStrings:
    """Reads the strings that the cells of a workbook refer to by number."""

    def __init__(self) -> None:
        self.strings: list[str] = []
        self._pieces: list[str] = []
        self._in_text = False
        self._in_reading = 0

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A string, or a piece of one; how it is read aloud (``rPh``) is no text."""
        del attributes
        name = local(tag)
        if name == "rPh":
            self._in_reading += 1
        self._in_text = name == "t" and not self._in_reading

    def end(self, tag: str) -> None:
        """A string, or a piece of one, ends."""
        name = local(tag)
        self._in_text = False
        if name == "rPh":
            self._in_reading -= 1
        elif name == "si":
            self.strings.append(" ".join("".join(self._pieces).split()))
            self._pieces = []

    def data(self, text: str) -> None:
        """Text, in pieces."""
        if self._in_text:
            self._pieces.append(text)

    def close(self) -> None:
        """The part ends."""


class SheetText:
    """Reads a sheet of a workbook: a line a row, of texts and numbers as they are stored."""

    def __init__(self, strings: list[str]) -> None:
        self.lines: list[str] = []
        self._strings = strings
        self._row: list[str] = []
        self._pieces: list[str] = []
        self._kind = ""
        self._in_value = False

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A cell, or its value."""
        name = local(tag)
        if name == "c":
            self._kind = attributes.get("t", "n")
        self._in_value = name in ("v", "t")

    def end(self, tag: str) -> None:
        """A cell or a row ends."""
        name = local(tag)
        self._in_value = False
        if name == "c":
            self._end_cell(" ".join("".join(self._pieces).split()))
            self._pieces = []
        elif name == "row" and self._row:
            self.lines.append(" ".join(self._row))
            self._row = []

    def data(self, text: str) -> None:
        """Text, in pieces."""
        if self._in_value:
            self._pieces.append(text)

    def close(self) -> None:
        """The part ends."""
        if self._row:
            self.lines.append(" ".join(self._row))

    def _end_cell(self, value: str) -> None:
        if self._kind == "s":
            number = int(value) if value.isascii() and value.isdigit() else -1
            value = self._strings[number] if 0 <= number < len(self._strings) else ""
        if value and self._kind not in ("b", "e"):
            self._row.append(value)


class Parts:
    """Reads in which order a workbook or a presentation has its parts: name, and relationship.

    Sheets that are hidden are left out; what slides are hidden, they say themselves.
    """

    def __init__(self) -> None:
        self.found: list[tuple[str, str]] = []

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """A sheet or a slide."""
        if local(tag) not in ("sheet", "sldId") or attributes.get("state", "visible") != "visible":
            return
        relation = next((v for k, v in attributes.items() if k.endswith("}id")), "")
        self.found.append((attributes.get("name", ""), relation))

    def end(self, tag: str) -> None:
        """It ends."""

    def data(self, text: str) -> None:
        """There is none."""

    def close(self) -> None:
        """The part ends."""
