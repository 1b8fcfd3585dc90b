from __future__ import annotations

from tests.unit.crawling.pages import URL, extract

H = "https://h.test"


def test_links_are_normalized_each_once_and_in_order() -> None:
    page = extract(
        '<a href="b.html">b</a><a href="/a#x">a</a><a href=" HTTPS://H.test/%7ea ">~a</a>'
        '<a href="b.html#y">again</a><a href="https://else.test">else</a><area href="?q=1">'
    )
    assert page.links == (
        f"{H}/dir/b.html",
        f"{H}/a",
        f"{H}/~a",
        "https://else.test/",
        f"{H}/dir/page.html?q=1",
    )
    assert page.followable == (f"{H}/dir/b.html", f"{H}/a", f"{H}/~a", f"{H}/dir/page.html?q=1")


def test_links_are_relative_to_the_base_element() -> None:
    assert extract('<base href="/x/"><a href="y">').links == (f"{H}/x/y",)
    assert extract('<base target=_top><base href="x/"><a href="y">').links == (f"{H}/dir/x/y",)


def test_what_leads_to_no_page_is_no_link() -> None:
    page = extract(
        f'<a href="#top">top</a><a href="{URL}#top">top</a><a href="mailto:a@b.test">m</a>'
        '<a href="javascript:x()">j</a><a href="http://[">broken</a><a name="anchor">n</a>'
        '<a href="tel:1">t</a><link href="/style.css" rel=stylesheet><a href="/ok">ok</a>'
    )
    assert page.links == (f"{H}/ok",)


def test_nofollow_links_are_listed_and_not_followed() -> None:
    page = extract(
        '<a rel="external NOFOLLOW" href="/no">n</a><a rel=nofollow href="/both">b</a>'
        '<a href="/both">b</a><a rel=follow href="/yes">y</a>'
    )
    assert page.links == (f"{H}/no", f"{H}/both", f"{H}/yes")
    assert page.followable == (f"{H}/both", f"{H}/yes")
