"""Which part of a page is its text: what a site's selectors choose, or what is found by itself.

Docs: docs/spec/04-crawling.md, 4.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_furniture import furniture, landmarks
from site_indexer.crawling.page_marks import drop_marked_off
from site_indexer.crawling.page_nodes import Group, Inside, PageNodes, outermost
from site_indexer.crawling.page_text import dissolve, one_line, text_of_markup, text_of_node
from site_indexer.crawling.selectors import ParsedPage, Selector
from site_indexer.values import value_object

_MAIN = 'main,[role="main" i]'
_LEAST_SHARE = 0.2
_TO_ITS_PLACE = 'a[href^="#"]'
_LONGEST_SIGN = 2  # a sign, and a character that says how to draw it
_MOST_HEADINGS = 200


@value_object
class Content:
    """What readers of a page read: its headings, and its text line by line."""

    headings: tuple[str, ...]
    text: str


class ContentReader:
    """Finds the content of the pages of one site."""

    def __init__(self, selectors: Sequence[Selector], leave_out: Iterable[str]) -> None:
        """``selectors``: the first that fits counts. ``leave_out``: CSS of what is no content."""
        self._css = [selector for selector in selectors if not selector.is_xpath]
        self._selectors = tuple(selectors)
        self._leave_out = ",".join(leave_out)

    def read(self, tree: LexborHTMLParser, nodes: PageNodes, markup: str, title: str) -> Content:
        """The content of a parsed page. The tree is of no use for anything else afterwards."""
        drop_marked_off(tree, markup)
        left_out = self.left_out(tree, nodes, drop_code(nodes))
        out = {node.mem_id for node in left_out}
        inside = Inside(out)
        headings = [node for node in nodes[Group.HEADING] if not inside.is_in(node)]
        chosen = {
            selector: outermost([n for n in tree.css(selector.expression) if not inside.is_in(n)])
            for selector in self._css
        }
        part = main_part(tree, inside)
        around = (
            [each.node for each in furniture(tree, nodes, inside, title)] if part is None else []
        )
        kept = out.union(*({node.mem_id for node in parts} for parts in chosen.values()))
        inline = (*nodes[Group.INLINE], *nodes[Group.LINK])
        dissolve(
            tree,
            [node for node in inline if node.mem_id not in kept] if kept else inline,
            [node for node in nodes[Group.IMAGE] if node.mem_id not in kept],
        )
        for node in left_out:
            node.decompose()
        text, parts = self._chosen_text(chosen, markup)
        if not text:
            text, parts = _text_of(part), [part] if part is not None else []
        if text:
            return Content(_headings(headings, parts), text)
        # Of a main part that is empty nothing was looked for around it.
        around = around or outermost(landmarks(tree))
        standing_around = Inside({node.mem_id for node in around})
        outside = [node for node in headings if not standing_around.is_in(node)]
        return Content(_headings(outside or headings, []), self._text_without(tree, around, markup))

    def chosen_parts(self, tree: LexborHTMLParser, inside: Inside) -> list[LexborNode]:
        """What the first of the site's CSS selectors that fits chooses."""
        for selector in self._css:
            parts = outermost([n for n in tree.css(selector.expression) if not inside.is_in(n)])
            if parts:
                return parts
        return []

    def left_out(
        self, tree: LexborHTMLParser, nodes: PageNodes, code: Iterable[LexborNode]
    ) -> list[LexborNode]:
        """The outermost elements whose text is not the page's; ``code`` is what is left of it."""
        left_out = [*code, *nodes[Group.NO_TEXT]]
        others = [node for node in tree.css(_TO_ITS_PLACE) if _is_a_sign(node)]
        if self._leave_out:
            others += tree.css(self._leave_out)
        # A node must not be here twice: removing it frees it.
        by_id = {node.mem_id: node for node in (*left_out, *others)}
        return outermost(list(by_id.values()))

    def _chosen_text(
        self, chosen: dict[Selector, list[LexborNode]], markup: str
    ) -> tuple[str, list[LexborNode]]:
        """The text that the site's selectors choose, and its elements as far as they are known."""
        for selector in self._selectors:
            if selector.is_xpath:
                parts = []
                texts = selector.texts(ParsedPage.of(self._without_left_out(markup)))
            else:
                parts = chosen[selector]
                texts = [text_of_node(node) for node in parts]
            text = "\n".join(filter(None, texts))
            if text:
                return text, parts
        return "", []

    def _text_without(self, tree: LexborHTMLParser, around: list[LexborNode], markup: str) -> str:
        """The body's text without what stands around it, unless little would be left."""
        around = outermost(around)
        removed = 0
        for node in around:
            removed += len(node.text(strip=True))
            node.decompose()
        rest = text_of_node(tree.body) if tree.body is not None else ""
        if len(rest) >= _LEAST_SHARE * (len(rest) + removed):
            return rest
        whole = LexborHTMLParser(self._without_left_out(markup)).body
        return text_of_markup(whole.html or "") if whole is not None else ""

    def _without_left_out(self, markup: str) -> str:
        """The page once more, as the tree that was parsed first has lost its inline elements."""
        tree = LexborHTMLParser(markup)
        drop_marked_off(tree, markup)
        nodes = PageNodes(tree)
        for node in self.left_out(tree, nodes, nodes[Group.CODE]):
            node.decompose()
        return tree.html or ""


def drop_code(nodes: PageNodes) -> list[LexborNode]:
    """Remove scripts and styles, so that what holds them has no text but its own.

    Returns those that hold elements, as in drawings they may: these must go with all others.
    """
    holding = []
    for node in nodes[Group.CODE]:
        child = node.first_child
        if child is None or (child.next is None and child.tag == "-text"):
            node.decompose()
        else:
            holding.append(node)
    return holding


def main_part(tree: LexborHTMLParser, out: Inside) -> LexborNode | None:
    """The part that the page marks as its main one, if it marks one that is not left out."""
    for node in tree.css(_MAIN):
        if not out.is_in(node):
            return node
    articles = outermost([node for node in tree.css("article") if not out.is_in(node)])
    return articles[0] if len(articles) == 1 else None


def _text_of(node: LexborNode | None) -> str:
    return text_of_node(node) if node is not None else ""


def _is_a_sign(node: LexborNode) -> bool:
    """Whether a link is the sign that generators put beside headings, to be linked to."""
    text = node.text().strip()
    return 0 < len(text) <= _LONGEST_SIGN and not any(map(str.isalnum, text))


def _headings(headings: list[LexborNode], parts: list[LexborNode]) -> tuple[str, ...]:
    """The headings inside these parts of the page; all of them if none is inside."""
    inside = Inside({node.mem_id for node in parts})
    within = [node for node in headings if inside.is_in(node)] or headings
    return tuple(filter(None, map(_heading, within[:_MOST_HEADINGS])))


def _heading(node: LexborNode) -> str:
    return one_line(text_of_node(node))
