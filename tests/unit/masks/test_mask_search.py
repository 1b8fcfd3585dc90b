"""Searching for many masks at once is asking each of them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import Mask, compile_mask, mask_search
from site_indexer.masks.expressions import ExpressionError, ExpressionFilter, TextSet
from site_indexer.masks.mask_search import searches
from site_indexer.urls import MaskKind


def wildcards(*texts: str) -> list[tuple[int, Mask]]:
    return [(place, compile_mask(text, MaskKind.WILDCARD)) for place, text in enumerate(texts)]


def expressions(*texts: str) -> list[tuple[int, Mask]]:
    return [(place, compile_mask(text, MaskKind.REGEXP)) for place, text in enumerate(texts)]


def found(masks: Sequence[tuple[int, Mask]], url: str) -> list[int]:
    return sorted({place for search in searches(masks) for place in search(url)})


PARTS = st.lists(st.sampled_from(["a", "ab", "b/", "/", "'", "%C3", "", "pdf"]), max_size=3)
WILDCARDS = PARTS.map(lambda parts: compile_mask("*" + "*".join(parts), MaskKind.WILDCARD))
EXPRESSIONS = st.sampled_from(
    [
        "a",
        "ab$",
        "^https://h/[ab]+$",
        "(ab)?b/",
        "a+b",
        "ab*",
        "a{2}",
        "ab|pdf",
        "(?i)PDF",
        r"\.",
        "",
    ]
).map(lambda text: compile_mask(text, MaskKind.REGEXP))
URLS = st.lists(st.sampled_from(["a", "b", "ab", "/", "'", "%27", "%C3", ".", "pdf", "?", "A"]))


@given(st.lists(st.one_of(WILDCARDS, EXPRESSIONS), max_size=40), URLS.map("".join))
def test_all_that_match_are_found(masks: list[Mask], path: str) -> None:
    url = f"https://h/{path}"
    expected = [place for place, mask in enumerate(masks) if mask.matches(url)]
    assert found(list(enumerate(masks)), url) == expected


def test_masks_that_share_all_their_texts_are_found_by_their_expressions() -> None:
    masks = expressions(*(f"/page[0-9]{{{number}}}$" for number in range(1, 40)))
    assert found(masks, "https://h/page123") == [2]
    assert found(masks, "https://h/pages") == []


def test_more_masks_than_one_pass_takes_are_found_in_several() -> None:
    masks = wildcards(*(f"*/{number:05}/*.html" for number in range(5_000)))
    assert len(list(searches(masks))) == 3
    assert found(masks, "https://h/04321/a.html") == [4321]


def test_a_search_that_takes_too_much_is_halved(monkeypatch: pytest.MonkeyPatch) -> None:
    class FewTexts(TextSet):
        def __init__(self, texts: Sequence[str]) -> None:
            if len(texts) > 3 or "bad" in texts[0]:
                raise ExpressionError
            super().__init__(texts)

    class FewExpressions(ExpressionFilter):
        def __init__(self, patterns: Sequence[str], labels: Sequence[int]) -> None:
            if len(patterns) > 3 or "y" in patterns[0]:
                raise ExpressionError
            super().__init__(patterns, labels)

    monkeypatch.setattr(mask_search, "TextSet", FewTexts)
    monkeypatch.setattr(mask_search, "ExpressionFilter", FewExpressions)
    texts = wildcards("*bad*", *(f"*text{number}*" for number in range(9)))
    assert found(texts, "https://h/bad-text7-text3") == [0, 4, 8]
    whole = expressions("y|bad", *(f"x{number}|text{number}" for number in range(9)))
    assert found(whole, "https://h/bad-text7-text3") == [0, 4, 8]


class NoText(TextSet):
    """Runs out of memory at every URL."""

    def found_in(self, text: str) -> list[int] | None:
        return None


class NoExpression(ExpressionFilter):
    """Runs out of memory at every URL."""

    def matching(self, text: str) -> list[int] | None:
        return None


def test_out_of_memory_is_not_taken_for_nothing_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mask_search, "TextSet", NoText)
    monkeypatch.setattr(mask_search, "ExpressionFilter", NoExpression)
    assert found(wildcards("*.pdf", "*.zip"), "https://h/a.pdf") == [0]
    assert found(expressions("[ab]", "[cd]"), "https://h/a") == [0]
