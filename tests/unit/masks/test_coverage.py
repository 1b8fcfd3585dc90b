"""docs/spec/03-planning.md, *What is dropped*: which masks cover, or miss, others."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import Mask, MaskError, compile_mask, covers, disjoint
from site_indexer.urls import MaskKind

TEXTS = {
    MaskKind.PREFIX: st.text(st.sampled_from("ab/?"), max_size=3).map("https://h/{}".format),
    MaskKind.WILDCARD: st.text(st.sampled_from("ab/?*'"), min_size=1, max_size=5).map("*{}".format)
    | st.text(st.sampled_from("ab*"), max_size=4).map("https://h/{}*".format),
    MaskKind.REGEXP: st.sampled_from(["a", "^https://h/a", "^https://h/[ab]$", ".*", "b$", ""]),
}
MASKS = st.sampled_from(MaskKind).flatmap(
    lambda kind: TEXTS[kind].map(lambda text: compile_mask(text, kind))
)
URLS = st.text(st.sampled_from("aab/?'"), max_size=5).map("https://h/{}".format)


def mask(text: str) -> Mask:
    if text.startswith("regexp "):
        return compile_mask(text.removeprefix("regexp "), MaskKind.REGEXP)
    return compile_mask(text, MaskKind.WILDCARD if "*" in text else MaskKind.PREFIX)


@pytest.mark.parametrize(
    ("wider", "narrower", "expected"),
    [
        ("https://h/", "https://h/a/", True),
        ("https://h/a", "https://h/a", True),
        ("https://h/a/", "https://h/a", False),
        ("HTTPS://H:443/%7Ea", "https://h/~a/b", True),
        ("https://h/", "https://h/*.pdf", True),
        ("https://h/", "*.pdf", False),
        ("https://h/", r"regexp ^https://h/a.*\.pdf$", True),
        ("https://h/", "regexp h/a", False),
        ("*", "https://h/", True),
        ("*", "regexp a", True),
        ("https://h/*", "https://h/", True),
        ("*.pdf", "https://h/*.pdf", True),
        ("*.pdf", "https://h/a.pdf", False),
        ("https://h/*b*.pdf", "https://h/a/b/*.pdf", True),
        ("https://h/*.pdf", "*.pdf", False),
        ("regexp a+", "regexp a+", True),
        ("regexp .*", "https://h/", False),
    ],
)
def test_covers(wider: str, narrower: str, *, expected: bool) -> None:
    assert covers(mask(wider), mask(narrower)) is expected


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("https://h/a/", "https://h/b/", True),
        ("https://h/a", "https://h/ab", False),
        ("https://h/", "*.pdf", False),
        ("https://h/*.pdf", "https://i/*.pdf", True),
        ("regexp ^https://h/a", "https://h/b", True),
    ],
)
def test_disjoint(one: str, other: str, *, expected: bool) -> None:
    assert disjoint(mask(one), mask(other)) is expected
    assert disjoint(mask(other), mask(one)) is expected


@given(MASKS, MASKS, URLS)
def test_what_is_said_of_two_masks_holds_for_every_url(one: Mask, other: Mask, url: str) -> None:
    if covers(one, other):
        assert one.matches(url) or not other.matches(url)
    if disjoint(one, other):
        assert not (one.matches(url) and other.matches(url))


@given(MASKS)
def test_every_mask_covers_itself_and_nothing_disjoint(one: Mask) -> None:
    assert covers(one, one)
    assert not disjoint(one, one)


def test_a_covering_that_only_one_reading_has_is_none() -> None:
    with pytest.raises(MaskError):
        mask("h/")
    assert not covers(mask("*%27*"), mask("*'*"))
    assert covers(mask("*'*"), mask("*a'*"))
