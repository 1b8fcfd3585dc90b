"""docs/spec/02-urls-and-masks.md, 2.4."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.errors import UrlError
from site_indexer.urls import normalize, normalize_prefix

TAILS = st.lists(
    st.sampled_from(
        [*"/?.%azAF09~é '", "..", "%2e", "%2F", "%7E", "%C3%A9", "/../", "/./", "?q=", "//"]
    ),
    max_size=8,
).map("".join)


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("https://www.example.com/photos", "https://www.example.com/photos"),
        ("HTTPS://Www.Example.COM:443/Pho", "https://www.example.com/Pho"),
        ("https://user:p@h./a%7eb%2f", "https://h/a~b%2F"),
        ("https://bücher.example/é", "https://xn--bcher-kva.example/%C3%A9"),
        # scheme and host alone mean that host
        ("https://h", "https://h/"),
        ("https://h:8080", "https://h:8080/"),
        ("https://h:", "https://h/"),
        ("https://h#top", "https://h/"),
        # the fragment goes, a question mark at the end stays
        ("https://h/a#top", "https://h/a"),
        ("https://h/a?", "https://h/a?"),
        ("https://h/a?#top", "https://h/a?"),
        ("https://h?", "https://h/?"),
        ("https://h/a?b=%7e%2f", "https://h/a?b=~%2F"),
        # a last segment of dots may be the start of a longer one
        ("https://h/a/..", "https://h/a/.."),
        ("https://h/a/.", "https://h/a/."),
        ("https://h/a/%2e%2e", "https://h/a/.."),
        ("https://h/a/../b", "https://h/b"),
        ("https://h/a/b/../", "https://h/a/"),
        ("https://h/a/..?q", "https://h/?q"),
        # a percent sequence cut at the end is the start of longer ones
        ("https://h/a%", "https://h/a%"),
        ("https://h/a%2", "https://h/a%2"),
        ("https://h/a%e", "https://h/a%E"),
        ("https://h/a?b%2", "https://h/a?b%2"),
        ("https://h/a%2/b", "https://h/a%252/b"),
        ("https://h/a%%", "https://h/a%25%"),
    ],
)
def test_a_prefix_is_normalized_as_far_as_it_is_a_url(text: str, prefix: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.4."""
    assert normalize_prefix(text) == prefix
    assert normalize_prefix(prefix) == prefix


@pytest.mark.parametrize(
    "text", ["", "/photos", "www.example.com/", "https", "https:", "https://", "ftp://h/", "//h/"]
)
def test_a_prefix_without_scheme_and_host_is_an_error(text: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.4: no URL starts with it."""
    with pytest.raises(UrlError) as raised:
        normalize_prefix(text)
    assert raised.value.hint


@given(st.data(), TAILS)
def test_each_start_of_a_normalized_url_matches_it(data: st.DataObject, tail: str) -> None:
    """A mask never comes to mean less than it says, wherever it is cut."""
    url = normalize(f"https://h/{tail}")
    end = data.draw(st.integers(len("https://h/"), len(url)))
    assert url.startswith(normalize_prefix(url[:end]))
    assert normalize_prefix(url[:end]) == url[:end]


@given(TAILS, TAILS)
@example("a/..", "b")
@example("a%", "2f")
@example("a", "/../..")
def test_a_prefix_never_comes_to_mean_a_whole_host(tail: str, rest: str) -> None:
    """A mask never means more: what it names beyond the host it keeps, or resolves as URLs do."""
    text = f"https://h/{tail}"
    prefix = normalize_prefix(text)
    if prefix == "https://h/":
        assert normalize(text) == "https://h/"
    assert normalize_prefix(prefix) == prefix


@given(st.text())
def test_no_text_raises_anything_but_a_url_error(text: str) -> None:
    for candidate in (text, f"https://{text}", f"https://h/{text}"):
        try:
            prefix = normalize_prefix(candidate)
        except UrlError:
            continue
        assert normalize_prefix(prefix) == prefix
