"""What the web sends is read in time that grows with its length, not with the square of it.

Each input here once took minutes or hours at this size; now it takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from site_indexer.crawling.costly_formatting import without_costly_formatting
from site_indexer.crawling.costly_markup import MAX_OPTIONS, thinned
from site_indexer.crawling.deep_nesting import flattened
from site_indexer.crawling.page_text import text_of_markup
from site_indexer.crawling.robots_rules import RobotsRules
from site_indexer.crawling.sitemaps import looks_like_sitemap
from site_indexer.crawling.xhtml import html_of_xhtml
from tests.unit.crawling.pages import extract

pytestmark = pytest.mark.timeout(60)

_N = 200_000
_DIFFERENT = "".join(f"<b a{n}>" for n in range(30_000))
_OPEN_OPTIONS = "<option>" * 2 * MAX_OPTIONS


@pytest.mark.parametrize(
    ("read", "markup"),
    [
        (thinned, "<div </div " * _N),
        (thinned, _OPEN_OPTIONS + "<option </option " * _N),
        (thinned, "<body>" * 200 + "<body </body " * _N),
        (thinned, "<a" * _N),
        (thinned, '<a"' * _N),
        (thinned, "<p " + 'a=""' * _N),
        (thinned, "<a/x=" * _N),
        (thinned, "<a/x=y" * _N),
        (flattened, "<div </div " * _N),
        (flattened, "<div>" * 5_000 + "<div </div " * _N),
        (without_costly_formatting, "<b " * 2 * _N),
        (without_costly_formatting, _DIFFERENT + "<b " * 2 * _N),
        (text_of_markup, "text <script>" + "<b " * _N + '"</script>'),
        (text_of_markup, "text <script>" + "<a " * _N + '"</script>'),
        (text_of_markup, "text <script>" + "<img " * _N + '"</script>'),
        (text_of_markup, "text <script>" + "<x " * 2 * _N + '"</script>'),
        (text_of_markup, "text <script>" + '<x " " ' * _N + '"</script>'),
        (text_of_markup, "text <script>" + "<!-- " * _N + "</script>"),
        (html_of_xhtml, "x" + " " * 2 * _N + "x"),
        (html_of_xhtml, "<?xml " * _N),
    ],
    ids=[
        "tags without end",
        "options without end",
        "bodies without end",
        "names in names",
        "quotes in names",
        "glued attributes",
        "tags in values",
        "tags after values",
        "containers without end",
        "deep containers without end",
        "formatting without end",
        "much formatting without end",
        "inline in script",
        "links in script",
        "images in script",
        "others in script",
        "quotes in script",
        "comments in script",
        "white space in xml",
        "declarations",
    ],
)
def test_markup(read: Callable[[str], object], markup: str) -> None:
    assert read(markup)


def test_the_root_of_a_sitemap_behind_many_comments() -> None:
    for what in (b"<!---->", b"<??>", b"<!doctype x>", b"<!----> \n"):
        assert not looks_like_sitemap(b"<!DOCTYPE html>" + what * _N + b"<html>")
        assert looks_like_sitemap(what * _N + b"<urlset>")


def test_a_line_of_robots_txt_that_is_mostly_spaces() -> None:
    body = b"a" + b" " * 2 * _N + b"b\nuser-agent: *\ndisallow: /x\nb  : \n"
    assert not RobotsRules.parse(body, "https://h.test/robots.txt").allows("https://h.test/x")


def test_a_link_header_of_many_beginnings() -> None:
    link = "<" * 4 * _N + 'https://h.test/a>; rel="canonical"'
    page = extract("<title>t</title>", ("link", link))
    assert page.canonical == "https://h.test/a"


def test_comments_before_the_first_element() -> None:
    comments = "<!-- noindex -->" + "<!---->" * 3 * _N
    page = extract(f"{comments}<html><body><p>out</p><!-- /noindex --><p>in</p>")
    assert page.text == "in"
