"""Each word of a page is kept, or left out for a reason (docs/spec/08-shell.md, 8.5)."""

from __future__ import annotations

from typing import Any

from site_indexer.crawling.page_account import Account
from tests.unit.crawling.pages import extractor, response


def account(body: str, **settings: Any) -> Account:
    answer = response(f"<title>Tides</title><body>{body}")
    reader = extractor(**settings)
    page = reader.extract(answer)
    assert page is not None
    found = reader.account(answer, page)
    assert found is not None
    assert found.unaccounted == 0
    return found


def test_a_marked_main_part() -> None:
    found = account(
        "<nav>one two</nav><p>three<main>kept kept<nav>four</nav><p hidden>five</p></main>"
        "<footer>six seven</footer><script>var x</script><noscript>eight</noscript>"
    )
    assert (found.all, found.kept, found.main_part) == (10, 2, "main")
    assert found.left_out == {
        "navigation": 3,
        "not shown": 1,
        "media and fallbacks": 1,
        "outside the main part": 3,
    }


def test_furniture_by_its_sign() -> None:
    found = account(
        "<div><a href=/a>one</a> <a href=/b>two</a></div><div><h1>Tides</h1>"
        f"<p>{'kept ' * 30}</div><div class=menu>three</div><footer>four</footer>"
        "<p>© five 2020"
    )
    assert (found.kept, found.main_part) == (31, "body")
    assert found.left_out == {
        "furniture: a block of links": 2,
        "furniture: its class or id": 1,
        "furniture: its element or role": 1,
        "furniture: a notice of copyright": 2,
    }


def test_what_a_site_chooses_and_leaves_out() -> None:
    found = account(
        "<main>one<div class=body>kept <b class=ad>two</b></div></main>",
        content_selectors=(".body",),
        leave_out_selectors=(".ad",),
    )
    assert (found.kept, found.main_part) == (1, "selector")
    assert found.left_out == {"left out by the site": 1, "outside the main part": 1}


def test_what_the_page_marks_off() -> None:
    found = account("<p>kept<!--noindex-->one two<!--/noindex--><noindex>three</noindex>")
    assert (found.all, found.kept) == (4, 1)
    assert found.left_out == {"marked off by the page": 3}


def test_little_would_be_left() -> None:
    found = account("<h1>Index</h1><div class=toc>" + "<a href=/x>word</a> " * 20 + "</div>")
    assert (found.kept, found.left_out) == (21, {})


def test_only_html_has_an_account() -> None:
    answer = response("text", content_type="text/plain")
    reader = extractor()
    page = reader.extract(answer)
    assert page is not None
    assert reader.account(answer, page) is None
