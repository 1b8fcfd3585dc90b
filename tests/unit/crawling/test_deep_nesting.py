from __future__ import annotations

from site_indexer.crawling.deep_nesting import MAX_DEPTH, flattened


def test_ordinary_pages_stay_as_they_are() -> None:
    wide = "<div><p>text</p></div>" * 30_000
    assert flattened(wide) == (wide, False)


def test_what_is_too_deep_loses_its_containers_and_nothing_else() -> None:
    deep = "<div class='a'>" * 30_000 + "<a href=/x>x</a><p>y</p>" + "</div>" * 30_000 + "<p>z</p>"
    markup, was_deep = flattened(deep)
    assert was_deep
    assert markup.count("<div") == markup.count("</div>") == MAX_DEPTH
    assert markup.replace("<div class='a'>", "").replace("</div>", "").split() == [
        "<a",
        "href=/x>x</a><p>y</p>",
        "<p>z</p>",
    ]
