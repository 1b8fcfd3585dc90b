"""docs/spec/02-urls-and-masks.md, *Masks*: what all kinds have in common, and prefixes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import UrlError
from site_indexer.masks import MaskError, check_mask, compile_mask
from site_indexer.urls import MaskKind, normalize

URLS = st.builds(
    "https://{}/{}".format,
    st.sampled_from(["h", "www.example.com", "x.y:8080"]),
    st.text(st.sampled_from("abAB01/.-_~?=&+'{}^%é "), max_size=12),
).map(normalize)


@pytest.mark.parametrize(
    ("mask", "url", "matches"),
    [
        # every URL that starts with it
        ("https://www.example.com/photos", "https://www.example.com/photos", True),
        ("https://www.example.com/photos", "https://www.example.com/photos.html", True),
        ("https://www.example.com/photos", "https://www.example.com/photos/a.html", True),
        ("https://www.example.com/photos", "https://www.example.com/photo", False),
        # with a slash at the end: only what is inside the folder
        ("https://www.example.com/photos/", "https://www.example.com/photos/a.html", True),
        ("https://www.example.com/photos/", "https://www.example.com/photos.html", False),
        ("https://www.example.com/photos/", "https://www.example.com/photos", False),
        # compared in the normalized form: scheme, host, port, percent sequences
        ("HTTPS://WWW.Example.COM:443/Ph", "https://www.example.com/Photos", True),
        ("https://www.example.com/ph", "https://www.example.com/Photos", False),
        ("https://h/%7Ejoe", "https://h/~joe/a", True),
        ("https://h/%2fa", "https://h/%2Fab", True),
        ("https://h/é", "https://h/%C3%A9t%C3%A9", True),
        ("http://h/", "https://h/", False),
        # scheme and host alone mean that host
        ("https://h.example", "https://h.example/a", True),
        ("https://h.example", "https://h.example.evil.test/", False),
        ("https://h.example", "https://h.example:8080/", False),
        # a fragment is dropped, a ? at the end stays
        ("https://h/a#top", "https://h/ab", True),
        ("https://h/a?", "https://h/a?b", True),
        ("https://h/a?", "https://h/a", False),
    ],
)
def test_prefix(mask: str, url: str, *, matches: bool) -> None:
    assert compile_mask(mask, MaskKind.PREFIX).matches(url) is matches


@pytest.mark.parametrize("text", ["www.example.com/", "/photos", "ftp://h/", "https://", ""])
def test_a_prefix_without_scheme_and_host_is_an_error(text: str) -> None:
    with pytest.raises(MaskError):
        compile_mask(text, MaskKind.PREFIX)


def test_an_error_shows_the_mask_as_it_was_written() -> None:
    for text in ("h/", "https://h:99999/a", "https://h:99999"):
        with pytest.raises(MaskError) as caught:
            compile_mask(text, MaskKind.PREFIX)
        assert text in caught.value.message
        assert text + "z" not in str(caught.value)
        assert caught.value.hint


def test_check_mask_gives_a_sentence_or_none() -> None:
    assert check_mask(MaskKind.PREFIX, "https://h/") is None
    assert check_mask(MaskKind.WILDCARD, "*.pdf") is None
    assert check_mask(MaskKind.REGEXP, "^a") is None
    sentence = check_mask(MaskKind.PREFIX, "h/")
    assert sentence is not None
    assert "'h/'" in sentence


def test_masks_are_values() -> None:
    one, same = (compile_mask("https://h/", MaskKind.PREFIX) for _ in range(2))
    assert one == same
    assert hash(one) == hash(same)
    assert one != compile_mask("https://h/", MaskKind.WILDCARD)


@given(URLS, st.data())
def test_every_cut_of_a_normalized_url_is_a_prefix_of_it(url: str, data: st.DataObject) -> None:
    shortest = url.index("/", len("https://")) + 1
    cut = data.draw(st.integers(shortest, len(url)))
    mask = compile_mask(url[:cut], MaskKind.PREFIX)
    assert mask.matches(url)
    assert mask.literal_prefix == url[:cut]


@given(
    st.sampled_from(MaskKind),
    st.one_of(
        URLS,
        st.text(st.sampled_from("htps:/*.?#@%7eéÉ[]()|^$\\{}+xX'"), max_size=20),
        st.text(max_size=20),
    ),
    URLS,
)
def test_masks_take_any_text_or_refuse_it_cleanly(kind: MaskKind, text: str, url: str) -> None:
    try:
        mask = compile_mask(text, kind)
    except MaskError:
        assert check_mask(kind, text) is not None
        return
    if mask.matches(url):
        assert url.startswith(mask.literal_prefix)


@given(st.text(max_size=20))
def test_what_can_be_normalized_is_a_mask_of_itself(text: str) -> None:
    try:
        url = normalize(text)
    except UrlError:
        return
    for kind in (MaskKind.PREFIX, MaskKind.WILDCARD):
        assert compile_mask(url, kind).matches(url)


@pytest.mark.parametrize("kind", MaskKind)
def test_half_a_character_is_an_error(kind: MaskKind) -> None:
    """Words of a command line that are no UTF-8 come so."""
    sentence = check_mask(kind, "https://h/\udcff*")
    assert sentence is not None
    assert "no text" in sentence
    assert check_mask(kind, "https://h/é*") is None


@pytest.mark.parametrize(
    ("kind", "start", "longest"),
    [
        (MaskKind.PREFIX, "https://h/", 8192),
        (MaskKind.WILDCARD, "*", 8192),
        (MaskKind.REGEXP, "^", 4096),
    ],
)
def test_a_mask_has_a_greatest_length(kind: MaskKind, start: str, longest: int) -> None:
    """docs/spec/02-urls-and-masks.md, *Masks*."""
    assert check_mask(kind, start + "a" * (longest - len(start))) is None
    sentence = check_mask(kind, start + "a" * (longest - len(start) + 1))
    assert sentence is not None
    assert f"at most {longest:,} characters, and this one {longest + 1:,}" in sentence
    assert "several shorter ones" in sentence
    assert len(check_mask(kind, start + "a" * 10_000_000) or "") < 300
