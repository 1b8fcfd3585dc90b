"""What becomes of the words of a page: how many are kept, and why the others are not.

For people who try out selectors, and for the ledger of a whole collection; a crawl does not ask.
Words are counted on a tree of its own, element by element, so that the sum can be held against all
the words that there are: what is in neither list would be lost in silence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_content import ContentReader, drop_code, main_part
from site_indexer.crawling.page_furniture import Sign, furniture
from site_indexer.crawling.page_marks import drop_marked_off
from site_indexer.crawling.page_nodes import Inside, PageNodes, outermost
from site_indexer.crawling.page_text import text_of_markup

OUTSIDE = "outside the main part"
_WORD = re.compile(r"[^\W_]+")
_NAVIGATION = "navigation"
_NOT_SHOWN = "not shown"
_MARKED_OFF = "marked off by the page"
_OTHER_MEDIA = "media and fallbacks"
_LEFT_OUT_BY_SITE = "left out by the site"
_SIGNS = {
    Sign.LANDMARK: "furniture: its element or role",
    Sign.NAME: "furniture: its class or id",
    Sign.LINKS: "furniture: a block of links",
    Sign.COPYRIGHT: "furniture: a notice of copyright",
}


@dataclass(frozen=True, slots=True)
class Account:
    """The words (runs of letters and digits) of a page.

    ``all`` are those of its body but for scripts and styles. ``left_out`` counts them by the
    reason. ``main_part`` says what the kept ones stand in: the tag of the part that the page marks
    as its main one, ``selector`` for a part that the site chose, else ``body``.
    """

    all: int
    kept: int
    left_out: Mapping[str, int]
    main_part: str

    @property
    def unaccounted(self) -> int:
        """Words that are neither kept nor left out for a reason, or (below 0) counted twice.

        0 but for words that the seam of two elements splits or glues.
        """
        return self.all - self.kept - sum(self.left_out.values())


def account_of(markup: str, title: str, text: str, content: ContentReader) -> Account:
    """The account of a page that was read: its markup, title and extracted text."""
    tree = LexborHTMLParser(markup)
    marked_off = sum(map(_words, drop_marked_off(tree, markup)))
    nodes = PageNodes(tree)
    out = content.left_out(tree, nodes, drop_code(nodes))
    reasons = [(node, _reason(node)) for node in out]
    kept = _words(text)
    total = marked_off + _words_of(tree.body)
    inside = Inside({node.mem_id for node in out})
    part = main_part(tree, inside)
    parts = content.chosen_parts(tree, inside)
    chosen = "selector" if parts else None
    if not parts and part is not None and _words_of(part):
        parts, chosen = [part], part.tag
    if chosen is None:
        around = furniture(tree, nodes, inside, title)
        outer = {node.mem_id for node in outermost([each.node for each in around])}
        reasons += [(each.node, _SIGNS[each.sign]) for each in around if each.node.mem_id in outer]
    left_out = _counted(reasons)
    outside = _outside(total - marked_off, parts, out)
    if outside:
        left_out[OUTSIDE] = outside
    if chosen is None and total - marked_off - kept < sum(left_out.values()) / 2:
        left_out = _counted([(node, _reason(node)) for node in out])  # little would have been left
    if marked_off:
        left_out[_MARKED_OFF] += marked_off
    return Account(total, kept, dict(left_out), chosen or "body")


def _counted(reasons: list[tuple[LexborNode, str]]) -> Counter[str]:
    """The words of elements, none of which may stand in another one that is not left out."""
    counts: Counter[str] = Counter()
    inside = _inside([node for node, _ in reasons])
    for node, reason in reasons:
        if node.mem_id not in inside and (words := _words_of(node)):
            counts[reason] += words
    return counts


def _inside(nodes: list[LexborNode]) -> set[int]:
    is_inside = Inside({node.mem_id for node in nodes})
    return {node.mem_id for node in nodes if is_inside(node)}


def _outside(total: int, parts: list[LexborNode], out: list[LexborNode]) -> int:
    """The words outside the main part, but for those that are left out anyway."""
    if not parts:
        return 0
    is_inside = Inside({node.mem_id for node in parts})
    elsewhere = sum(_words_of(node) for node in out if not is_inside(node))
    return max(0, total - sum(map(_words_of, parts)) - elsewhere)


def _reason(node: LexborNode) -> str:
    attributes = node.attributes
    if node.tag == "nav" or (attributes.get("role") or "").lower() == "navigation":
        return _NAVIGATION
    if node.tag == "noindex" or "robots-nocontent" in (attributes.get("class") or "").split():
        return _MARKED_OFF
    if "hidden" in attributes:
        return _NOT_SHOWN
    return _OTHER_MEDIA if node.tag in _MEDIA else _LEFT_OUT_BY_SITE


def _words_of(node: LexborNode | None) -> int:
    return 0 if node is None else _words(text_of_markup(node.html or ""))


def _words(text: str) -> int:
    return len(_WORD.findall(text))


_MEDIA = frozenset(
    (
        *(
            "script",
            "style",
            "template",
            "noscript",
            "iframe",
            "noembed",
            "noframes",
            "svg",
            "canvas",
        ),
        *("audio", "video", "object"),
    )
)
