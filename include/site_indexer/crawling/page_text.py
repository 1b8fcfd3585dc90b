"""The text of a part of a page: blocks on lines of their own, words never glued, never split.

The quick way changes the tree: elements that stand inside words are dissolved, and then each text
node is a line (docs/adr/0007-html-parser.md). Where the tree must stay as it is, markup is read
with expressions, which costs four times as much.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_nodes import INLINE, tag_id

# Scripts hold what merely looks like tags, whose quotes may not end: such a one ends before the
# quote, else each would be searched on from to the end.
_REST_OF_TAG = r'[^">]*+(?:"[^"]*+"[^">]*+)*+>?+'
_INLINE_BUT_LINKS = "|".join(tag for tag in INLINE if tag != "a")
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE_BUT_LINKS})(?:>|\s{_REST_OF_TAG})")
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_LINK_TAG = re.compile(rf"</?a(?:>|\s{_REST_OF_TAG})")
_IMAGE_TAG = re.compile(rf"<(?:img|input)(?:>|\s{_REST_OF_TAG})")
_OTHER_TAG = re.compile(rf"<{_REST_OF_TAG}")
# What serializers write for characters that markup needs; the ampersand must come last.
_ESCAPES = (("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&"))
_BETWEEN_NODES = "\x1e"
_ANCHOR = tag_id("a")
_BETWEEN_ANCHORS = re.compile(r"</a>(?=<a[\s>])")


def dissolve(
    tree: LexborHTMLParser, inline: Iterable[LexborNode], images: Iterable[LexborNode]
) -> None:
    """Make each run of text between two blocks one text node.

    The nodes given are gone from the tree afterwards; images, and links side by side, leave a
    space.
    """
    for node in inline:
        following = node.next
        if following is not None and node.tag_id == _ANCHOR == following.tag_id:
            # Menus put links side by side and leave the space between them to style sheets.
            node.insert_after(" ")
        node.unwrap(True)  # empty ones go too
    for node in images:
        node.replace_with(" ")
    if tree.body is not None:
        tree.body.merge_text_nodes()


def text_of_node(node: LexborNode) -> str:
    """The text of a part of a page that was dissolved: one line a block, single spaces."""
    text = node.text(separator=_BETWEEN_NODES, strip=True, skip_empty=True)
    # Line ends of the source are spaces; from here on a line end means the end of a block.
    text = text.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace("\f", " ")
    return tidy(text.replace(_BETWEEN_NODES, "\n"))


def text_of_markup(markup: str) -> str:
    """The text of serialized markup: one line a block, single spaces, no white space around."""
    text = markup.replace("\n", " ").replace("\t", " ").replace("\r", " ").replace("\f", " ")
    end = text.rfind("-->") + 3
    if end > 2:
        text = _COMMENT.sub("", text[:end]) + text[end:]
    # Links are side by side also where other inline elements stand between them.
    text = _INLINE_TAG.sub("", text)
    text = _BETWEEN_ANCHORS.sub("</a> ", text)
    text = _LINK_TAG.sub("", text)
    text = _IMAGE_TAG.sub(" ", text)
    text = _OTHER_TAG.sub("\n", text)
    if "&" in text:
        for escape, character in _ESCAPES:
            text = text.replace(escape, character)
    return tidy(text)


def tidy(text: str) -> str:
    """Single spaces and single line ends; soft hyphens and byte order marks are dropped."""
    text = text.replace("\u00ad", "").replace("\ufeff", "").replace("\u00a0", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


def one_line(text: str | None) -> str:
    """A text with all its white space as single spaces; "" for None."""
    return " ".join(text.replace("\u00ad", "").split()) if text else ""
