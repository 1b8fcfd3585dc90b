"""Many masks at once give what each of them gives alone."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import UrlMask, compile_mask
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
    st.sampled_from(
        [
            "a",
            "b$",
            "^https://h/[ab]+$",
            "[[:<:]]a",
            "^.*a/b",
            "(?i)B/A",
            "A",
            "",
            ".",
            "%C3%A9",
            "K",
        ]
    ).map(lambda text: compile_mask(text, MaskKind.REGEXP)),
    st.sampled_from("ab/").map(EndsWith),
)
PIECES = st.sampled_from(["a", "a", "b", "/", "A", "B", "%C3%A9", "%c3", "k"])
URLS = st.lists(PIECES, max_size=6).map("".join).map("https://h/{}".format)


@given(st.lists(MASKS, max_size=30), st.lists(URLS, min_size=1, max_size=5))
def test_the_index_finds_what_every_mask_alone_finds(masks: list[UrlMask], urls: list[str]) -> None:
    index = MaskIndex(masks)
    for url in urls:
        expected = [place for place, mask in enumerate(masks) if mask.matches(url)]
        assert index.matching(url) == expected


@given(st.lists(MASKS, max_size=30), st.lists(URLS, min_size=1, max_size=5))
def test_the_first_is_the_first_of_all(masks: list[UrlMask], urls: list[str]) -> None:
    index = MaskIndex(masks)
    for url in urls:
        assert index.first(url) == next(iter(index.matching(url)), None)


def test_what_is_no_url_is_searched_too() -> None:
    """The planner asks with texts that stand for many URLs."""
    index = MaskIndex(
        [compile_mask("*.pdf", MaskKind.WILDCARD), compile_mask("x", MaskKind.REGEXP)]
    )
    assert index.matching("\0.pdf") == [0]
    assert index.matching("x") == [1]
