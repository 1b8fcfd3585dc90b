"""Many masks at once give what each of them gives alone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import UrlMask, compile_mask, mask_index
from site_indexer.masks.expressions import ExpressionError, ExpressionSet
from site_indexer.masks.mask_index import MaskIndex
from site_indexer.urls import MaskKind


@dataclass(frozen=True)
class EndsWith:
    """A mask of another class than the product's own."""

    end: str

    def matches(self, url: str) -> bool:
        return url.endswith(self.end)


MASKS = st.one_of(
    st.text(st.sampled_from("ab/"), max_size=4).map(
        lambda text: compile_mask(f"https://h/{text}", MaskKind.PREFIX)
    ),
    st.text(st.sampled_from("ab/*'"), max_size=4).map(
        lambda text: compile_mask(f"*{text}", MaskKind.WILDCARD)
    ),
    st.sampled_from(["a", "b$", "^https://h/[ab]+$", "[[:<:]]a", "^.*a/b"]).map(
        lambda text: compile_mask(text, MaskKind.REGEXP)
    ),
    st.sampled_from("ab/").map(EndsWith),
)
URLS = st.text(st.sampled_from("aab/"), max_size=6).map("https://h/{}".format)


@given(st.lists(MASKS, max_size=30), st.lists(URLS, min_size=1, max_size=5))
def test_the_index_finds_what_every_mask_alone_finds(masks: list[UrlMask], urls: list[str]) -> None:
    index = MaskIndex(masks)
    for url in urls:
        expected = [place for place, mask in enumerate(masks) if mask.matches(url)]
        assert index.matching(url) == expected


def test_expressions_that_no_set_has_memory_for_are_asked_one_by_one() -> None:
    huge = [f"x{{1,1000}}y{{1,1000}}z{{1,1000}}{number}" for number in range(25)]
    with pytest.raises(ExpressionError):
        ExpressionSet(huge)
    index = MaskIndex([compile_mask(text, MaskKind.REGEXP) for text in huge])
    assert index.matching("https://h/xyz7") == [7]


class WithoutMemory(ExpressionSet):
    """A set that runs out of memory at every URL."""

    def matching(self, text: str) -> list[int] | None:
        return None


def test_a_set_out_of_memory_is_not_taken_for_nothing_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mask_index, "ExpressionSet", WithoutMemory)
    index = MaskIndex([compile_mask("*.pdf", MaskKind.WILDCARD)])
    assert index.matching("https://h/a.pdf") == [0]
