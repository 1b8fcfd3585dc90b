"""Markup that a parser would take minutes for is thinned out; what people read stays."""

from __future__ import annotations

import re

import pytest

from site_indexer.crawling import costly_markup
from site_indexer.crawling.costly_markup import MAX_ATTRIBUTES, MAX_OPTIONS, thinned
from tests.unit.crawling.pages import extract


def attributes(count: int, prefix: str = "a") -> str:
    return " ".join(f"{prefix}{i}='>'" if i % 2 else f"{prefix}{i}" for i in range(count))


@pytest.mark.parametrize(
    "markup",
    [
        "<div><p class=x title='a > b'>text</p></div>" * 5_000,
        "<select>" + "<option value=1>x</option>" * 1_000 + "</select>",
        f"<p {attributes(MAX_ATTRIBUTES)}>" * 50,
    ],
    ids=["page", "list", "attributes"],
)
def test_other_pages_stay_as_they_are(markup: str) -> None:
    assert thinned(markup) == (markup, ())


def test_attributes_too_many_are_dropped_and_the_tag_stays() -> None:
    markup, warnings = thinned(f"<p>a</p><p {attributes(40_000)}>b<p {attributes(9_000)} />c")
    assert len(re.findall(r"a\d+", markup)) == 2 * MAX_ATTRIBUTES
    assert extract(f"<title>t</title>{markup}").text == "a\nb\nc"
    assert len(warnings) == 1


@pytest.mark.parametrize(
    ("start", "end"),
    [("<script>if (a<b ", "</script>"), ("<!-- a <b ", "-->"), ("<!-- <b ", " -->")],
)
def test_scripts_and_comments_that_look_like_tags_still_end(start: str, end: str) -> None:
    assert extract(f"<title>t</title>{start}{'word ' * 30_000}word{end}<p>text</p>").text == "text"


def test_options_too_many_become_words() -> None:
    items = "".join(f"<option value='{i}'>{i}</option>" for i in range(3 * MAX_OPTIONS))
    markup, warnings = thinned(f"<select>{items}</select><p>end</p>")
    assert markup.count("<option") == MAX_OPTIONS
    assert extract(markup).text.split() == [*map(str, range(3 * MAX_OPTIONS)), "end"]
    assert len(warnings) == 1


def test_only_the_first_of_many_bodies_have_attributes() -> None:
    bodies = "".join(f"<body b{i}=1><html h{i}=1>x" for i in range(30_000))
    page = extract(f"<title>t</title>{bodies}")
    assert page.text == "x" * 30_000
    assert len(page.warnings) == 1


@pytest.mark.parametrize(
    "shape", ["menu", "small", "dir", "dialog", "pre", "search", "hgroup", "figcaption", "nobr"]
)
def test_all_elements_that_are_costly_when_nested_are_flattened(shape: str) -> None:
    page = extract(f"<{shape}>" * 100_000 + "x")
    assert page.text == "x"
    assert len(page.warnings) == 1


def test_behind_very_many_tags_the_text_stays_and_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(costly_markup, "MAX_TAGS", 12_000)
    page = extract('<p><a href="/a">x</a>' * 5_000 + "<script>'<b>'</script><i>end</i>ing")
    assert page.text.count("x") == 5_000
    assert page.text.endswith("ending") or page.text.endswith("end ing")
    (warning,) = page.warnings
    assert "more than 12000 tags" in warning
    assert "3003 tags, links among them, are dropped" in warning
