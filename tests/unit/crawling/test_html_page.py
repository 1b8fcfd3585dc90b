from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.errors import ConfigurationError
from tests.unit.crawling.pages import URL, extract, extractor


def test_an_ordinary_page() -> None:
    page = extract(
        """<!doctype html><html lang="en-GB"><head><title> A
        page </title><meta name=Description content=" About  it "></head><body>
        <header><a href="/">Home</a></header><nav>Menu</nav>
        <main><h1>Head</h1><p>Text with <b>bold</b>ness.</p><script>no()</script></main>
        <footer>Feet</footer></body></html>"""
    )
    assert page.title == "A page"
    assert page.description == "About it"
    assert page.language == "en"
    assert page.headings == ("Head",)
    assert page.text == "Head\nText with boldness."
    assert (page.charset, page.charset_source, page.content_type) == (
        "utf-8",
        "header",
        "text/html",
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<main>main</main>rest", "main"),
        ("<div role=main>main</div>rest", "main"),
        ("<article>one</article>rest", "one"),
        ("<article>one</article><article>two</article>rest", "one\ntwo\nrest"),
        ("<article>one<article>comment</article></article>rest", "one\ncomment"),
        ("<main></main>all there is", "all there is"),
        ("<p>text</p><footer>feet</footer><nav>menu</nav>", "text"),
        ("<footer>nothing but feet</footer>", "nothing but feet"),
        ("<p>seen</p><p hidden>unseen</p><p hidden=until-found>found</p>", "seen\nfound"),
        ("<style>a{}</style><noscript>no</noscript><template>t</template>text", "text"),
        ("<svg><title>drawing</title><text>x</text></svg>text", "text"),
        ("<nav><nav>a</nav></nav><div role=navigation><nav>b</nav></div>text", "text"),
        ('<xmp>a < b and "<i>"</xmp><p>text</p>', 'a < b and "<i>"\ntext'),
        ("<!-- comment -->text<!-- <p> -->s", "texts"),
        ("<textarea>a < b</textarea>", "a < b"),
    ],
)
def test_what_counts_as_text(body: str, text: str) -> None:
    assert extract(f"<title>t</title><body>{body}").text == text


def test_headings_of_what_is_left_out_do_not_count() -> None:
    page = extract("<nav><h2>Menu</h2></nav><h1>One</h1><div hidden><h2>No</h2></div><h3>Two</h3>")
    assert page.headings == ("One", "Two")


@pytest.mark.parametrize(
    ("body", "headings"),
    [
        ("<h1>Logo</h1><main><h2>One</h2><div><h3>Two</h3></div></main>", ("One", "Two")),
        ("<h1>Logo</h1><article><h2>One</h2></article><h2>See also</h2>", ("One",)),
        ("<h1>Title</h1><main>No heading of its own</main>", ("Title",)),
        ("<main></main><h1>One</h1><footer><h2>Feet</h2></footer>text", ("One",)),
    ],
)
def test_headings_are_those_of_the_part_that_is_the_text(
    body: str, headings: tuple[str, ...]
) -> None:
    assert extract(body).headings == headings


def test_headings_are_those_of_the_parts_that_the_site_chooses() -> None:
    body = "<h1>Logo</h1><div class=a><h2>One</h2>x</div><h2 class=a>Two</h2><main><h2>No</h2>"
    assert extract(body, content_selectors=(".a",)).headings == ("One", "Two")
    assert extract(body, content_selectors=("//div",)).headings == ("Logo", "One", "Two", "No")


@pytest.mark.parametrize("sign", ["¶", "#", "§", "🔗", "↩︎", "\u200b"])
def test_signs_that_link_to_their_own_place_are_no_text(sign: str) -> None:
    link = f'<a class="headerlink" title="Link to this place" href="#one">{sign}</a>'
    page = extract(f"<h1>One{link}</h1><dl><dt>f(x){link}</dt><dd>Text.</dd></dl>")
    assert page.headings == ("One",)
    assert page.text == "One\nf(x)\nText."


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ('a note<a href="#n1">1</a>', "a note1"),
        ('<a href="#b">→ B</a>', "→ B"),
        ('<a href="/">¶</a> of another page', "¶ of another page"),
        ("The sign ¶ is called a pilcrow.", "The sign ¶ is called a pilcrow."),
        ('<a href="#c"><b>語</b></a>', "語"),
    ],
)
def test_other_signs_and_links_are_text(body: str, text: str) -> None:
    assert extract(body).text == text


def test_a_sign_that_the_site_leaves_out_itself_is_left_out_once() -> None:
    page = extract('<h1>One<a hidden class=x href="#one">¶</a></h1>', leave_out_selectors=(".x",))
    assert page.headings == ("One",)


def test_a_page_without_a_title_has_that_of_its_first_heading() -> None:
    assert extract("<svg><title>Drawing</title></svg><h1>Head</h1>").title == "Head"
    assert extract('<meta property="og:title" content="Shared"><h1>Head</h1>').title == "Shared"


