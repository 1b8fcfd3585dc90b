"""docs/spec/08-shell.md, 8.5: a block that is appended stands alone and is processed next."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.errors import HtmlInsteadOfScriptError, ScriptError
from site_indexer.index_script import IndexScript, parse
from site_indexer.index_script.appending import NewBlock, commands_of_words, new_block
from site_indexer.masks import check_mask

NOW = dt.datetime(2026, 6, 15, 12, 0, 0, 999, tzinfo=dt.UTC)
LINES = ["add https://h/a", "exclude *.zip"]

ENDS = st.sampled_from(["\n", "\r", "\r\n", "\n\n", "\r\r", " \t\n", "\n \f\n", ""])
PIECES = st.sampled_from(
    [
        "\ufeff",
        "seconds 1",
        "date Mon, 15 Jun 2026 12:00:00 GMT",
        "date Mon, 15 Jun 2026 12:00:07 GMT",
        "add https://h/x",
        "# note",
        "what is this",
    ]
)
FILES = st.lists(st.tuples(PIECES, ENDS).map("".join), max_size=8).map("".join)


def appended(before: bytes, *, now: dt.datetime = NOW) -> NewBlock:
    return new_block(before, LINES, source="s", now=now, check_mask=check_mask)


def parsed(data: bytes) -> IndexScript:
    return parse(data, source="s", check_mask=check_mask, now=NOW)


@given(FILES)
@example("\ufeff")
@example("add https://h/x" + " " * 2_000)
@example("\r")
@example("seconds 1\r\n\r")
def test_one_block_more_that_is_newer_than_all_and_nothing_else(text: str) -> None:
    before = text.encode()
    block = appended(before)
    script = parsed(before + block.appended.encode())
    old = parsed(before + b"\n#").blocks
    assert script.blocks[:-1] == old
    last = script.blocks[-1]
    assert (last.line, last.date) == (block.line, block.date)
    assert [command.action for command in last.commands] == ["add", "exclude"]
    assert all(each.date is None or each.date < block.date for each in old)
    assert not [found for found in script.diagnostics if found.line >= block.line]


def test_the_date_is_that_of_now_or_a_second_after_the_newest_block() -> None:
    assert appended(b"").date == NOW.replace(microsecond=0)
    assert appended(b"").notes == ()
    ahead = appended(b"date Mon, 15 Jun 2026 20:00:00 GMT\n\nseconds 1\n")
    assert ahead.date == dt.datetime(2026, 6, 15, 20, 0, 1, tzinfo=dt.UTC)
    assert "line 1" in ahead.notes[0]
    zone = dt.timezone(dt.timedelta(hours=-8))
    assert appended(b"", now=NOW.astimezone(zone)).text.startswith(
        "date Mon, 15 Jun 2026 12:00:00 GMT\n"
    )


def test_a_block_more_than_a_day_ahead_has_to_be_mended() -> None:
    edge = b"date Tue, 16 Jun 2026 12:00:00 GMT\n"
    assert appended(edge).date == dt.datetime(2026, 6, 16, 12, 0, 1, tzinfo=dt.UTC)
    with pytest.raises(
        ScriptError, match="Tue, 16 Jun 2026 12:00:01 GMT, more than a day"
    ) as error:
        appended(edge.replace(b"00:00", b"00:01"))
    assert error.value.hint


def test_what_is_no_script_gets_no_block() -> None:
    with pytest.raises(HtmlInsteadOfScriptError):
        appended(b"<html>")
    with pytest.raises(ScriptError, match="`ad` is not a command"):
        new_block(b"", ["ad x"], source="s", now=NOW, check_mask=check_mask)


def test_errors_that_are_there_already_are_noted() -> None:
    assert "has 1 error," in appended(b"seconds 1\nad https://h/\n").notes[0]
    assert "has 2 errors," in appended(b"seconds 1\nad https://h/\nadd\n").notes[0]


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (["add https://h/", "delete https://h/a"], ["add https://h/", "delete https://h/a"]),
        (["add", "https://h/", "nofollow"], ["add https://h/ nofollow"]),
        (["ADD", "u", "Delete", "v", "w"], ["ADD u", "Delete v w"]),
        (["add u", "nofollow"], ["add u", "nofollow"]),
        (["update", "REGEXP", "add", "noindex"], ["update REGEXP add noindex"]),
        (["exclude-days", "7", "*.zip"], ["exclude-days 7 *.zip"]),
        (["what", "is", "this"], ["what is this"]),
        (["add", ""], ["add", ""]),
        ([], []),
    ],
)
def test_words_of_a_command_line_become_lines(words: list[str], lines: list[str]) -> None:
    assert commands_of_words(words) == lines
