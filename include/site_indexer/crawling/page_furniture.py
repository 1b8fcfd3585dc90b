"""What stands around the text of a page that does not mark its main part (4.6).

Signs that belong to no one generator: the roles and elements of HTML, the names that site builders
give to menus and footers, blocks of little else than links before the page's heading or at its end,
and notices of copyright at its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_nodes import INLINE, Group, Inside, PageNodes, tag_id

# What menus and footers are made of; to look for each name by itself would cost several times that.
_CANDIDATES = (
    "footer,header,aside,[role],div[class],div[id],ul[class],ul[id],ol[class],table[class],"
    "table[id],p[class],form,details,address"
)
_NAMES = frozenset(
    (
        *("nav", "navbar", "navheader", "navfooter", "navlinks", "nav_flow", "navigation"),
        *("menu", "mainmenu", "submenu", "page-menu", "sidebar", "sphinxsidebar", "side-nav"),
        *("breadcrumb", "breadcrumbs", "toc", "footer", "page-footer", "site-footer"),
        *("copyright", "copyright-footer", "pagination", "pager", "skip-nav", "skip-link"),
        *("searchbox", "searchmenu", "languages", "toplang", "bottomlang", "cookie-banner"),
    )
)
_PARTS_OF_NAMES = ("navigation", "sidebar", "breadcrumb")
_ROLES = frozenset({"contentinfo", "complementary", "banner", "search"})
_LANDMARK_IDS = frozenset(map(tag_id, ("footer", "header", "aside")))
_QUOTATIONS = frozenset({"blockquote", "figure"})
_NO_BLOCKS = frozenset(
    (
        *("html", "body", "main", "article", "li", "dt", "dd", "tr", "-text", "-comment"),
        *INLINE,
    )
)
_TITLE_LEVELS = frozenset({"h1", "h2"})
_HEADINGS = "h1,h2,h3,h4,h5,h6"
_MOST_HEADINGS = 8
_LOOKED_AT_LINKS = 5
_NOWHERE = 2**31
_LINK_SHARE = 0.6
_MOST_BLOCKS = 50
# Longer lists of links are what the page is there for.
_LONGEST_AT_THE_END = 800
_LARGEST_SHARE_AT_THE_END = 0.25
_COPYRIGHT = ("\u00a9", "copyright (c)")
_WORD = re.compile(r"[^\W_]+")


class Sign(StrEnum):
    """What tells that an element stands around the text."""

    LANDMARK = "landmark"  # its element or role
    NAME = "name"  # its class or id
    LINKS = "links"  # it is little else than links, and stands before the heading or at the end
    COPYRIGHT = "copyright"  # a short notice at the end


@dataclass(frozen=True, slots=True)
class Furniture:
    """An element around the text, and how it is known."""

    node: LexborNode
    sign: Sign


def furniture(tree: LexborHTMLParser, nodes: PageNodes, out: Inside, title: str) -> list[Furniture]:
    """The elements around the text of a page, each once, none of them left out (``out``) anyway.

    None is inline. ``title`` is the page's, on one line. What holds the page's own heading is none.
    """
    body = tree.body
    if body is None:
        return []
    heading = _own_heading(nodes[Group.HEADING], out, title)
    path = _path(heading)
    found = {node.mem_id: Furniture(node, sign) for node, sign in _named(tree, path)}
    seen = out.ids | found.keys()
    for each in (*_before(heading, seen), *_at_the_end(body, heading, path, seen)):
        found.setdefault(each.node.mem_id, each)
    return [each for each in found.values() if not out.is_in(each.node)]


def landmarks(tree: LexborHTMLParser) -> list[LexborNode]:
    """The elements that are furniture by their element or role."""
    return [node for node, sign in _named(tree, set()) if sign is Sign.LANDMARK]


def _named(tree: LexborHTMLParser, path: Set[int]) -> Iterator[tuple[LexborNode, Sign]]:
    for node in tree.css(_CANDIDATES):
        attributes = node.attributes
        role = attributes.get("role") or ""
        may_be_landmark = role or node.tag_id in _LANDMARK_IDS
        if may_be_landmark and node.mem_id not in path and _is_landmark(node, role):
            yield node, Sign.LANDMARK
            continue
        names = f"{attributes.get('class') or ''} {attributes.get('id') or ''}".lower()
        if _NAMES.isdisjoint(names.split()) and not any(part in names for part in _PARTS_OF_NAMES):
            continue
        if node.mem_id in path or node.tag in _NO_BLOCKS:
            continue
        if "toc" not in names or not _leads_elsewhere(node):
            yield node, Sign.NAME


def _leads_elsewhere(node: LexborNode) -> bool:
    """Whether a table of contents is of other pages than the one that it stands on.

    One of the page's own headings repeats them; that of a book is what its first page is there for.
    """
    hrefs = [link.attributes.get("href") or "" for link in node.css("a")[:_LOOKED_AT_LINKS]]
    pages = {href.partition("#")[0] for href in hrefs if href}
    return len(pages) > 1 or any("#" not in href for href in hrefs)


def _is_landmark(node: LexborNode, role: str) -> bool:
    tag, parent = node.tag, node.parent
    if tag == "footer":
        # That of a quotation names its source.
        return parent is None or parent.tag not in _QUOTATIONS
    if tag == "header":
        return parent is not None and parent.tag == "body"
    if tag == "aside":
        # Deeper inside the text it is a note of it.
        above = parent.parent if parent is not None else None
        return any(each is not None and each.tag == "body" for each in (parent, above))
    return role.strip().lower() in _ROLES and tag not in _NO_BLOCKS


def _own_heading(headings: Sequence[LexborNode], out: Inside, title: str) -> LexborNode | None:
    """The heading of the page itself: sites head their pages with their own name, too."""
    words = _plain(title)
    own, nearest = None, _NOWHERE
    looked_at = 0
    for node in headings:
        if out.is_in(node):
            continue
        place = _NOWHERE
        if words and node.tag in _TITLE_LEVELS:
            place = _place(_plain(node.text()), words)
        if own is None or place < nearest:
            own, nearest = node, place
        looked_at += 1
        if place <= 0 or looked_at == _MOST_HEADINGS:
            break
    return own


def _place(heading: str, title: str) -> int:
    """Where a heading stands in the title: titles begin with the page, and end with the site."""
    if title in heading:
        return -1
    place = f" {title} ".find(f" {heading} ") if heading else -1
    return place if place >= 0 else _NOWHERE


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text)).casefold()


def _path(node: LexborNode | None) -> set[int]:
    """The ids of a node and all that it stands in."""
    ids = set()
    while node is not None:
        ids.add(node.mem_id)
        node = node.parent
    return ids


def _before(heading: LexborNode | None, seen: Set[int]) -> Iterator[Furniture]:
    """The blocks of links that stand before the page's heading."""
    node = heading
    count = 0
    while node is not None and node.tag != "body":
        sibling = node.prev
        while sibling is not None and count < _MOST_BLOCKS:
            count += 1
            if sibling.mem_id not in seen and _is_of_links(sibling):
                yield Furniture(sibling, Sign.LINKS)
            sibling = sibling.prev
        node = node.parent


