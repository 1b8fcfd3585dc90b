"""docs/spec/02-urls-and-masks.md, *Masks*: wildcards."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.masks import MaskError, compile_mask
from site_indexer.masks.expressions import ExpressionSet
from site_indexer.masks.wildcards import as_re2, compile_reading
from site_indexer.urls import MaskKind, normalize

PARTS = st.text(st.sampled_from("aab/.?"), max_size=3)
NORMALIZED = st.builds(
    "https://{}/{}".format,
    st.sampled_from(["h", "www.example.com", "x.y:8080"]),
    st.text(st.sampled_from("ab01/.-_~?=&+'{}^@%é "), max_size=12),
).map(normalize)


def matches(mask: str, url: str) -> bool:
    return compile_mask(mask, MaskKind.WILDCARD).matches(url)


@pytest.mark.parametrize(
    ("mask", "url", "expected"),
    [
        # against the whole URL
        ("*.pdf", "https://h/a.pdf", True),
        ("*.pdf", "https://h/a.pdf?x", False),
        ("h/*", "https://h/a", False),
        # any run of characters: slashes too, none too
        ("https://h/*.html", "https://h/a/b/c.html", True),
        ("https://h/*.html", "https://h/.html", True),
        ("https://h/a*b*c", "https://h/abc", True),
        ("https://h/*/index.html", "https://h/index.html", False),
        ("*", "https://h/", True),
        ("**", "https://h/", True),
        # the parts may not overlap
        ("https://h/aba*aba", "https://h/ababa", False),
        ("https://h/aba*aba", "https://h/abaaba", True),
        # a ? is no wildcard
        ("https://h/a?*", "https://h/a?q", True),
        ("https://h/a?*", "https://h/abq", False),
        ("*?page=*", "https://h/list?page=2", True),
        # a star stands for line ends and for stars as well
        ("https://h/*b", "https://h/a*b", True),
        # case counts in the path
        ("*.PDF", "https://h/a.pdf", False),
        ("*.PDF", "https://h/a.PDF", True),
    ],
)
def test_wildcard(mask: str, url: str, *, expected: bool) -> None:
    assert matches(mask, url) is expected


@pytest.mark.parametrize(
    ("mask", "url"),
    [
        ("HTTPS://WWW.Example.com:443/*", "https://www.example.com/a"),
        ("https://user:secret@h/*", "https://h/a"),
        ("https://bücher.example/*", "https://xn--bcher-kva.example/a"),
        ("https://h/a/../b/*", "https://h/b/c"),
        ("https://h?q=*", "https://h/?q=1"),
        # stars in the host, or in place of the scheme
        ("https://*.Example.com:443/*", "https://a.example.com/b"),
        ("https://*.bücher.example/*", "https://a.xn--bcher-kva.example/b"),
        ("http://WWW.*.Com:80/x", "http://www.a.com/x"),
        ("*://WWW.Example.com/*", "http://www.example.com/a"),
        ("HTTP*://H/*", "https://h/a"),
        ("https://*.H./x", "https://a.h/x"),
        # what follows a star may be of the path too, where case counts
        ("https://*.D/x", "https://h/A.D/x"),
        ("https://*.PDF", "https://h/a.PDF"),
        ("https://*Photos*", "https://h/Photos/1"),
        ("https://*a@B/c", "https://h/a@B/c"),
        # percent sequences and characters that browsers escape
        ("*/%7Ejoe/*", "https://h/~joe/a"),
        ("*%2fa*", "https://h/%2Fab"),
        ("*été*", "https://h/%C3%A9t%C3%A9"),
        ("*/100%/*", "https://h/100%25/a"),
        ("*/a b/*", "https://h/a%20b/c"),
        # a star may cut a percent sequence
        ("https://h/%2*", "https://h/%2F"),
        ("*%c*", "https://h/%C3%A9"),
        ("*%*", "https://h/%C3%A9"),
        # characters that are written one way in the path and another in the query
        ("*{x}*", "https://h/%7Bx%7D"),
        ("*{x}*", "https://h/?{x}"),
        ("*it's*", "https://h/it's"),
        ("*it's*", "https://h/?it%27s"),
        ("*'*'*", "https://h/'?%27"),
        ("*/'?'*", "https://h/'?%27"),
        ("https://h/?*'", "https://h/?%27"),
        # the fragment is dropped
        ("https://h/*.html#top", "https://h/a.html"),
    ],
)
def test_the_parts_are_normalized_as_far_as_they_are_of_a_url(mask: str, url: str) -> None:
    assert normalize(url) == url
    assert matches(mask, url)


@pytest.mark.parametrize(
    ("mask", "url"),
    [
        ("https://h/?*'", "https://h/?'"),
        ("https://*.D/x", "https://h/A.d/y"),
        ("https://*PHOTOS*", "https://h/photos"),
        ("https://*.PDF", "https://h/a.pdf"),
    ],
)
def test_normalizing_widens_nothing(mask: str, url: str) -> None:
    assert not matches(mask, url)


def test_a_mask_has_one_reading_where_path_and_query_spell_it_alike() -> None:
    mask = compile_mask("https://h/*a*b?c*.html", MaskKind.WILDCARD)
    assert mask.readings == (("https://h/", "a", "b?c", ".html"),)


def test_very_many_stars_stay_few_readings() -> None:
    assert len(compile_mask("'*" * 200, MaskKind.WILDCARD).readings) == 2


@pytest.mark.parametrize("mask", ["*#x*", "*#x", "https://h/*#*", "https://h/#/*"])
def test_a_mask_that_asks_for_a_fragment_does_not_come_to_mean_everything(mask: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.6."""
    with pytest.raises(MaskError, match="which no stored URL has") as caught:
        compile_mask(mask, MaskKind.WILDCARD)
    assert "%23" in caught.value.hint
    assert matches("*%23x*", "https://h/a%23x")


