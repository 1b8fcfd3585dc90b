"""Which elements stand inside which, and which are the outermost of several."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.page_nodes import Inside, outermost


def above(node: LexborNode) -> list[int]:
    """The ids of all that a node stands in."""
    ids = []
    parent = node.parent
    while parent is not None:
        ids.append(parent.mem_id)
        parent = parent.parent
    return ids


@given(st.lists(st.tuples(st.sampled_from(["div", "p", "b"]), st.booleans(), st.booleans())))
def test_each_node_is_inside_what_stands_above_it(parts: list[tuple[str, bool, bool]]) -> None:
    tree = LexborHTMLParser(
        "".join(
            f"</{tag}>" if closes else f"<{tag}{' class=x' if chosen else ''}>"
            for tag, closes, chosen in parts
        )
    )
    chosen = tree.css(".x")
    ids = {node.mem_id for node in chosen}
    inside = Inside(ids)
    for node in (*tree.css("*"), *reversed(tree.css("*"))):
        assert inside(node) is not ids.isdisjoint(above(node))
        assert inside.is_in(node) is (inside(node) or node.mem_id in ids)
    assert {node.mem_id for node in outermost(chosen)} == {
        node.mem_id for node in chosen if ids.isdisjoint(above(node))
    }


def test_the_root_is_inside_nothing() -> None:
    tree = LexborHTMLParser("<p>")
    assert tree.root is not None
    assert Inside({tree.root.mem_id})(tree.root) is False
    assert Inside(set())(tree.root) is False
