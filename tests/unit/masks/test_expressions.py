"""RE2 as masks use it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import expressions
from site_indexer.masks.expressions import (
    Expression,
    ExpressionError,
    ExpressionFilter,
    ExpressionSet,
    quote,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(TEXTS, TEXTS)
def test_a_quoted_text_matches_itself_and_nothing_else(text: str, other: str) -> None:
    expression = Expression(rf"\A{quote(text)}\z")
    assert expression.found_in(text)
    assert expression.found_in(other) is (text == other)


def test_a_set_finds_all_its_members_in_one_pass() -> None:
    several = ExpressionSet(["a", "^b", "c$", ""])
    assert sorted(several.matching("abc") or ()) == [0, 2, 3]
    assert several.matching("x") == [3]
    assert ExpressionSet([]).matching("x") == []
    assert ExpressionSet(["a"]).matching("x") == []


def test_a_filter_finds_what_a_set_finds_in_urls() -> None:
    patterns = ["a", "^b", "c$", "", "[0-9]", "(?i)HTTP"]
    several = ExpressionFilter(patterns, range(10, 16))
    assert several.matching("https://a.c") == [10, 12, 13, 15]
    assert several.matching("https://x") == [13, 15]
    assert several.matching("x") is None
    assert ExpressionFilter([], []).matching("http:") == []


@pytest.mark.parametrize("bad", ["(b", "\ud800"])
def test_one_bad_member_is_an_error(bad: str) -> None:
    with pytest.raises(ExpressionError):
        ExpressionSet(["a", bad])
    with pytest.raises(ExpressionError):
        ExpressionFilter(["a", bad], [0, 1])


class WithoutMemory(ExpressionSet):
    """A set that runs out of memory at every text."""

    def matching(self, text: str) -> list[int] | None:
        return None


def test_a_set_out_of_memory_is_not_taken_for_nothing_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(expressions, "ExpressionSet", WithoutMemory)
    assert Expression("b").found_in("abc")
    assert not Expression("x").found_in("abc")


@pytest.mark.parametrize(
    ("pattern", "prefix"),
    [("abc", "abc"), ("ab+", "ab"), ("a|b", ""), ("(?i)a", ""), (".*", ""), ("é", "é")],
)
def test_the_prefix_of_every_match(pattern: str, prefix: str) -> None:
    assert Expression(pattern).prefix_of_matches() == prefix
