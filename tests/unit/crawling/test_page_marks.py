"""Regions that pages mark off (docs/spec/04-crawling.md, 4.6)."""

from __future__ import annotations

import pytest

from tests.unit.crawling.pages import URL, extract


@pytest.mark.parametrize(
    "body",
    [
        "<p>one<!--noindex-->hidden<!--/noindex-->two",
        "<p>one<!-- NoIndex --><b>hidden</b> <i>too</i><!-- /noindex -->two",
        "<p>one</p><!--googleoff: index--><div><p>hidden</p></div><!--googleon: index--><p>two",
        "<p>one<!-- googleoff: all -->hidden<!-- googleon: all --> two",
        "<p>one<noindex>hidden</noindex>two",
        "<p>one<p class='x robots-nocontent'>hidden</p>two",
        "<main><p>one<!--noindex--><p>hidden</main>never<main><!--/noindex--></main>two",
    ],
)
def test_what_is_marked_off_is_no_text_and_glues_no_words(body: str) -> None:
    page = extract(f"<title>t</title><body>{body}", content_selectors=("body",))
    assert page.text.split() == ["one", "two"]


@pytest.mark.parametrize(
    "body",
    [
        "one<!--noindex-->two",
        "one<!--/noindex-->two",
        "one<!--noindexing-->two<!--/noindex-->",
        "one<!--googleoff: snippet-->two<!--googleon: snippet-->",
        "one<!-- a noindex region --> two<!--/noindex-->",
    ],
)
def test_other_comments_and_those_without_an_end_mark_nothing_off(body: str) -> None:
    assert extract(f"<body>{body}").text.replace(" ", "") == "onetwo"


def test_links_in_marked_off_regions_are_followed() -> None:
    page = extract('<!--noindex--><a href="other.html">menu</a><!--/noindex--><p>text')
    assert page.followable == (URL.replace("page", "other"),)
    assert page.text == "text"


def test_headings_in_marked_off_regions_are_none_of_the_page() -> None:
    page = extract("<!--noindex--><h2>Menu</h2><!--/noindex--><h1>Tides</h1>text")
    assert page.headings == ("Tides",)


def test_selectors_in_xpath_do_not_see_them() -> None:
    page = extract(
        "<div>one <!--noindex-->hidden<!--/noindex--> two</div>", content_selectors=("//div",)
    )
    assert page.text.split() == ["one", "two"]