@pytest.mark.parametrize(
    ("html", "headers", "language"),
    [
        ('<html lang="pt-BR">', (), "pt"),
        ('<html xml:lang="de">', (), "de"),
        ('<meta http-equiv="Content-Language" content="fr">', (), "fr"),
        ("<p>", (("content-language", "it"),), "it"),
        ("<p>", (("content-language", "it, fr"),), "es"),
        ('<html lang="zh_Hant">', (), "zh"),
        ('<html lang="">', (), "es"),
    ],
)
def test_languages(html: str, headers: tuple[tuple[str, str], ...], language: str) -> None:
    assert extract(html, *headers, default_language="es").language == language


def test_nothing_is_lost_to_depth() -> None:
    deep = "<div>" * 100_000 + "<a href=/deep>deep</a> text" + "</div>" * 100_000 + "<p>after</p>"
    page = extract(deep)
    assert page.text == "deep text\nafter"
    assert page.followable == ("https://h.test/deep",)
    assert "deeper than" in page.warnings[0]


def test_nothing_is_lost_to_length() -> None:
    page = extract("<p>" + "word " * 2_500_000 + "</p><p>end</p><a href=/x>x</a>")
    assert page.text.endswith("word\nend\nx")
    assert page.followable == ("https://h.test/x",)
    assert page.warnings == ()


def test_a_sites_own_selectors() -> None:
    page = extract(
        '<meta name=product content="Pump 3"><main>main</main>'
        "<div class=c>one<p class=ad>ad</p></div>"
        "<div class=c>two<div class=c>inner</div></div><b class=tag>x</b><b class=tag>y</b>",
        content_selectors=(".none", ".c"),
        leave_out_selectors=(".ad", ".ad p"),
        fields={
            "product": "meta[name=product]::attr(content)",
            "tags": ".tag::text",
            "missing": ".nowhere",
        },
    )
    assert page.text == "one\ntwo\ninner"
    assert page.fields == {"product": "Pump 3", "tags": ["x", "y"]}


def test_inline_elements_can_be_chosen_and_left_out() -> None:
    page = extract(
        "<p>all <span class=c>cho<b>sen</b> <i class=no>not</i><span hidden>no</span></span></p>",
        content_selectors=("span.c",),
        leave_out_selectors=("i.no",),
    )
    assert page.text == "chosen"


def test_xpath_selectors() -> None:
    page = extract(
        "<div><p id=a>one <b>two</b><script>x</script></p><p>three</p></div><i title=T></i>",
        content_selectors=("//p[@id='a']",),
        fields={"title": "//i/@title", "count": "/html/body/div/p[2]/text()"},
    )
    assert page.text == "one two"
    assert page.fields == {"title": "T", "count": "three"}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("content_selectors", ("div[[",)),
        ("leave_out_selectors", (":nonsense(",)),
        ("fields", {"x": "//p["}),
    ],
)
def test_a_selector_that_is_none_is_an_error_of_the_site(setting: str, value: object) -> None:
    with pytest.raises(ConfigurationError, match="is no selector"):
        extractor(**{setting: value})


def test_the_digest_follows_what_is_indexed_and_nothing_else() -> None:
    page = "<title>t</title><p>text</p><!-- {} --><a href='/{}'></a>"
    assert extract(page.format(1, 1)).content_digest == extract(page.format(2, 2)).content_digest
    assert extract("<p>a</p>").content_digest != extract("<p>b</p>").content_digest
    assert (
        extract("<p>a</p>").content_digest
        != extract('<meta name=date content="2024-01-01"><p>a</p>').content_digest
    )


@given(st.binary(max_size=400))
@example(b"<frameset><frame src=a></frameset>")
@example(b"<base href='http://['><a href='http://['>")
@example(b"<nav hidden role=navigation><script hidden></nav>")
@example(b"<xmp hidden><xmp></xmp><plaintext hidden>")
@example(b"<h1><nav><h1></nav><template><h1>")
def test_any_bytes_are_a_page(body: bytes) -> None:
    page = extract(body, content_type="text/html")
    assert extract(body, content_type="text/html").content_digest == page.content_digest
    assert set(page.followable) <= set(page.links)


tags = st.sampled_from(
    ["nav", "div", "main", "article", "footer", "h1", "p", "script", "template", "xmp", "svg", "b"]
)


@given(st.lists(st.tuples(tags, st.booleans(), st.booleans()), max_size=30))
def test_any_nesting_is_a_page(parts: list[tuple[str, bool, bool]]) -> None:
    html = "".join(
        f"</{tag}>" if closes else f"<{tag}{' hidden' if hidden else ''}>w "
        for tag, closes, hidden in parts
    )
    assert extract(f"<body>{html}", leave_out_selectors=("nav div", "p")).content_digest


def test_a_frameset_is_followed() -> None:
    page = extract("<frameset><frame src=left.html><frame src=/right.html></frameset>")
    assert page.followable == ("https://h.test/dir/left.html", "https://h.test/right.html")
    assert page.text == ""
    assert URL not in page.links
