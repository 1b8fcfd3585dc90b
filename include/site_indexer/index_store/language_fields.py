"""The form in which a generation holds a document (docs/spec/05-index-lifecycle.md, 5.3).

Its texts are under the name of the analyzer of its language, ``{"text": {"de": "..."}}``: so each
is analyzed once, as its language wants it, and one query for ``text.*`` finds all. Everything else
in this product sees plain documents, ``{"text": "..."}``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from site_indexer.index_store.analysis import analyzer_of
from site_indexer.urls import host_of

ANALYZED = ("title", "headings", "description", "text")
"""The fields of a document that are analyzed by its language."""

_NOT_IN_WORDS = re.compile(r"[\W_]+")
# What says how a page is made, not what it is about.
_PAGE_EXTENSION = re.compile(r"\.(?:x?html?|shtml|php\d?|aspx?|jsp)(?=$|\?)", re.IGNORECASE)
_MOST_URL_WORDS = 1_000


def by_language(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document as a generation holds it, with what is searched of its URL.

    One that has that form already keeps it.
    """
    found = {**plain(document), **_of_url(document["url"])}
    analyzer = analyzer_of(found.get("language"))
    for field in ANALYZED:
        if field in found:
            found[field] = {analyzer: found[field]}
    return found


def plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document, or some fields of one, with its texts under their own names."""
    found = dict(document)
    for field in ANALYZED:
        value = found.get(field)
        if isinstance(value, Mapping):
            found[field] = next(iter(value.values()), None)
    return found


def _of_url(url: str) -> dict[str, str]:
    path = url.split("/", 3)[-1]
    words = _NOT_IN_WORDS.sub(" ", unquote(_PAGE_EXTENSION.sub("", path))).strip()
    return {"host": host_of(url), "url_words": words[:_MOST_URL_WORDS]}
