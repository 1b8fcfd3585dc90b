"""No start tag of a page is missed, whatever is around it (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from site_indexer.crawling.tag_counts import tag_counts, tag_names

PIECES = [
    "<div>", "<DIV a='>'>", "</div>", "<div", "<b", "<b/>", "<a x=\"<div>", "'>", "\">", ">", "<",
    "<!--", "-->", "--!>", "<!-->", "<!", "<?", "</ ", "</>", "<script>", "</script>", "<title>",
    "</title>", "<textarea", "</textarea ", "<svg>", "<![CDATA[", "]]>", "</svg>", "<style>x<div>",
    "</style", "<noscript>", "<template>", "<plaintext>", "x", " ", "/", "=", "\n", "\0", "İ",
]  # fmt: skip


def test_tags_are_counted_by_name() -> None:
    html = "<div><DIV a=b><p/><br></div><!-- <i> --></ div><x<y>"
    assert tag_counts(html) == {"div": 2, "p": 1, "br": 1, "/div": 1, "i": 1, "x<y": 1}


@pytest.mark.parametrize("html", ["", "text", "<", "<div", "a < b > c", "<div<div"])
def test_what_is_no_tag_is_none(html: str) -> None:
    assert not tag_counts(html)


def test_names_come_in_order_as_they_are_written() -> None:
    assert tag_names("<P><!-- x --><b a='<i>'>x</b></P>") == ["P", "b", "/b", "/P"]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@example("<script><!-- <b </script><div>")
@example("<b a='</b><div>'><div>")
def test_there_are_at_least_as_many_as_a_parser_finds(html: str) -> None:
    counted = tag_counts(html)
    marked = LexborHTMLParser(f"<!DOCTYPE html><html><body>{html}</body></html>")
    assert marked.body is not None
    found = Counter(node.tag for node in marked.body.traverse() if node.tag in ("div", "b", "p"))
    # Formatting is copied, and an end tag alone makes a paragraph: of those a parser has more.
    assert found["div"] <= counted["div"]
    assert bool(found["b"]) <= bool(counted["b"])
