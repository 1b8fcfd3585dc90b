"""Formatting that an HTML parser would copy into every paragraph, until memory is full.

A formatting element (``b``, ``font``, ``code`` ...) that is still open when its paragraph ends is
opened again in the next one, and in the one after that. So a page of 50 KB in which thousands of
different ones are left open becomes millions of elements: gigabytes, or hours where they are
closed in the wrong order. What is indexed needs none of them; where they could become too many
their attributes go, and where that is not enough the tags themselves. Text stays as it is.
"""

from __future__ import annotations

import re
from typing import Final

from site_indexer.crawling.last_tag import end_of_last_tag

# A parser holds each element in about 200 bytes, here with what is read from it twice that.
MOST_COPIES: Final = 1_000_000
# Of formatting elements that are alike in all, a parser opens no more than so many again.
_ALIKE: Final = 3
_FEW_TAGS: Final = 600

_NAMES: Final = "big|b|code|em|font|i|nobr|small|strike|strong|s|tt|u"
# The first letter rules out most tags of a page, for half of what trying each name costs.
_START = re.compile(rf"<(?=[bcefinstu])(?:{_NAMES})(?=[\s/>])[^>]*+>", re.IGNORECASE)
_ANY = re.compile(rf"<(/?)({_NAMES})(?=[\s/>])[^>]*+>", re.IGNORECASE)
_ATTRIBUTE: Final = r"""\s++[\w:-]++(?:=(?:"[^"<>]*+"|'[^'<>]*+'|[\w./#-]++))?+"""
# Plain beyond doubt, so that no comment or quote hides the end from the parser: such an element is
# closed before anything could copy it.
_CLOSED = re.compile(
    rf"<({_NAMES})(?:{_ATTRIBUTE})*+>"
    rf"[^<]*+(?:<(span|a)(?:{_ATTRIBUTE})*+>[^<]*+</\2>[^<]*+)*+</\1>",
    re.IGNORECASE,
)


def without_costly_formatting(html: str) -> tuple[str, bool]:
    """The markup, with its formatting tags reduced if they could be copied too often.

    Returns whether that was done.
    """
    tags = html.count("<")
    if tags < _FEW_TAGS or _copies(len(set(_starts(html))), tags) <= MOST_COPIES:
        return html, False
    left_open = set(_starts(_CLOSED.sub("", html)))
    if _copies(len(left_open), tags) <= MOST_COPIES:
        return html, False
    end = end_of_last_tag(html)
    are_few = _copies(_NAMES.count("|") + 1, tags) <= MOST_COPIES
    return _ANY.sub(r"<\1\2>" if are_few else "", html[:end]) + html[end:], True


def _starts(html: str) -> list[str]:
    return _START.findall(html, 0, end_of_last_tag(html))


def _copies(different: int, tags: int) -> int:
    """How many elements so many different ones can become among so many tags, at most."""
    return _ALIKE * different * tags
