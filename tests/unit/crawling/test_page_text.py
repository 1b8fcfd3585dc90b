from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from site_indexer.crawling.page_nodes import Group, PageNodes
from site_indexer.crawling.page_text import (
    dissolve,
    one_line,
    text_of_markup,
    text_of_node,
    tidy,
)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p>one</p><p>two</p>", "one\ntwo"),
        ("<td>one</td><td>two</td>", "one\ntwo"),
        ("one<br>two", "one\ntwo"),
        ("super<b>man</b> and <i>wo</i>man", "superman and woman"),
        ("a<wbr>b", "ab"),
        ("see <img alt='x'>this", "see this"),
        ("one<img>two", "one two"),
        ("<a href=x>one</a><a>two</a><abbr>three</abbr>", "one twothree"),
        ("  many \n\t spaces ", "many spaces"),
        ("1 &lt; 2 &amp;&amp; 3 &gt; 2, &amp;lt;", "1 < 2 && 3 > 2, &lt;"),
        ("soft­hyphen", "softhyphen"),
        ("non&nbsp;breaking spaces", "non breaking spaces"),
        ('<p title="a > b">text</p>', "text"),
        ('<b data-x="</b><p>">in</b>side', "inside"),
        ("a<!-- <p> -->b", "ab"),
        ("<my-tag>one</my-tag>two", "one\ntwo"),
        ("<base>x</base><button>one</button>two", "x\none\ntwo"),
        ("", ""),
    ],
)
def test_blocks_are_apart_and_words_whole(markup: str, text: str) -> None:
    assert text_of_markup(markup) == text


def text_of_body(markup: str) -> str:
    body = LexborHTMLParser(f"<body>{markup}").body
    assert body is not None
    return text_of_markup(body.html or "")


words = st.lists(st.text(st.characters(categories=["L", "N"]), min_size=1), max_size=8)


@given(words, st.sampled_from(["p", "div", "li", "section", "dd", "pre", "option"]))
def test_words_of_blocks_are_never_glued(texts: list[str], tag: str) -> None:
    markup = "".join(f"<{tag}>{text}</{tag}>" for text in texts)
    cells = f"<table><tr>{''.join(f'<td>{text}</td>' for text in texts)}</table>"
    for part in (markup, cells):
        assert text_of_body(part).split() == texts


@given(st.text())
def test_what_the_parser_escapes_comes_back(text: str) -> None:
    tree = LexborHTMLParser("<p></p>")
    node = tree.css_first("p")
    assert node is not None
    node.insert_child(text.encode("utf-8", "replace").decode())
    assert text_of_markup(node.html or "") == text_of_markup(_escaped(node.text()))


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


pieces = st.one_of(
    st.sampled_from(["<p>", "</p>", "<b>", "</b>", "<div>", "</div>", "<br>", "<img>", "<i></i>"]),
    st.sampled_from(
        ["<!-- c -->", "<a href=x>", "</a>", "</a><a>", "<li>", "<wbr>", "&amp;", "&lt;b&gt;", " "]
    ),
    st.text(st.characters(categories=["L", "N", "Zs"], include_characters="\n\t\xad"), max_size=4),
)


@example("<a href=x>&amp;<b><a href=x>&amp;")
@given(st.lists(pieces, max_size=20).map("".join))
def test_both_ways_to_take_text_agree(markup: str) -> None:
    tree = LexborHTMLParser(f"<body>{markup}")
    nodes = PageNodes(tree)
    body = tree.body
    assert body is not None
    by_expressions = text_of_markup(body.html or "")
    dissolve(tree, (*nodes[Group.INLINE], *nodes[Group.LINK]), nodes[Group.IMAGE])
    assert text_of_node(body) == by_expressions


@given(st.text())
def test_tidying_twice_is_tidying_once(text: str) -> None:
    assert tidy(tidy(text)) == tidy(text)


def test_one_line() -> None:
    assert one_line(" a\n  b­c ") == "a bc"
    assert one_line(None) == ""
