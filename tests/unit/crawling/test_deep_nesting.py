from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.deep_nesting import MAX_DEPTH, _depth, flattened


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


@given(st.lists(st.sampled_from(["<div>", "</div>", "<b>", "</b>", "<p>", "x"]), max_size=40))
def test_depth_is_that_of_a_count_that_never_falls_below_nothing(pieces: list[str]) -> None:
    depth = deepest = 0
    for piece in pieces:
        if piece in ("<div>", "<b>"):
            depth += 1
        elif piece.startswith("</"):
            depth = max(0, depth - 1)
        deepest = max(deepest, depth)
    assert _depth("".join(pieces)) == deepest
