"""docs/spec/02-urls-and-masks.md, *Masks*: regular expressions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import MaskError, check_mask, compile_mask
from site_indexer.masks.regexps import required_texts, to_re2
from site_indexer.urls import MaskKind

ATOMS = st.sampled_from(["a", "b", "/", ".", "[ab]", "[^a]", "(a|b)", "a?", "b*", "a{1,2}", r"\."])
EXPRESSIONS = st.tuples(
    st.sampled_from(["", "^"]), st.lists(ATOMS, max_size=6).map("".join), st.sampled_from(["", "$"])
).map("".join)


def found(expression: str, url: str) -> bool:
    return compile_mask(expression, MaskKind.REGEXP).matches(url)


@pytest.mark.parametrize(
    ("expression", "url", "expected"),
    [
        (r"^https://www\.example\.com/info/.*$", "https://www.example.com/info/a", True),
        (r"^https://www\.example\.com/info/.*$", "https://www-example.com/info/a", False),
        # anywhere, unless anchored
        ("info", "https://h/a/info.html", True),
        ("^info", "https://h/info", False),
        ("info$", "https://h/info.html", False),
        # case counts, as RE2's flags say otherwise
        ("INFO", "https://h/info", False),
        ("(?i)INFO", "https://h/info", True),
        # bracket classes, intervals
        ("/[[:digit:]]{2,3}$", "https://h/12", True),
        ("/[[:digit:]]{2,3}$", "https://h/1234", False),
        ("/[[:alpha:]_]+$", "https://h/a_b", True),
        ("/[^[:alpha:]]$", "https://h/a", False),
        ("a{2}", "https://h/aa", True),
        ("(news|info)/", "https://h/news/", True),
        # word ends
        ("[[:<:]]info", "https://h/a-info", True),
        ("[[:<:]]info", "https://h/reinfo", False),
        ("info[[:>:]]", "https://h/info.html", True),
        ("info[[:>:]]", "https://h/infos", False),
        # brackets in which ], ^ and - are members
        ("/[]x]$", "https://h/]", True),
        ("/[^]x]$", "https://h/]", False),
        ("/[a-]$", "https://h/-", True),
        # collating symbols of one character
        ("/[[.-.]x]$", "https://h/-", True),
        ("/[[=a=]]$", "https://h/a", True),
        ("/[[=a=]]$", "https://h/=", False),
        ("/[[.].]]$", "https://h/]", True),
        # a backslash inside brackets escapes, and is no member
        (r"/[\d]$", "https://h/7", True),
        (r"/[\d]$", "https://h/d", False),
        # an interval without a lower bound is literal text
        ("a{,3}$", "https://h/a{,3}", True),
        ("/a{,3}$", "https://h/aa", False),
        ("/a{0,3}$", "https://h/aa", True),
        # what else RE2 takes
        (r"\d+\.html\z", "https://h/12.html", True),
        (r"(?:a|b)+?/", "https://h/ab/", True),
        (r"\Qa.b\E", "https://h/a.b", True),
        (r"\Q[[:<:]]\E", "https://h/[[:<:]]", True),
        (r"\bfoo\b", "https://h/foo/", True),
        ("(?P<year>[0-9]{4})", "https://h/2004/", True),
        # an escaped bracket opens nothing
        (r"\[a", "https://h/[a", True),
        (r"[\]a]b", "https://h/]b", True),
        # the expression sees the normalized URL
        ("%C3%A9", "https://h/%C3%A9", True),
        ("é", "https://h/%C3%A9", False),
        ("", "https://h/", True),
    ],
)
def test_regexp(expression: str, url: str, *, expected: bool) -> None:
    assert found(expression, url) is expected


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        (r"(a)\1", "back-reference"),
        (r"(?P<x>a)(?P=x)", "back-reference"),
        ("a(?=b)", "looks around"),
        ("a(?!b)", "looks around"),
        ("(?<=a)b", "looks around"),
        ("(?<!a)b", "looks around"),
        ("[a", "missing ]"),
        ("(a", "missing )"),
        ("a**", "bad repetition"),
        ("*a", "no argument"),
        ("[[:letter:]]", "[:letter:]"),
        ("a{3,2}", "{3,2}"),
        ("a\\", "trailing"),
        ("\ud800", "no text"),
        ("((a{100}){100}){100}", "repetition"),
        (r"\d(\1", r"`\d(\1` has a back-reference"),
        ("(" * 101, "`" + "(" * 100 + "...`"),
    ],
)
def test_what_re2_does_not_take_is_an_error_in_plain_words(expression: str, words: str) -> None:
    with pytest.raises(MaskError, match=re.escape(words)):
        compile_mask(expression, MaskKind.REGEXP)


@pytest.mark.parametrize(
    ("expression", "prefix"),
    [
        (r"^https://www\.example\.com/info/.*$", "https://www.example.com/info/"),
        ("^https://h/(a|b)", "https://h/"),
        ("^https?://h/", "http"),
        ("^(https://h/a)", "https://h/a"),
        ("https://h/", ""),
        ("^https://h/|b", ""),
        ("^*https://h/", ""),
        ("(?i)^https://h/", ""),
        ("^(?i)https://h/", ""),
        ("^.*a", ""),
        ("^https://h/[|]x", "https://h/|x"),
    ],
)
def test_the_literal_prefix_is_one_that_every_match_starts_with(
    expression: str, prefix: str
) -> None:
    assert compile_mask(expression, MaskKind.REGEXP).literal_prefix == prefix


@pytest.mark.parametrize(
    ("expression", "texts"),
    [
        (r"^https://www\.example\.com/info/.*$", ("https://www.example.com/info/",)),
        ("/photos/[[:digit:]]+(-[a-z]+)?$", ("/photos/",)),
        ("abc+d*ef?g", ("abc", "e", "g")),
        ("ab{2}c{0,3}d{4,}x", ("a", "x")),
        ("(abc)+d(?:e)f", ("d", "f")),
        ("a{,3}b", ()),
        ("ab|cd", ()),
        ("(ab|cd)ef", ("ef",)),
        ("(?i)abc", ()),
        ("a(?i)b", ()),
        ("(?P<name>a)b", ()),
        (r"a\x41b", ()),
        (r"a\pLb", ()),
        (r"a\db\.c", ("a", "b.c")),
        (r"\Qa.b\Ec", ()),
        ("[[:<:]]word[[:>:]]s", ("word", "s")),
        ("a.b", ("a", "b")),
        ("[", ()),
        ("", ()),
    ],
)
def test_texts_that_must_be_there(expression: str, texts: tuple[str, ...]) -> None:
    assert required_texts(expression) == texts


PIECES = st.sampled_from(
    [
        *"ab/.*+?|()[]{}^$\\",
        "{2}",
        "{0,1}",
        "{1,}",
        "(?:",
        "(?i)",
        "[ab]",
        r"\.",
        r"\d",
        r"\x62",
        "a*?",
    ]
)


@given(st.lists(PIECES, max_size=8).map("".join), st.text(st.sampled_from("aab/.AB12")))
def test_what_matches_has_the_texts_that_must_be_there(expression: str, url: str) -> None:
    if check_mask(MaskKind.REGEXP, expression) is not None:
        return
    if compile_mask(expression, MaskKind.REGEXP).matches(url):
        assert all(text in url for text in required_texts(expression))


@given(EXPRESSIONS, st.text(st.sampled_from("aab/.")))
def test_plain_expressions_mean_what_they_mean_elsewhere(expression: str, url: str) -> None:
    mask = compile_mask(expression, MaskKind.REGEXP)
    assert mask.matches(url) is (re.search(expression, url) is not None)
    if mask.matches(url):
        assert url.startswith(mask.literal_prefix)


def test_an_expression_that_a_set_has_no_memory_for_still_works() -> None:
    # Some 8 MB of program: RE2 takes the expression alone, not in a set of its default size.
    expression = "^https://h/" + "[^/]{1,900}x{1,900}y{1,900}z{1,900}" * 2
    assert found(expression, "https://h/axyzaxyz")
    assert not found(expression, "https://h/axyz")


@pytest.mark.parametrize(
    "expression", ["(a+)+$", "^https://h/(a+)+(a|aa)+(.*a){9}$", "(a?){30}a{30}$", "([a-z]*)*!$"]
)
def test_a_catastrophic_expression_answers(expression: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.7: one that backtracks would not come to an end."""
    assert not found(expression, f"https://h/{'a' * 5_000}!?")


@pytest.mark.parametrize("unit", ["[", "[[:", "[.", "[a", "\\Q", "("])
def test_translating_takes_linear_time_whatever_is_left_open(unit: str) -> None:
    # Quadratic time would run into the limit of every test.
    assert to_re2(unit * 300_000) == unit * 300_000
