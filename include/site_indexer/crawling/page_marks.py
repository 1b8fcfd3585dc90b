"""Regions that the authors of a page mark off with comments: followed, and not indexed (4.6)."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

_ANY = re.compile(r"<!--\s*(?:/?noindex|google(?:off|on))", re.IGNORECASE)
_OFF = re.compile(r"<!--\s*(?:noindex|googleoff:\s*(?:index|all))\s*-->", re.IGNORECASE)
_ON = re.compile(r"<!--\s*(?:/noindex|googleon:\s*(?:index|all))\s*-->", re.IGNORECASE)


def drop_marked_off(tree: LexborHTMLParser, markup: str) -> list[str]:
    """Remove the text of marked-off regions from a page; returns its pieces.

    Elements stay, and with them links. A region that does not end is none: so much is not lost for
    a comment.
    """
    root = tree.root
    if _ANY.search(markup) is None or root is None:
        return []
    dropped: list[str] = []
    region: list[LexborNode] | None = None
    for node in (*_before(root), *root.traverse(include_text=True)):
        if node.tag == "-comment":
            comment = node.html or ""
            if region is None and _OFF.fullmatch(comment):
                region = []
            elif region is not None and _ON.fullmatch(comment):
                dropped += map(_drop, region)
                region = None
        elif region is not None and node.tag == "-text":
            region.append(node)
    return dropped


def _before(root: LexborNode) -> list[LexborNode]:
    """The comments above the first element, which the parser puts outside of it."""
    comments: list[LexborNode] = []
    node = root.prev
    while node is not None:
        comments.append(node)
        node = node.prev
    return comments[::-1]


def _drop(node: LexborNode) -> str:
    text = node.text()
    node.replace_with(" ")  # what stands around it must not become one word
    return text
