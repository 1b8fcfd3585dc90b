"""What stands around the text of pages that mark no main part (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.crawling.pages import extract

TEXT = "<h1>Tides</h1><p>The sea rises and falls twice a day, as the moon and the sun pull at it."
KEPT = "Tides\nThe sea rises and falls twice a day, as the moon and the sun pull at it."
LINKS = "".join(f'<a href="/{n}">Chapter {n}</a> ' for n in range(5))


def text_of(body: str, title: str = "Tides | The Observatory") -> str:
    return extract(f"<title>{title}</title><body>{body}").text


@pytest.mark.parametrize(
    "furniture",
    [
        "<footer>Imprint</footer>",
        "<header><p>The Observatory</header>",
        "<aside>News</aside>",
        "<div><aside>News</aside></div>",
        '<div role="contentinfo">Imprint</div>',
        '<form role="Search">Words</form>',
        '<div class="wide Menu">Home</div>',
        '<ul id="breadcrumbs"><li>Home</ul>',
        '<div class="book-navigation">Up</div>',
        '<p class="copyright">Nobody</p>',
        '<div class="toc"><p>Contents<a href="#a">A</a> <a href="#b">B</a></div>',
        '<div class="toc"><p>Contents<a href="x.html#a">A</a> <a href="x.html#b">B</a></div>',
    ],
)
def test_elements_and_names_that_are_furniture(furniture: str) -> None:
    assert text_of(furniture + TEXT) == KEPT
    assert text_of(TEXT + furniture) == KEPT


@pytest.mark.parametrize(
    "block",
    [
        f"<table><tr><td>{LINKS}</table>",
        f"<div><p>Chapters: {LINKS}</div>",
        f"<div><h1>The Observatory</h1>{LINKS}</div>",
    ],
)
def test_blocks_of_links_before_the_heading(block: str) -> None:
    assert text_of(f"{block}<div>{TEXT}</div>") == KEPT
    assert text_of(f"<div><div>{block}</div><div>{TEXT}</div></div>") == KEPT


def test_blocks_of_links_and_notices_of_copyright_at_the_end() -> None:
    more = "<p>" + "Much more is known of them. " * 20
    for end in (f"<div>{LINKS}</div>", "<table><tr><td>Copyright © 2020 Somebody</table>"):
        assert text_of(f"<div>{TEXT}{more}</div>{end}").endswith("known of them.")
    # Where lists of links end a section, they belong to it.
    assert "Chapter 4" in text_of(f"<div>{TEXT}{more}<div>{LINKS}</div></div>")


@pytest.mark.parametrize(
    "body",
    [
        f'<div class="page-header"><div>{TEXT}</div></div>',
        f'<div class="navigation">{TEXT}</div>',
        f"<header>{TEXT}</header>",
    ],
)
def test_what_holds_the_pages_heading_is_no_furniture(body: str) -> None:
    assert text_of(body) == KEPT


@pytest.mark.parametrize(
    "note",
    [
        "<blockquote><p>Time and tide<footer>Chaucer</footer></blockquote>",
        "<section><div><aside>Time and tide: Chaucer</aside></div></section>",
        "<div class='nav-tabContent'>Time and tide: Chaucer</div>",
        "<p>See <a href='/a'>Time</a>, <a href='/b'>Chaucer</a> and others who wrote of it",
    ],
)
def test_what_belongs_to_the_text(note: str) -> None:
    assert "Chaucer" in text_of(f"<div>{TEXT}{note}</div><p>The end of the page.")


def test_a_page_of_links_keeps_them() -> None:
    body = f"<h1>Index</h1><div class='toc'>{LINKS}</div>"
    assert "Chapter 4" in text_of(body, "Index")
    assert "Chapter 4" in text_of(f"<h1>Index</h1><div>{LINKS}</div>", "Index")


def test_a_table_of_other_pages_is_no_furniture() -> None:
    toc = '<div class="toc"><a href="ch1.html">First</a> <a href="ch1.html#a">Part</a></div>'
    assert text_of(f"{TEXT}{toc}<p>More.").endswith("First Part\nMore.")


def test_headings_of_furniture_are_none_of_the_page() -> None:
    page = extract(f"<title>Tides</title><div class=menu><h2>Menu</h2>x</div>{TEXT}")
    assert page.headings == ("Tides",)


def test_the_main_part_is_all_that_counts_where_it_is_marked() -> None:
    body = f'<p>Before<main>{TEXT}<div class="menu">Fish of the day</div></main>'
    assert text_of(body) == f"{KEPT}\nFish of the day"


NAMES = st.sampled_from(["", ' class="menu"', ' id="toc"', ' role="search"', " hidden", " href=/x"])
TAGS = st.sampled_from(
    [
        *("div", "ul", "table", "p", "a", "h1", "h2", "header", "footer", "aside", "nav", "span"),
        *("article", "main", "blockquote", "form", "svg", "script", "font", "td", "noscript"),
    ]
)


@given(st.lists(st.tuples(TAGS, NAMES, st.booleans(), st.sampled_from(["", "word ", "©"]))))
def test_any_tree_can_be_read(parts: list[tuple[str, str, bool, str]]) -> None:
    body = "".join(
        f"<{tag}{name}>{text}" + (f"</{tag}>" if closed else "")
        for tag, name, closed, text in parts
    )
    page = extract(f"<title>word</title><body>{body}<p>end")
    assert isinstance(page.text, str)
