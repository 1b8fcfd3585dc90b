"""docs/spec/01-script-language.md, 1.1, 1.2 and 1.6."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import (
    EmptyScriptError,
    HtmlInsteadOfScriptError,
    ScriptTooLargeError,
)
from site_indexer.index_script import IndexScript, Severity, parse
from site_indexer.index_script.diagnostic_log import LONGEST_TEXT
from site_indexer.index_script.findings import MOST_IN_LINE
from site_indexer.masks import check_mask

Lint = Callable[..., IndexScript]

SUNDAY = "date Sun, 06 Nov 1994 08:49:37 GMT"
MONDAY = "date Mon, 07 Nov 1994 08:49:37 GMT"
ADD = "add https://h/"


def lines_of_commands(script: IndexScript) -> list[tuple[int, list[int]]]:
    return [(block.line, [c.line for c in block.commands]) for block in script.blocks]


def found(script: IndexScript) -> list[tuple[int, int, str]]:
    return [(d.line, d.column, d.code) for d in script.diagnostics]


def test_a_block_is_a_date_line_and_the_lines_below_it(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.2: blocks."""
    script = lint(f"\n{SUNDAY}\n{ADD}\n{ADD}a\n\n \t\v\f\n\n{MONDAY}\n{ADD}b")
    assert lines_of_commands(script) == [(2, [3, 4]), (8, [9])]
    assert [block.date for block in script.blocks] == [
        dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=dt.UTC),
        dt.datetime(1994, 11, 7, 8, 49, 37, tzinfo=dt.UTC),
    ]
    assert script.diagnostics == ()
    assert (script.source, script.encoding) == ("indexlist.txt", "utf-8")


