"""Formatting that parsers would copy until memory is full (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from site_indexer.crawling.costly_formatting import MOST_COPIES, without_costly_formatting
from tests.unit.crawling.pages import extract

MANY = 4_000


def numbered(pattern: str, count: int = MANY) -> str:
    return "".join(pattern.replace("#", str(n)) for n in range(count))


BOMBS = {
    "opened again in each paragraph": numbered("<b a=#><p>x"),
    "left open by the first paragraph": f"<p>{numbered('<b a=#>', 300)}</p>" + "<p>x</p>" * MANY,
    "in tables": numbered("<table><font a=#>x"),
    "closed in the wrong order": numbered("<i a=#><div>x") + "</i>" * MANY,
    "closed in comments only": numbered("<b a=#><!--</b>--><p>x"),
    "closed in attributes only": numbered('<b a=#><p x="</b>">x'),
    "closed within their own quotes only": numbered('<b a="#>x</b>"><p>x'),
    "in capitals": numbered("<STRONG A=#><P>x"),
}


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_a_bomb_becomes_a_page_of_its_own_size(bomb: str) -> None:
    reduced, was_reduced = without_costly_formatting(bomb)
    assert was_reduced
    tree = LexborHTMLParser(reduced)
    assert tree.root is not None
    assert sum(1 for _ in tree.root.traverse()) < MOST_COPIES
    assert tree.body is not None
    assert tree.body.text().count("x") >= MANY


def test_it_is_named_and_text_and_links_stay() -> None:
    page = extract(numbered('<b a=#><p><a href="/p#">x') + " last")
    assert len(page.links) == MANY
    assert page.text.endswith("last")
    assert any("formatting" in warning for warning in page.warnings)


@pytest.mark.parametrize(
    "usual",
    [
        '<p>Call <code class="xref py"><span class="pre">f#()</span></code> or <b>#</b>.</p>',
        '<td><font color="#0000#">#</font></td>',
        "<font size=2><p>never closed, but all alike",
        '<li><a href="/#"><strong id="s#">#</strong></a></li>',
    ],
)
def test_usual_pages_are_left_alone(usual: str) -> None:
    page = numbered(usual, 20_000)
    assert without_costly_formatting(page) == (page, False)


words = st.sampled_from(
    ["<b>", "</b>", "<i a=1>", "</i>", "<p>", "</p>", "x ", "y", "<div>", "</div>", "<code>"]
)


@settings(max_examples=40)
@given(st.lists(words, max_size=30), st.integers(0, 3))
def test_the_text_is_the_same_without_formatting(parts: list[str], lines: int) -> None:
    page = "".join(parts) + "<br>" * lines
    bomb = page + numbered("<u a=#>", 700)
    reduced, was_reduced = without_costly_formatting(bomb)
    assert was_reduced
    assert "".join(extract(reduced).text.split()) == "".join(extract(page).text.split())
