"""Which part of a page is its text: what a site's selectors choose, or what is found by itself.

Docs: docs/spec/04-crawling.md, 4.6.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_nodes import Group, PageNodes, is_inside, outermost
from site_indexer.crawling.page_text import dissolve, one_line, text_of_node
from site_indexer.crawling.selectors import ParsedPage, Selector

_MAIN = 'main,[role="main" i]'
_FURNITURE = 'footer,[role="contentinfo" i]'
_TO_ITS_PLACE = 'a[href^="#"]'
_LONGEST_SIGN = 2  # a sign, and a character that says how to draw it
_MOST_HEADINGS = 200


@dataclass(frozen=True, slots=True)
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

    def read(self, tree: LexborHTMLParser, nodes: PageNodes, markup: str) -> Content:
        """The content of a parsed page. The tree is of no use for anything else afterwards."""
        left_out = self._left_out(tree, nodes)
        out = {node.mem_id for node in left_out}
        headings = [node for node in nodes[Group.HEADING] if not _is_in(node, out)]
        chosen = {
            selector: outermost([n for n in tree.css(selector.expression) if not _is_in(n, out)])
            for selector in self._css
        }
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
            text, parts = _main_text(tree)
        ids = {node.mem_id for node in parts}
        within = [node for node in headings if _is_in(node, ids)] or headings
        return Content(
            headings=tuple(filter(None, map(_heading, within[:_MOST_HEADINGS]))),
            text=text or _text_without_furniture(tree),
        )

    def _left_out(self, tree: LexborHTMLParser, nodes: PageNodes) -> list[LexborNode]:
        """The outermost elements whose text is not the page's."""
        left_out = [*nodes[Group.SCRIPT], *nodes[Group.NO_TEXT]]
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

    def _without_left_out(self, markup: str) -> str:
        """The page once more, as the tree that was parsed first has lost its inline elements."""
        tree = LexborHTMLParser(markup)
        for node in self._left_out(tree, PageNodes(tree)):
            node.decompose()
        return tree.html or ""


def _main_text(tree: LexborHTMLParser) -> tuple[str, list[LexborNode]]:
    """The text of the main part, and that part; nothing where there is none or it is empty."""
    part = _main_part(tree)
    text = _text_of(part)
    return (text, [part]) if part is not None and text else ("", [])


def _text_without_furniture(tree: LexborHTMLParser) -> str:
    """The body's text without its furniture, or else all there is."""
    whole = _text_of(tree.body)
    furniture = outermost(tree.css(_FURNITURE))
    if not furniture:
        return whole
    for node in furniture:
        node.decompose()
    return _text_of(tree.body) or whole


def _main_part(tree: LexborHTMLParser) -> LexborNode | None:
    main = tree.css_first(_MAIN)
    if main is not None:
        return main
    articles = outermost(tree.css("article"))
    return articles[0] if len(articles) == 1 else None


def _text_of(node: LexborNode | None) -> str:
    return text_of_node(node) if node is not None else ""


def _is_a_sign(node: LexborNode) -> bool:
    """Whether a link is the sign that generators put beside headings, to be linked to."""
    text = node.text().strip()
    return 0 < len(text) <= _LONGEST_SIGN and not any(map(str.isalnum, text))


def _heading(node: LexborNode) -> str:
    return one_line(text_of_node(node))


def _is_in(node: LexborNode, ids: Set[int]) -> bool:
    return node.mem_id in ids or is_inside(node, ids)