def _at_the_end(
    body: LexborNode, heading: LexborNode | None, path: Set[int], seen: Set[int]
) -> Iterator[Furniture]:
    """The blocks of links, and of copyright, that end the page.

    Not those beside the heading in a part of its own: lists of links end sections, too.
    """
    section = heading.parent if heading is not None else None
    own = section.mem_id if section is not None and section.tag != "body" else None
    longest = -1.0
    node = body.last_child
    for _ in range(_MOST_BLOCKS):
        if node is None or node.mem_id == own:
            return
        if node.mem_id in path:
            node = node.last_child
            continue
        if node.mem_id not in seen and (text := node.text()).strip():
            sign = _sign_at_the_end(node, text)
            if sign is None:
                return
            if longest < 0:
                longest = min(_LONGEST_AT_THE_END, _LARGEST_SHARE_AT_THE_END * len(body.text()))
            if len(text) > longest:
                return
            yield Furniture(node, sign)
        node = node.prev


def _sign_at_the_end(node: LexborNode, text: str) -> Sign | None:
    if node.tag in _NO_BLOCKS or len(text) > _LONGEST_AT_THE_END:
        return None
    if _is_of_links(node) and node.css_first(_HEADINGS) is None:
        return Sign.LINKS
    return Sign.COPYRIGHT if any(sign in text.lower() for sign in _COPYRIGHT) else None


def _is_of_links(node: LexborNode) -> bool:
    """Whether an element is little else than links."""
    if node.tag in _NO_BLOCKS:
        return False
    links = node.css("a")
    if len(links) < 2:
        return False
    text = len("".join(node.text().split()))
    of_links = sum(len("".join(link.text().split())) for link in links)
    return of_links >= _LINK_SHARE * text > 0