def test_a_date_line_alone_is_a_block(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.2: it moves the watermark."""
    assert lines_of_commands(lint(f"{SUNDAY}\n\nseconds 784199999\n")) == [(1, []), (3, [])]


def test_comments_do_not_end_a_block_and_make_none(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: comments."""
    script = lint(f"# a\n \t#b\n\n# c\n{SUNDAY}\n#{ADD}\n{ADD}\n\n# only comments\n#\n\n# end")
    assert lines_of_commands(script) == [(5, [7])]
    assert script.diagnostics == ()


def test_a_file_of_comments_has_no_blocks_and_no_errors(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: comments only."""
    script = lint("# nothing yet\n")
    assert (script.blocks, script.diagnostics) == ((), ())


def test_a_blank_line_between_a_date_and_its_commands_takes_them_from_it(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.2: each such line is an error, in a block without date."""
    script = lint(f"{SUNDAY}\n\n{ADD}\n{ADD}b\n{MONDAY}\n{ADD}c\n")
    assert found(script) == [(3, 1, "no-date-line"), (4, 1, "no-date-line")]
    assert "block of line 1 ended" in script.diagnostics[0].hint
    assert lines_of_commands(script) == [(1, []), (3, []), (5, [6])]
    assert [block.has_date_line for block in script.blocks] == [True, False, True]
    assert script.blocks[1].date is None


def test_a_second_date_line_starts_a_block_and_misses_the_blank_line(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.2: missing-blank-line."""
    script = lint(f"{SUNDAY}\n{ADD}\n# c\n  {MONDAY}\n{ADD}")
    assert lines_of_commands(script) == [(1, [2]), (4, [5])]
    assert found(script) == [(4, 3, "missing-blank-line")]
    assert script.diagnostics[0].severity is Severity.WARNING


def test_a_date_that_cannot_be_read_starts_a_block_all_the_same(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.3: null for its date."""
    script = lint(f"{SUNDAY}\n\ndate yesterday\n{ADD}\n")
    assert lines_of_commands(script) == [(1, []), (3, [4])]
    assert (script.blocks[1].date, script.blocks[1].date_form) == (None, None)
    assert found(script) == [(3, 6, "bad-weekday")]


@pytest.mark.parametrize("word", ["dat", "Date:", "dates", "second", "DATE,", "seconds,"])
def test_a_misspelt_date_line_keeps_its_lines_from_the_block_above(lint: Lint, word: str) -> None:
    """docs/spec/01-script-language.md, 1.2: a word meant to be date or seconds."""
    script = lint(f"{SUNDAY}\n{ADD}\n{word} Mon, 07 Nov 1994 08:49:37 GMT\n{ADD}b\n")
    assert lines_of_commands(script) == [(1, [2]), (3, [4])]
    assert script.blocks[1].date is None
    errors = [d for d in script.diagnostics if d.severity is Severity.ERROR]
    assert [(d.line, d.column) for d in errors] == [(3, 1)]
    assert ("`date`" if word[0] in "dD" else "`seconds`") in errors[0].hint


@pytest.mark.parametrize(
    ("line", "nearest"),
    [
        ("ad https://h/", "add"),
        ("ADDD https://h/", "add"),
        ("exlude https://h/", "exclude"),
        ("includedays 7 https://h/", "include-days"),
        ("delete-mask https://h/", "deletemask"),
        ("updat https://h/", "update"),
        ("exclüde https://h/", "exclude"),
        ("https://h/", "add"),
        ("remove https://h/", "delete"),
        ("REFRESH https://h/", "update"),
        ("index https://h/", "add"),
        ("disallow https://h/", "exclude"),
        ("noindex https://h/", "noindex` is a keyword, which stands behind the URL or mask"),
        ("2026-01-01", ""),
        ("naïve", ""),
        ("\ufeffadd https://h/", "add"),
    ],
)
def test_an_unknown_command_names_the_nearest_known_word(
    lint: Lint, line: str, nearest: str
) -> None:
    """docs/spec/01-script-language.md, 1.4: unknown-command."""
    script = lint(f"{SUNDAY}\n  {line}\n{ADD}")
    (diagnostic,) = script.diagnostics
    assert (diagnostic.line, diagnostic.column, diagnostic.code) == (2, 3, "unknown-command")
    assert f"`{nearest}" in diagnostic.hint
    assert lines_of_commands(script) == [(1, [3])]


def test_commands_and_keywords_are_read_in_any_case_and_urls_keep_theirs(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: case."""
    script = lint(f"{SUNDAY.upper()}\nADD HTTPS://H/A NoFollow\nUpdate REGEXP ^HTTPS://h/[A-Z]\n")
    add, update = script.blocks[0].commands
    assert script.diagnostics == ()
    assert (add.urls, add.nofollow) == (("HTTPS://H/A",), True)
    assert (update.mask, update.mask_kind) == ("^HTTPS://h/[A-Z]", "regexp")


def test_fields_are_separated_by_any_number_of_spaces_and_tabs(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: fields."""
    date = SUNDAY.replace(" ", " \t ")
    script = lint(f"\t{date} \v\n \fadd\t\thttps://h/  nofollow\t\x0b")
    assert script.diagnostics == ()
    assert script.blocks[0].commands[0].nofollow


@pytest.mark.parametrize("space", ["\xa0", "\u2003", "\x1c", "\x85", "\u2028"])
def test_no_other_character_separates_fields_or_lines(lint: Lint, space: str) -> None:
    """docs/spec/01-script-language.md, 1.1: white space."""
    script = lint(f"{SUNDAY}\nadd{space}https://h/\n{space}\n{ADD}")
    assert found(script) == [(2, 1, "unknown-command"), (3, 1, "unknown-command")]
    assert "cannot be seen" in script.diagnostics[0].hint
    assert lines_of_commands(script) == [(1, [4])]


def test_lines_that_are_no_utf8_give_one_warning_on_the_first(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: encoding."""
    script = lint(SUNDAY.encode() + b"\nadd https://h/\xc3\xa9\nadd https://h/ \xe9\n# \xe9\n")
    assert script.encoding == "latin-1"
    assert found(script) == [(3, 16, "unknown-keyword"), (3, 16, "not-utf-8")]
    assert script.diagnostics[1].severity is Severity.WARNING
    assert script.diagnostics[1].text == "add https://h/ é"
    assert script.blocks[0].commands[0].urls == ("https://h/é",)


def test_a_script_whose_lines_end_in_cr_only_has_its_blocks(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: CR."""
    script = lint(f"\ufeff# old Macs\r{SUNDAY}\r{ADD}\r\r \r{MONDAY}\radd h")
    assert lines_of_commands(script) == [(2, [3]), (6, [])]
    assert found(script) == [(7, 5, "bad-url")]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_in_utf16_says_so(lint: Lint, encoding: str) -> None:
    """docs/spec/01-script-language.md, 1.1: with a byte order mark of its own and without."""
    script = lint(f"{SUNDAY}\n{ADD}\n".encode(encoding))
    assert script.diagnostics[0].line == 1
    assert "UTF-16" in " ".join(d.hint for d in script.diagnostics if d.line == 1)
    assert all(not block.commands for block in script.blocks)


def test_columns_count_characters_of_the_line_as_it_is(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: columns."""
    script = lint(f"\ufeff{SUNDAY}\n \t add  https://h/äöü\U0001f600 \t nofolow\n")
    (diagnostic,) = script.diagnostics
    assert diagnostic.text == " \t add  https://h/äöü\U0001f600 \t nofolow"
    assert diagnostic.text[diagnostic.column - 1 :] == "nofolow"


def test_all_errors_of_a_file_are_found_in_one_pass_in_line_order(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: one pass."""
    script = lint(
        f"add h nofolow\n{SUNDAY}\ndelete h * nofollow\nfoo\ninclude-days x y z\n\ndate\nadd\n"
    )
    assert found(script) == [
        (1, 1, "no-date-line"),
        (1, 5, "bad-url"),
        (1, 7, "unknown-keyword"),
        (3, 8, "bad-url"),
        (3, 10, "mask-in-delete"),
        (3, 12, "keyword-not-taken"),
        (4, 1, "unknown-command"),
        (5, 14, "bad-days"),
        (5, 16, "bad-prefix-mask"),
        (5, 18, "unknown-keyword"),
        (7, 5, "missing-date"),
        (8, 4, "missing-url"),
    ]


def test_the_text_of_a_huge_line_is_its_start(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: text."""
    script = lint(f"{SUNDAY}\ndelete {' '.join(['x'] * 900)} {' '.join(['https://h/'] * 900)} x")
    assert len(script.diagnostics) == 901
    assert len(script.diagnostics[-1].text) == LONGEST_TEXT + 3
    assert script.diagnostics[-1].column == len("delete ") + 2 * 900 + 11 * 900 + 1


@pytest.mark.parametrize("space", [" ", "  ", "\t"])
def test_of_a_line_with_too_many_fields_the_rest_is_not_read(lint: Lint, space: str) -> None:
    """docs/spec/01-script-language.md, 1.6: line-not-checked."""
    urls = [f"https://h/{number}" for number in range(99_999)]
    delete = space.join(["delete", *urls])
    assert found(lint(f"{SUNDAY}\n{delete}")) == []
    script = lint(f"{SUNDAY}\n{delete}{space}x\n{ADD}")
    (too_many,) = script.diagnostics
    assert (too_many.code, too_many.line) == ("line-not-checked", 2)
    assert too_many.column == len(delete) + len(space) + 1
    assert lines_of_commands(script) == [(1, [3])]


@pytest.mark.parametrize("line", ["delete", "add https://h/", "update https://h/"])
def test_of_a_line_with_too_many_findings_the_rest_is_not_checked(lint: Lint, line: str) -> None:
    """docs/spec/01-script-language.md, 1.6: line-not-checked."""
    script = lint(f"{SUNDAY}\n{line} {' '.join(['nofolow'] * 5000)}")
    assert len(script.diagnostics) == MOST_IN_LINE + 1
    last = script.diagnostics[-1]
    assert (last.code, last.severity) == ("line-not-checked", "error")
    assert last.column == len(line) + 1 + len("nofolow ") * MOST_IN_LINE + 1
    assert script.blocks[0].commands == ()


def test_a_line_with_too_many_warnings_is_an_error_line(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: what is not checked does not count as right."""
    script = lint(f"{SUNDAY}\nadd https://h/ {'nofollow ' * 1002} wrong")
    assert script.diagnostics[-1].code == "line-not-checked"
    assert script.blocks[0].commands == ()


@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf", b" \t\v\f\r\n\r\n", b"\xef\xbb\xbf \n"])
def test_an_empty_file_is_refused(lint: Lint, data: bytes) -> None:
    """docs/spec/01-script-language.md, 1.6: empty."""
    with pytest.raises(EmptyScriptError, match=r"indexlist\.txt is empty") as raised:
        lint(data)
    assert (raised.value.code, raised.value.exit_status) == ("empty-script", 1)


@pytest.mark.parametrize(
    "start",
    [
        *("<!DOCTYPE html>", "<html lang=en>", " \n\t<HTML>", "\ufeff<!doctype html", "<head>"),
        *("<!-- a --><html>", '<?xml version="1.0"?>', "<body\n>", "<title>404</title>", "<h1>"),
    ],
)
def test_a_web_page_is_refused(lint: Lint, start: str) -> None:
    """docs/spec/01-script-language.md, 1.6: an HTML page served instead."""
    with pytest.raises(HtmlInsteadOfScriptError, match=r"indexlist\.txt is a web page") as raised:
        lint(f"{start}\n{SUNDAY}\n{ADD}\n")
    assert (raised.value.code, raised.value.exit_status) == ("html-instead-of-script", 1)


def test_markup_below_a_comment_or_in_a_url_is_no_web_page(lint: Lint) -> None:
    script = lint(f"# <html>\n{SUNDAY}\nadd https://h/<html>\n")
    assert script.diagnostics == ()
    assert found(lint(f"<add https://h/\n{SUNDAY}")) == [(1, 1, "unknown-command")]


def test_a_file_over_the_limit_is_refused(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.6: size."""
    data = f"{SUNDAY}\n{ADD}".encode()
    assert lint(data, max_bytes=len(data)).diagnostics == ()
    with pytest.raises(ScriptTooLargeError) as raised:
        lint(data, max_bytes=len(data) - 1)
    assert (raised.value.code, raised.value.exit_status) == ("script-too-large", 1)


def test_keep_is_asked_once_for_each_block_and_errors_are_found_in_all(lint: Lint) -> None:
    asked: list[dt.datetime | None] = []

    def keep(date: dt.datetime | None) -> bool:
        asked.append(date)
        return date is None or date.day == 7

    text = f"{SUNDAY}\n{ADD}\nadd h\n\n{MONDAY}\n{ADD}\n\ndate x\n{ADD}\n\nadd https://h/\n"
    script = lint(text, keep=keep)
    assert lines_of_commands(script) == [(1, []), (5, [6]), (8, [9]), (11, [])]
    assert [d.line for d in script.diagnostics] == [3, 8, 11]
    assert asked == [block.date for block in script.blocks]
    assert found(script) == found(lint(text))


def test_a_script_is_read_in_one_go_from_chunks(lint: Lint) -> None:
    data = f"{SUNDAY}\r\n{ADD}é\r\n\r\n{MONDAY}\r\n{ADD}".encode()

    def chunks() -> Iterator[bytes]:
        yield from (data[i : i + 1] for i in range(len(data)))

    assert lint(chunks()) == lint(data)


WORDS = st.sampled_from(
    [
        *("add", "update", "include", "exclude-days", "include-date", "delete", "deletemask"),
        *("date", "seconds", SUNDAY, MONDAY, "7", "1994-11-6", "regexp", "nofollow", "nofollow,"),
        *("https://h/a", "https://h/*", "*.pdf", "^a(b", "[[:<:]]", "#", ",", "-", "é", "\xa0"),
    ]
)
SEPARATORS = st.sampled_from([" ", "\t", "\n", "\r", "\r\n", "\n\n", "\v", "\x00", ""])
SCRIPTS = st.lists(st.tuples(WORDS, SEPARATORS)).map(
    lambda parts: "".join(word + separator for word, separator in parts).encode()
)


@given(st.one_of(st.binary(), SCRIPTS, st.tuples(SCRIPTS, st.binary()).map(b"".join)))
def test_no_bytes_raise_anything_but_declared_errors(data: bytes) -> None:
    try:
        script = parse(data, source="s", check_mask=check_mask)
    except (EmptyScriptError, HtmlInsteadOfScriptError):
        return
    lines = [block.line for block in script.blocks]
    assert lines == sorted(set(lines))
    for diagnostic in script.diagnostics:
        assert 1 <= diagnostic.column <= len(diagnostic.text) + 1
        assert diagnostic.message
    wrong = {d.line for d in script.diagnostics if d.severity is Severity.ERROR}
    for block in script.blocks:
        assert block.date is not None or block.line in wrong
        assert not wrong.intersection(command.line for command in block.commands)


@given(st.lists(st.tuples(WORDS, st.sampled_from([" ", "\n", "\n\n"]))), st.data())
def test_mixed_line_ends_give_the_same_blocks(
    parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    """docs/spec/01-script-language.md, 1.1: CR, LF or CRLF, mixed."""
    text = f"{SUNDAY}\n" + "".join(word + separator for word, separator in parts)
    # CR before LF would be one line end where two are meant.
    ends = st.sampled_from(["\n", "\r\n"])
    first, *others = text.split("\n")
    mixed = first + "".join(data.draw(ends) + line for line in others)
    expected = parse(text.encode(), source="s", check_mask=check_mask)
    assert parse(mixed.encode(), source="s", check_mask=check_mask) == expected
    only_cr = text.replace("\n", "\r").encode()
    assert parse(only_cr, source="s", check_mask=check_mask) == expected
