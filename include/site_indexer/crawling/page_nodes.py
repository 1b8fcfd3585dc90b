"""One walk over a parsed page that sorts the elements which the extractor looks at."""

from __future__ import annotations

from collections.abc import Iterable, Set
from enum import IntEnum

from selectolax.lexbor import LexborHTMLParser, LexborNode

# HTML, 15.3.4 and what browsers show alike.
INLINE = (
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn"),
    *("em", "font", "i", "ins", "kbd", "label", "mark", "nobr", "q", "rb", "ruby", "s", "samp"),
    *("small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
)


class Group(IntEnum):
    """What the extractor looks at elements for."""

    STATEMENT = 0  # what the head states
    LINK = 1
    HEADING = 2
    CODE = 3  # what browsers run or draw by
    NO_TEXT = 4  # holds no text for readers of the page's subject
    INLINE = 5  # stands inside words and sentences, and so separates none
    IMAGE = 6  # stands between words


_TAGS = {
    Group.STATEMENT: ("title", "meta", "link", "base"),
    Group.LINK: ("a", "area", "frame"),
    Group.HEADING: ("h1", "h2", "h3", "h4", "h5", "h6"),
    Group.CODE: ("script", "style"),
    Group.NO_TEXT: (
        *("noscript", "template", "iframe", "noembed", "noframes", "svg", "canvas"),
        *("audio", "video", "object", "nav"),
    ),
    Group.INLINE: tuple(tag for tag in INLINE if tag != "a"),
    Group.IMAGE: ("img", "input"),
}
_NO_TEXT_BY_ATTRIBUTE = (
    '[role="navigation" i],[hidden]:not([hidden="until-found" i]),noindex,.robots-nocontent'
)


def tag_id(tag: str) -> int:
    """The parser's number of a tag, which is not part of its interface."""
    parser = LexborHTMLParser("")
    return parser.create_node(tag).tag_id


def _comment_id() -> int:
    root = LexborHTMLParser("<body><!-- -->").body
    comment = root.first_child if root is not None else None
    return comment.tag_id if comment is not None else -1


_GROUP_OF_TAG = {tag_id(tag): group for group, tags in _TAGS.items() for tag in tags}
_GROUP_OF_TAG[_comment_id()] = Group.INLINE


class PageNodes:
    """The elements of a page by group, each group in document order of its tags."""

    __slots__ = ("_groups",)

    def __init__(self, tree: LexborHTMLParser) -> None:
        groups: list[list[LexborNode]] = [[] for _ in Group]
        root = tree.root
        if root is not None:
            group_of = _GROUP_OF_TAG.get
            for node in root.traverse():
                group = group_of(node.tag_id)
                if group is not None:
                    groups[group].append(node)
            groups[Group.NO_TEXT] += _others_left_out(tree)
        self._groups = groups

    def __getitem__(self, group: Group) -> list[LexborNode]:
        """The elements of a group."""
        return self._groups[group]


def outermost(nodes: list[LexborNode]) -> list[LexborNode]:
    """Those of the nodes that stand inside none of the others."""
    if len(nodes) < 2:
        return nodes
    is_inside = Inside({node.mem_id for node in nodes})
    return [node for node in nodes if not is_inside(node)]


class Inside:
    """Tells of nodes whether they stand inside one of those with these ``mem_id``s.

    What was found out about their parents is remembered: of deep pages each node would have its
    whole way up to go. To be asked only while the tree does not change.
    """

    __slots__ = ("_known", "ids")

    def __init__(self, ids: Set[int]) -> None:
        self.ids = ids
        self._known: dict[int, bool] = {}

    def __call__(self, node: LexborNode) -> bool:
        """Whether the node stands inside one of them; one of them by itself does not."""
        parent = node.parent
        if not self.ids or parent is None:
            return False
        known = self._known.get(parent.mem_id)
        return self._find_out(parent) if known is None else known

    def is_in(self, node: LexborNode) -> bool:
        """Whether the node is one of them, or stands inside one."""
        return node.mem_id in self.ids or self(node)

    def _find_out(self, node: LexborNode | None) -> bool:
        way: list[int] = []
        found = False
        while node is not None:
            key = node.mem_id
            known = True if key in self.ids else self._known.get(key)
            if known is not None:
                found = known
                break
            way.append(key)
            node = node.parent
        self._known.update(dict.fromkeys(way, found))
        return found


def _others_left_out(tree: LexborHTMLParser) -> Iterable[LexborNode]:
    """What attributes make invisible, or navigation; none that its tag sorts there already."""
    for node in tree.css(_NO_TEXT_BY_ATTRIBUTE):
        # A node must be in no group twice: removing it frees it.
        if _GROUP_OF_TAG.get(node.tag_id) not in (Group.NO_TEXT, Group.CODE):
            yield node