@pytest.mark.parametrize("mask", ["#*", "#top*", "https://h:99999/*", "https://*.ex ample\u00e9/x"])
def test_masks_that_name_nothing_are_errors(mask: str) -> None:
    with pytest.raises(MaskError) as caught:
        compile_mask(mask, MaskKind.WILDCARD)
    assert mask in caught.value.message


@pytest.mark.parametrize(
    ("mask", "prefix"),
    [
        ("https://h/a*b", "https://h/a"),
        ("*.pdf", ""),
        ("https://*.Foo/x", "https://"),
        ("HTTP*://Foo/x", "http"),
        ("https://h/?'*", "https://h/?%27"),
    ],
)
def test_the_literal_prefix_ends_at_the_first_star(mask: str, prefix: str) -> None:
    assert compile_mask(mask, MaskKind.WILDCARD).literal_prefix == prefix


@given(st.lists(PARTS, min_size=1, max_size=5).map(tuple), st.text(st.sampled_from("aab/.?")))
def test_matching_is_that_of_a_regular_expression(parts: tuple[str, ...], text: str) -> None:
    for candidate in (text, "b".join(parts), "".join(parts) + text):
        expected = re.fullmatch(".*".join(map(re.escape, parts)), candidate) is not None
        assert compile_reading(parts)(candidate) is expected
        assert bool(ExpressionSet([as_re2(parts)]).matching(candidate)) is expected


@given(NORMALIZED, st.data())
@example("https://h/a.%2F/x", None)
def test_a_url_with_parts_starred_out_matches_itself(url: str, data: st.DataObject | None) -> None:
    cuts = [9, 11] if data is None else sorted(data.draw(st.sets(st.integers(0, len(url)))))
    pieces = [url[i:j] for i, j in zip([0, *cuts], [*cuts, len(url)], strict=True)]
    assert matches("*".join(pieces[::2]) + "*" * (len(pieces) % 2 == 0), url)
