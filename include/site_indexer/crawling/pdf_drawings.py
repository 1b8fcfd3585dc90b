"""How much of a PDF page there is to read, and leaving out what is too much.

A page of one line can draw a *form* (a drawing of its own, in the file once) that unpacks to
megabytes, or draw a small one thousands of times, or forms that draw forms. The library reads a
form as often as it is drawn (docs/spec/04-crawling.md, 4.5 PDF; ISO 32000-1, 8.10).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from pypdf import PageObject
from pypdf.errors import PyPdfError
from pypdf.generic import DictionaryObject, NameObject, PdfObject, StreamObject

# What the library raises on files that break the format, beside its own errors.
BROKEN = (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)

_NAME = re.compile(rb"/([^\s\x00/<>\[\](){}%]++)")
_ESCAPE = re.compile(rb"#([0-9A-Fa-f]{2})")

_Removed = list[tuple[DictionaryObject, str, object]]


def content_of(page: PageObject) -> bytes:
    """What the page's own content unpacks to."""
    contents = page.get_contents()
    return b"" if contents is None else contents.get_data()


@contextmanager
def light(page: PageObject, content: bytes, most: int) -> Iterator[bool]:
    """The page without the forms by which it would be more than ``most`` bytes to read.

    ``content`` is its own. Gives whether there are any. They are back when the block ends, as pages
    share them.
    """
    removed: _Removed = []
    _lighten(content, page.get_inherited("/Resources"), most, frozenset(), removed)
    try:
        yield bool(removed)
    finally:
        for forms, name, form in reversed(removed):
            dict.__setitem__(forms, name, form)


def _lighten(
    data: bytes, resources: object, most: int, around: frozenset[int], removed: _Removed
) -> int:
    """Remove the forms that do not fit from the resources of a content; returns what is left.

    ``around`` are the forms that this content is in, by id: the library draws none inside itself.
    """
    size = len(data)
    forms = _dictionary(resources, "/XObject")
    for name, times in _drawn(data).items() if forms else ():
        form = _form(forms, name)
        if form is None or id(form) in around:
            continue
        room = (most - size) // times
        content = _content(form)
        if len(content) > room:
            removed.append((forms, name, dict.__getitem__(forms, name)))
            dict.__delitem__(forms, name)
            continue
        inner = form.get("/Resources")
        size += times * _lighten(content, inner, room, around | {id(form)}, removed)
    return size


def _drawn(data: bytes) -> Counter[str]:
    """The names in a content, and how often each stands there; forms are drawn by theirs."""
    counted: Counter[str] = Counter()
    for name, times in Counter(_NAME.findall(data)).items():
        plain = _ESCAPE.sub(lambda code: bytes([int(code[1], 16)]), name)
        counted["/" + plain.decode("utf-8", "replace")] += times
    return counted


def _form(forms: DictionaryObject, name: str) -> StreamObject | None:
    try:
        form = forms[name]
    except BROKEN:
        return None
    if not isinstance(form, StreamObject) or form.get("/Subtype") == NameObject("/Image"):
        return None
    return form


def _content(form: StreamObject) -> bytes:
    """What a form unpacks to; nothing where the library could not read it either."""
    try:
        return form.get_data()
    except BROKEN:
        return b""


def _dictionary(resources: object, name: str) -> DictionaryObject:
    try:
        found = resources.get_object() if isinstance(resources, PdfObject) else None
        value = found[name] if isinstance(found, DictionaryObject) else None
    except BROKEN:
        value = None
    return value if isinstance(value, DictionaryObject) else DictionaryObject()
