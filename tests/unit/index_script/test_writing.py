"""Blocks that are written parse to what they were."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import ScriptError
from site_indexer.index_script import Action, Command, IndexScript, parse
from site_indexer.index_script.grammar import GRAMMARS, CutOff, Target
from site_indexer.index_script.writing import (
    compose_block,
    format_block,
    format_date_line,
    separator_before_block,
)
from site_indexer.masks import check_mask
from site_indexer.urls import MaskKind

Lint = Callable[..., IndexScript]

DATE = dt.datetime(1994, 11, 6, 8, 49, 37, 999, tzinfo=dt.UTC)
EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)

URLS = st.from_regex(r"https?://[a-z]{1,5}(:8080)?/[a-zé,/?#.%]{0,8}", fullmatch=True).filter(
    lambda url: not url.endswith(",")
)
WITHOUT_FRAGMENT = URLS.filter(lambda url: "#" not in url)
MASKS = st.one_of(
    WITHOUT_FRAGMENT.map(lambda url: (url, MaskKind.PREFIX)),
    WITHOUT_FRAGMENT.map(lambda url: (url + "*", MaskKind.WILDCARD)),
    st.from_regex(r"\^?[a-z]{1,5}(\[\[:digit:\]\]\{1,3\})?\$?", fullmatch=True).map(
        lambda text: (text, MaskKind.REGEXP)
    ),
)


@st.composite
def commands(draw: st.DrawFn) -> Command:
    """Any command that the language can say, as if in line 2."""
    grammar = GRAMMARS[draw(st.sampled_from(Action))]
    flags = [keyword in grammar.keywords and draw(st.booleans()) for keyword in
             ("nofollow", "noindex", "server-date")]  # fmt: skip
    if grammar.target is not Target.MASK:
        most = 3 if grammar.target is Target.URLS else 1
        urls = tuple(draw(st.lists(URLS, min_size=1, max_size=most)))
        return Command(2, grammar.action, urls, None, None, None, None, *flags)
    mask, kind = draw(MASKS)
    days = draw(st.integers(0, 36500)) if grammar.cut_off is CutOff.DAYS else None
    date = draw(st.dates()) if grammar.cut_off is CutOff.DATE else None
    return Command(2, grammar.action, (), mask, kind, days, date, *flags)


@given(st.integers(0, 253_402_300_799), st.lists(commands(), max_size=4))
def test_a_block_that_is_written_parses_to_itself(seconds: int, given: list[Command]) -> None:
    date = EPOCH + dt.timedelta(seconds=seconds)
    text = format_block(date, given)
    script = parse(text.encode(), source="s", check_mask=check_mask)
    assert script.diagnostics == ()
    (block,) = script.blocks
    assert block.date == date
    assert format_block(date, block.commands) == text
    assert [(c.action, c.urls, c.mask, c.mask_kind) for c in block.commands] == [
        (c.action, c.urls, c.mask, c.mask_kind) for c in given
    ]
    assert [(c.days, c.date, c.nofollow, c.noindex, c.server_date) for c in block.commands] == [
        (c.days, c.date, c.nofollow, c.noindex, c.server_date) for c in given
    ]


def test_a_date_line_is_in_the_http_1_1_form_and_gmt() -> None:
    """docs/spec/01-script-language.md, 1.3."""
    assert format_date_line(DATE) == "date Sun, 06 Nov 1994 08:49:37 GMT"
    zone = dt.timezone(dt.timedelta(hours=-8))
    assert format_date_line(DATE.astimezone(zone)) == "date Sun, 06 Nov 1994 08:49:37 GMT"


def test_a_block_is_composed_of_lines_that_are_valid() -> None:
    text = compose_block(DATE, ["add https://h/ ", "delete https://h/a"], check_mask=check_mask)
    assert text == "date Sun, 06 Nov 1994 08:49:37 GMT\nadd https://h/\ndelete https://h/a\n"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["ad https://h/"], "`ad` is not a command"),
        (["add h"], "cannot be read"),
        (["add https://h/", "", "add https://h/"], "before any date line"),
        (["seconds 9"], "more than one block"),
        (["add https://h/\n\nseconds 9"], "more than one block"),
        (["add https://h/\ud800 x"], "not a keyword"),
    ],
)
def test_lines_that_are_no_block_are_refused(lines: list[str], message: str) -> None:
    with pytest.raises(ScriptError, match=message) as raised:
        compose_block(DATE, lines, check_mask=check_mask)
    assert raised.value.hint


@pytest.mark.parametrize(
    ("end", "separator"),
    [
        (b"", ""),
        (b"add https://h/", "\n\n"),
        (b"add https://h/\n", "\n"),
        (b"add https://h/\r\n", "\n"),
        (b"add https://h/\r", "\r"),
        (b"add https://h/\n\n", ""),
        (b"add https://h/\r\n \t\r\n", ""),
        (b"add https://h/\n  ", "\n"),
    ],
)
def test_a_block_that_is_appended_stands_alone(lint: Lint, end: bytes, separator: str) -> None:
    """docs/spec/01-script-language.md, 1.2: a blank line ends the block above."""
    assert separator_before_block(end) == separator
    if end:
        script = lint(b"seconds 0\n" + end + (separator + format_block(DATE, [])).encode())
        assert script.diagnostics == ()
        assert len(script.blocks) == 2
