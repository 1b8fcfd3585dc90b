"""docs/spec/02-urls-and-masks.md, 2.1 and 2.2."""

from __future__ import annotations

import contextlib
import hashlib
import string

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.errors import UrlError
from site_indexer.urls import document_id, host_of, normalize, normalizer_on
from site_indexer.urls.normalization import _is_normalized

BASE = "https://www.example.com/a/b.html?q#f"

# Pieces that meet each other's rules: dots, percent sequences, delimiters, hosts of every kind.
PIECES = st.sampled_from(
    [
        *"/?#:@%.\\ \t\n[]'|^`{}<>\"&+*,;=~-_09azAF\x00\x7f\xa0\xdf\u3002\ud800\U0001f600",
        *("..", "/./", "/../", "//", "%2e", "%2E%2e", "%7E", "%2f", "%25", "%zz", "%e9", "%C3%A9"),
        *("http:", "https:", "https://", "ftp://", "www.example.com", "EXAMPLE", "xn--", "0x7f"),
        *("[::1]", "[2001:DB8::0:1]", "127.1", "1.2.3.4.", ":80", ":443", ":08080", "user:p@"),
    ]
)
MESSY = st.lists(PIECES, max_size=12).map("".join)
ABSOLUTE = MESSY.map(lambda text: f"https://h{text}")
HOSTS = st.one_of(
    st.text(alphabet="ahnx08-._:%"),
    st.text(alphabet=st.characters(min_codepoint=0x80)),
    st.from_regex(
        r"([0-9]{1,3}\.){1,4}[0-9]{1,3}(:[0-9]{2,5})?|[a-z0-9.-]{1,8}|xn--[a-z0-9-]{1,6}(\.[a-zß]{1,3})?",
        fullmatch=True,
    ),
)
PLAIN_CHARACTERS = string.ascii_letters + string.digits + string.punctuation


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        # 1. parsed as browsers do
        (" \x00https://h/a\x1f\n", "https://h/a"),
        ("https://h/a\tb\r\nc", "https://h/abc"),
        ("https://h/a/./b/../c", "https://h/a/c"),
        ("https://h/a/%2e/b/.%2E/c", "https://h/a/c"),
        ("https://h/../..", "https://h/"),
        ("https://h/a%2e%2e/b", "https://h/a../b"),
        ("https://h/100%", "https://h/100%25"),
        ("https://h/%zz?%&%2", "https://h/%25zz?%25&%252"),
        ("https://h/a b?c d", "https://h/a%20b?c%20d"),
        ("https://h/é?é", "https://h/%C3%A9?%C3%A9"),
        ("https://h/\ud800", "https://h/%EF%BF%BD"),
        ("https://h/\ud83d\ude00", "https://h/%F0%9F%98%80"),
        ("https://h\\a\\b?c\\d", "https://h/a/b?c\\d"),
        ("https:h/a", "https://h/a"),
        ("https:///h/a", "https://h/a"),
        # 2. host
        ("HTTPS://Www.Example.COM/A", "https://www.example.com/A"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://B%C3%BCcher.example/", "https://xn--bcher-kva.example/"),
        ("https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example/"),
        ("http://[2001:DB8:0::0:1]/", "http://[2001:db8::1]/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("https://www.example.com./a", "https://www.example.com/a"),
        ("https://www.example.com..:8080/a", "https://www.example.com:8080/a"),
        ("https://h。/", "https://h/"),
        ("http://0x7f.1../", "http://127.0.0.1/"),
        ("https://user:secret@h/", "https://h/"),
        ("https://user@h:8080/", "https://h:8080/"),
        ("https://h/@a", "https://h/@a"),
        # 3. what is dropped
        ("https://h:443/", "https://h/"),
        ("http://h:80/", "http://h/"),
        ("http://h:443/", "http://h:443/"),
        ("http://h:0080/", "http://h/"),
        ("https://h:/", "https://h/"),
        ("https://h/a#b", "https://h/a"),
        ("https://h/a#b#c?d", "https://h/a"),
        ("https://h/a?", "https://h/a"),
        ("https://h/a?#b", "https://h/a"),
        ("https://h/a??", "https://h/a??"),
        ("https://h", "https://h/"),
        ("http://h?q=a", "http://h/?q=a"),
        # 4. percent sequences
        ("https://h/%7Ejoe/%41%2d%5f%2e%30?%7e", "https://h/~joe/A-_.0?~"),
        ("https://h/a%2fb?c%26d%3d", "https://h/a%2Fb?c%26d%3D"),
        ("https://h/a%23b+c%2b", "https://h/a%23b+c%2B"),
        ("https://h/%%32%65", "https://h/%252e"),
        ("https://h/%e4", "https://h/%E4"),
        # 5. what stays
        ("https://h/B/a/?z=1&a=2&a=1&utm_source=x", "https://h/B/a/?z=1&a=2&a=1&utm_source=x"),
        ("https://h/a//b", "https://h/a//b"),
        ("https://h/a;b=1,2", "https://h/a;b=1,2"),
        ("https://h/it's?it's", "https://h/it's?it%27s"),
    ],
)
def test_each_rule_of_the_normalized_form(url: str, normalized: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.1, rules 1 to 5."""
    assert normalize(url) == normalized
    assert normalize(normalized) == normalized


@pytest.mark.parametrize(
    "url",
    [
        *(
            "",
            "a",
            "/a",
            "//h/a",
            "www.example.com",
            "ftp://h/",
            "mailto:a@h",
            "javascript:void(0)",
        ),
        *("file:///etc/passwd", "data:text/html,x", "https:", "https://", "https://?q", "http://#"),
        *("https://h:99999/", "https://h:a/", "https://a b/", "https://[::1/", "https://[x]/"),
        *("http://256.1.1.1/", "https://a.1/", "https://./", "https://../", "https://\u3002/a"),
        *("http://foo.09..", "https://h%00/", "https://h<a>/", "https://u:p@/", "https://%/"),
    ],
)
def test_anything_else_is_an_error_that_names_it(url: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.1: anything but http(s), and a bad host or port."""
    with pytest.raises(UrlError) as raised:
        normalize(url)
    assert raised.value.context["url"] == url
    assert repr(url) in str(raised.value)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("url", "normalized"),
    [
        ("", "https://www.example.com/a/b.html?q"),
        ("#x", "https://www.example.com/a/b.html?q"),
        ("?x", "https://www.example.com/a/b.html?x"),
        ("?", "https://www.example.com/a/b.html"),
        ("c.html", "https://www.example.com/a/c.html"),
        ("../c.html#x", "https://www.example.com/c.html"),
        ("../../../c.html", "https://www.example.com/c.html"),
        ("/c d", "https://www.example.com/c%20d"),
        ("//h/c", "https://h/c"),
        ("///h/c", "https://h/c"),
        ("http://h/c", "http://h/c"),
        ("https:c", "https://www.example.com/a/c"),
        ("\ud800", "https://www.example.com/a/%EF%BF%BD"),
    ],
)
def test_relative_urls_are_read_on_their_base(url: str, normalized: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.1, rule 1 (WHATWG URL Standard)."""
    assert normalize(url, BASE) == normalized


@pytest.mark.parametrize("base", ["", "/a", "mailto:a@h", "about:blank", "ftp://h/"])
def test_a_base_that_is_no_http_url_is_an_error(base: str) -> None:
    with pytest.raises(UrlError):
        normalize("c.html", base)


def test_what_a_page_links_to_but_cannot_be_crawled_is_an_error() -> None:
    for link in ("mailto:a@h", "javascript:void(0)", "https://[x]/", "tel:1"):
        with pytest.raises(UrlError):
            normalize(link, BASE)


@given(MESSY | HOSTS.map("http://{}/".format), st.none() | st.just(BASE) | MESSY)
@example("https://h/%2e%2e", None)
@example("https://h./%7e?", None)
def test_normalizing_is_total_and_twice_is_as_once(url: str, base: str | None) -> None:
    """docs/spec/02-urls-and-masks.md, 2.1: the result is its own normalized form."""
    try:
        normalized = normalize(url, base)
    except UrlError:
        return
    assert normalize(normalized) == normalized
    assert normalize(normalized, BASE) == normalized
    assert normalized.isascii()
    assert "#" not in normalized
    assert "@" not in host_of(normalized)


@given(MESSY | st.sampled_from(["a", "/a?b#c", "../x", "?q", "", "//h/a", "https://h/"]), MESSY)
@example("a/b.html", BASE)
@example("https://h/%7e", BASE)
@example("mailto:a@h", BASE)
@example("a", "mailto:a@h")
def test_many_urls_on_one_base_are_normalized_as_each_is(url: str, base: str) -> None:
    try:
        expected = normalize(url, base)
    except UrlError:
        with pytest.raises(UrlError):
            normalizer_on(base)(url)
        return
    assert normalizer_on(base)(url) == expected


@given(st.text())
def test_no_text_raises_anything_but_a_url_error(text: str) -> None:
    for url, base in ((text, None), (text, BASE), ("a", text)):
        with contextlib.suppress(UrlError):
            normalize(url, base)


@given(
    st.one_of(
        ABSOLUTE,
        HOSTS.map("https://{}/".format),
        st.text(alphabet=PLAIN_CHARACTERS).map("http://h/{}".format),
    )
)
@example("https://xn--a/")
@example("https://0x7f/")
@example("https://127.0.0.1/")
@example("https://255.255.255.256/")
@example("https://1.2.3.04/")
@example("http://h:65535/")
@example("http://h:59999/")
@example("https://h:80/")
@example("https://h/?'")
def test_what_is_taken_for_normalized_at_a_glance_is_so(url: str) -> None:
    """The quick way and the full way agree: the parser finds nothing to change."""
    if _is_normalized(url):
        assert ada_url.normalize_url(url) == url
        assert "#" not in url
        assert not url.endswith("?")


@given(ABSOLUTE)
def test_an_equal_url_in_the_standards_sense_normalizes_equally(url: str) -> None:
    """What the URL Standard writes for a URL is another spelling of the same."""
    try:
        standard = ada_url.normalize_url(url)
        expected = normalize(url)
    except (ValueError, UrlError):
        return
    assert normalize(standard) == expected


def test_messages_show_the_start_of_a_long_url() -> None:
    link = "data:image/png;base64," + "A" * 10**6
    with pytest.raises(UrlError) as raised:
        normalize(link, BASE)
    assert len(raised.value.message) < 300


def test_document_ids_are_half_a_sha256_in_hex() -> None:
    """docs/spec/02-urls-and-masks.md, 2.2."""
    url = "https://www.example.com/%C3%A9"
    assert document_id(url) == hashlib.sha256(url.encode()).hexdigest()[:32]
    assert document_id("https://www.example.com/") == "49365e2b6b265ccba4bed01f5fa3cbcf"


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://h/", "h"),
        ("https://h:8080/a?b=c", "h:8080"),
        ("http://[::1]:8080/a/b", "[::1]:8080"),
    ],
)
def test_the_host_of_a_url_has_its_port(url: str, host: str) -> None:
    assert host_of(normalize(url)) == host


RELATIVE = st.lists(
    st.sampled_from([*"ab/?:.%\\# ", "..", "../", "./", "//", "page.html", "%7E", "%2F", "x=1"]),
    max_size=8,
).map("".join)
BASES = st.one_of(
    st.sampled_from(
        [
            *("https://h", "https://h/", "http://h:81/a/b/c.html", "https://h/a//b?x=/y/z#/w"),
            *(
                "https://h:443/a/b",
                "HTTPS://H/a/",
                "https://u:p@h/a/b",
                "https://h./a/",
                "https:h/a/b",
            ),
            *("https://h/a/../b/c", "https://1.2/a/b", "https:///h/a/b", "https://h\\a/b/c"),
            *(
                "http://127.0.0.1:40000/a/b",
                "https://h/a\\",
                "https://h/a/b/.",
                "https://h/a/..",
                "https://h//",
            ),
        ]
    ),
    MESSY.map(lambda text: f"https://h/{text}"),
)


@given(RELATIVE | MESSY, BASES)
def test_joining_plain_paths_by_themselves_is_what_browsers_do(reference: str, base: str) -> None:
    """The quick way and the parser, held against each other."""

    def outcome(url: str, base: str | None) -> str | None:
        try:
            return normalize(url, base)
        except UrlError:
            return None

    try:
        joined = ada_url.join_url(base, reference)
    except ValueError:
        return
    assert outcome(reference, base) == outcome(joined, None)
