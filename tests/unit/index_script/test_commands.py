"""docs/spec/01-script-language.md, 1.4."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from site_indexer.index_script import Action, Code, Command, Diagnostic, IndexScript, Severity
from site_indexer.index_script.grammar import GRAMMARS
from site_indexer.urls import MaskKind

Lint = Callable[..., IndexScript]

PREFIX, WILDCARD, REGEXP = MaskKind.PREFIX, MaskKind.WILDCARD, MaskKind.REGEXP
RULE_DAY = dt.date(1994, 11, 6)


def accepted(lint: Lint, line: str) -> Command:
    script = lint(f"seconds 0\n{line}\n")
    assert script.diagnostics == ()
    (command,) = script.blocks[0].commands
    return command


def findings(lint: Lint, line: str) -> list[Diagnostic]:
    return list(lint(f"seconds 0\n{line}\n").diagnostics)


def codes(lint: Lint, line: str) -> list[tuple[int, str]]:
    return [(diagnostic.column, diagnostic.code) for diagnostic in findings(lint, line)]


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("add https://h/a", Command(2, Action.ADD, ("https://h/a",))),
        ("add HTTP://H", Command(2, Action.ADD, ("HTTP://H",))),
        ("add https://h/a#b", Command(2, Action.ADD, ("https://h/a#b",))),
        ("add https://h/ nofollow", Command(2, Action.ADD, ("https://h/",), nofollow=True)),
        (
            "add https://h/ noindex nofollow",
            Command(2, Action.ADD, ("https://h/",), nofollow=True, noindex=True),
        ),
        ("update https://h/", Command(2, Action.UPDATE, (), "https://h/", PREFIX)),
        (
            "update *.pdf noindex",
            Command(2, Action.UPDATE, (), "*.pdf", WILDCARD, noindex=True),
        ),
        (
            "update regexp ^https://h/[[:digit:]]{2,3}$ nofollow",
            Command(2, Action.UPDATE, (), "^https://h/[[:digit:]]{2,3}$", REGEXP, nofollow=True),
        ),
        ("update regexp nofollow", Command(2, Action.UPDATE, (), "nofollow", REGEXP)),
        ("update regexp *x", None),
        (
            "include https://h/a?b nofollow noindex",
            Command(2, Action.INCLUDE, (), "https://h/a?b", PREFIX, nofollow=True, noindex=True),
        ),
        ("exclude regexp a.*b", Command(2, Action.EXCLUDE, (), "a.*b", REGEXP)),
        (
            "include-days 0 https://h/ server-date",
            Command(2, Action.INCLUDE_DAYS, (), "https://h/", PREFIX, 0, server_date=True),
        ),
        (
            "include-days 36500 * nofollow server-date noindex",
            Command(2, Action.INCLUDE_DAYS, (), "*", WILDCARD, 36500, None, True, True, True),
        ),
        (
            "include-date 1994-11-06 regexp a nofollow",
            Command(2, Action.INCLUDE_DATE, (), "a", REGEXP, None, RULE_DAY, True),
        ),
        (
            "exclude-days 007 https://h/",
            Command(2, Action.EXCLUDE_DAYS, (), "https://h/", PREFIX, 7),
        ),
        (
            "exclude-date 1994-11-6 https://h/ SERVER-DATE",
            Command(
                2, Action.EXCLUDE_DATE, (), "https://h/", PREFIX, None, RULE_DAY, server_date=True
            ),
        ),
        ("delete https://h/a", Command(2, Action.DELETE, ("https://h/a",))),
        (
            "delete https://h/a https://h/a http://h:8080/b",
            Command(2, Action.DELETE, ("https://h/a", "https://h/a", "http://h:8080/b")),
        ),
        (
            "deletemask https://h/*.html",
            Command(2, Action.DELETEMASK, (), "https://h/*.html", WILDCARD),
        ),
        ("deletemask regexp [[:<:]]old", Command(2, Action.DELETEMASK, (), "[[:<:]]old", REGEXP)),
    ],
)  # fmt: skip
def test_each_command_takes_what_its_grammar_says(
    lint: Lint, line: str, command: Command | None
) -> None:
    """docs/spec/01-script-language.md, 1.4: table of commands."""
    if command is None:
        assert codes(lint, line) == [(15, "bad-regexp-mask")]
    else:
        assert accepted(lint, line) == command


@pytest.mark.parametrize("grammar", GRAMMARS.values(), ids=lambda grammar: grammar.action)
def test_the_usage_of_each_command_is_a_line_it_takes(lint: Lint, grammar: object) -> None:
    usage = getattr(grammar, "usage")  # noqa: B009 - the parameter is only a name for pytest
    line = (
        usage.replace("URL [URL ...]", "https://h/a https://h/b")
        .replace("URL", "https://h/")
        .replace("MASK", "https://h/")
        .replace("YYYY-MM-DD", "1994-11-06")
        .replace(" N ", " 7 ")
        .replace("[", "")
        .replace("]", "")
    )
    command = accepted(lint, line)
    assert command.nofollow == ("nofollow" in usage)
    assert command.noindex == ("noindex" in usage)
    assert command.server_date == ("server-date" in usage)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("add", [(4, Code.MISSING_URL)]),
        ("add   ", [(4, Code.MISSING_URL)]),
        ("add nofollow", [(5, Code.MISSING_URL)]),
        ("add nofollow https://h/", [(5, Code.MISSING_URL), (14, Code.EXTRA_FIELD)]),
        ("add https://h/*", [(5, Code.MASK_IN_ADD)]),
        ("add https://h/* nofolow", [(5, Code.MASK_IN_ADD), (17, Code.UNKNOWN_KEYWORD)]),
        ("add regexp ^https://h/ nofolow", [(5, Code.MASK_IN_ADD)]),
        ("add /a.html", [(5, Code.BAD_URL)]),
        ("add mailto:a@h", [(5, Code.BAD_URL)]),
        ("add https://h:x/ nofolow", [(5, Code.BAD_URL), (18, Code.UNKNOWN_KEYWORD)]),
        ("add https://h/ server-date", [(16, Code.KEYWORD_NOT_TAKEN)]),
        ("add https://h/ regexp", [(16, Code.KEYWORD_NOT_TAKEN)]),
        ("add https://h/ https://h/b", [(16, Code.EXTRA_FIELD)]),
        ("add https://h/ # new", [(16, Code.COMMENT_AT_LINE_END)]),
        ("add https://h/ nofollow, noindex", [(16, Code.COMMA_AFTER_WORD)]),
        ("add https://h/ nofollow,noindex", [(16, Code.COMMA_AFTER_WORD)]),
        ("add https://h/ , nofollow", [(16, Code.COMMA_AFTER_WORD)]),
        ("add, https://h/", [(1, Code.COMMA_AFTER_WORD)]),
        ("update", [(7, Code.MISSING_MASK)]),
        ("update regexp", [(14, Code.MISSING_MASK)]),
        ("update noindex", [(8, Code.MISSING_MASK)]),
        ("update /photos", [(8, Code.BAD_PREFIX_MASK)]),
        ("update www.example.com/", [(8, Code.BAD_PREFIX_MASK)]),
        ("update regexp (a", [(15, Code.BAD_REGEXP_MASK)]),
        (r"update regexp (a)\1", [(15, Code.BAD_REGEXP_MASK)]),
        ("update regexp (?=a)", [(15, Code.BAD_REGEXP_MASK)]),
        ("update regexp a b", [(17, Code.UNKNOWN_KEYWORD)]),
        ("update regex ^a", [(8, Code.UNKNOWN_KEYWORD)]),
        ("update regexp, ^a", [(8, Code.COMMA_AFTER_WORD)]),
        ("include https://h/ server-date", [(20, Code.KEYWORD_NOT_TAKEN)]),
        ("exclude https://h/ nofollow", [(20, Code.KEYWORD_NOT_TAKEN)]),
        ("exclude https://h/ noindx", [(20, Code.UNKNOWN_KEYWORD)]),
        ("exclude *.pdf *.zip", [(15, Code.EXTRA_FIELD)]),
        ("exclude *.pdf /b", [(15, Code.EXTRA_FIELD)]),
        ("include-days", [(13, Code.MISSING_DAYS), (13, Code.MISSING_MASK)]),
        ("include-days 7", [(15, Code.MISSING_MASK)]),
        ("include-days https://h/", [(14, Code.MISSING_DAYS)]),
        ("include-days -1 https://h/", [(14, Code.BAD_DAYS)]),
        ("include-days 36501 https://h/", [(14, Code.BAD_DAYS)]),
        ("include-days 36,500 https://h/", [(14, Code.BAD_DAYS)]),
        ("include-days 1.5 https://h/", [(14, Code.BAD_DAYS)]),
        ("include-days ٧ https://h/", [(14, Code.BAD_DAYS)]),
        (f"include-days {'9' * 9999} https://h/", [(14, Code.BAD_DAYS)]),
        ("exclude-days 7 https://h/ nofollow", [(27, Code.KEYWORD_NOT_TAKEN)]),
        ("include-date", [(13, Code.MISSING_RULE_DATE), (13, Code.MISSING_MASK)]),
        ("include-date *", [(14, Code.MISSING_RULE_DATE)]),
        ("include-date 1994-13-01 *", [(14, Code.BAD_RULE_DATE)]),
        ("include-date 1994-02-30 *", [(14, Code.BAD_RULE_DATE)]),
        ("include-date 0000-01-01 *", [(14, Code.BAD_RULE_DATE)]),
        ("include-date 94-01-01 *", [(14, Code.BAD_RULE_DATE)]),
        ("include-date 06.11.1994 *", [(14, Code.BAD_RULE_DATE)]),
        ("exclude-date 1994-11-06 * noindex", [(27, Code.KEYWORD_NOT_TAKEN)]),
        ("delete", [(7, Code.MISSING_URL)]),
        ("delete https://h/ https://h/*", [(19, Code.MASK_IN_DELETE)]),
        ("delete regexp ^https://h/", [(8, Code.MASK_IN_DELETE)]),
        ("delete https://h/ nofollow", [(19, Code.KEYWORD_NOT_TAKEN)]),
        ("delete https://h/ server-date,", [(19, Code.COMMA_AFTER_WORD)]),
        ("delete h https://h/ ftp://h/", [(8, Code.BAD_URL), (21, Code.BAD_URL)]),
        ("delete https://h/ # gone", [(19, Code.COMMENT_AT_LINE_END)]),
        ("deletemask", [(11, Code.MISSING_MASK)]),
        ("deletemask https://h/ noindex", [(23, Code.KEYWORD_NOT_TAKEN)]),
    ],
)
def test_what_a_command_does_not_take_is_an_error_at_its_field(
    lint: Lint, line: str, expected: list[tuple[int, Code]]
) -> None:
    """docs/spec/01-script-language.md, 1.4: errors of action lines."""
    script = lint(f"seconds 0\n{line}\nadd https://h/ok\n")
    assert [(d.column, d.code) for d in script.diagnostics] == expected
    assert all(d.severity is Severity.ERROR and d.hint for d in script.diagnostics)
    assert [command.line for command in script.blocks[0].commands] == [3]


@pytest.mark.parametrize(
    ("line", "pointer"),
    [
        ("add https://h/*", "`update`"),
        ("add REGEXP a", "`update`"),
        ("delete https://h/*", "`deletemask`"),
        ("delete Regexp a", "`deletemask`"),
    ],
)
def test_a_mask_where_only_urls_go_points_to_the_right_command(
    lint: Lint, line: str, pointer: str
) -> None:
    """docs/spec/01-script-language.md, 1.4: masks in add and delete."""
    (diagnostic,) = findings(lint, line)
    assert pointer in diagnostic.hint


@pytest.mark.parametrize(
    ("keyword", "nearest"),
    [("nofolow", "nofollow"), ("no-index", "noindex"), ("serverdate", "server-date"), ("x", "")],
)
def test_an_unknown_keyword_names_the_nearest_known_word(
    lint: Lint, keyword: str, nearest: str
) -> None:
    """docs/spec/01-script-language.md, 1.4: unknown-keyword."""
    (diagnostic,) = findings(lint, f"include-days 7 https://h/ {keyword}")
    assert (diagnostic.line, diagnostic.column, diagnostic.code) == (2, 27, "unknown-keyword")
    assert f"nearest known word is `{nearest}" in diagnostic.hint


def test_a_comma_stuck_to_a_keyword_is_named(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: comma-after-word."""
    (diagnostic,) = findings(lint, "add https://h/ nofollow,noindex")
    assert "comma" in diagnostic.message
    assert "`nofollow noindex`" in diagnostic.hint


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("add https://h/a, nofollow", 5),
        ("delete https://h/a, https://h/b", 8),
        ("exclude *.a, x", 9),
    ],
)
def test_a_comma_after_a_url_is_asked_about(lint: Lint, line: str, column: int) -> None:
    """docs/spec/01-script-language.md, 1.1: comma-after-url."""
    first = findings(lint, line)[0]
    assert (first.severity, first.code, first.column) == ("warning", "comma-after-url", column)


def test_commas_in_urls_are_theirs(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.1: a comma separates nothing."""
    assert accepted(lint, "delete https://h/a,b https://h/c,").urls == (
        "https://h/a,b",
        "https://h/c,",
    )


def test_a_keyword_given_twice_is_a_warning(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.4: keyword-twice."""
    script = lint("seconds 0\nadd https://h/ nofollow NOFOLLOW\n")
    (diagnostic,) = script.diagnostics
    assert (diagnostic.severity, diagnostic.code) == ("warning", "keyword-twice")
    assert (diagnostic.column, script.blocks[0].commands[0].nofollow) == (25, True)


@pytest.mark.parametrize("mask", ["https://h/app#x", "https://h/*.html#top"])
def test_a_fragment_in_a_mask_does_not_count_which_is_a_warning(lint: Lint, mask: str) -> None:
    script = lint(f"seconds 1\ndeletemask {mask}\nadd https://h/a#b\nupdate regexp a#b")
    (warning,) = script.diagnostics
    assert (warning.code, warning.severity, warning.column) == ("fragment-in-mask", "warning", 12)
    assert mask.partition("#")[0] in warning.message


def test_each_mask_is_checked_once_however_often_it_is_written(lint: Lint) -> None:
    checked: list[tuple[MaskKind, str]] = []

    def check(kind: MaskKind, text: str) -> str | None:
        checked.append((kind, text))
        return "No." if text == "https://h/bad" else None

    text = "seconds 0\n" + "exclude https://h/bad\nexclude *.a\nexclude regexp *.a\n" * 3
    script = lint(text, check_mask=check)
    assert checked == [(PREFIX, "https://h/bad"), (WILDCARD, "*.a"), (REGEXP, "*.a")]
    assert [(d.line, d.message) for d in script.diagnostics] == [(2, "No."), (5, "No."), (8, "No.")]


def warnings_of(lint: Lint, line: str) -> list[tuple[int, Code]]:
    found = findings(lint, line)
    assert all(each.severity is Severity.WARNING and each.hint for each in found)
    return [(each.column, Code(each.code)) for each in found]


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("delete https://h/a,https://h/b", 8),
        ("add https://h/a,HTTP://h/b nofollow", 5),
        ("update https://h/a,https://h/b", 8),
    ],
)
def test_urls_that_a_comma_joins_are_asked_about(lint: Lint, line: str, column: int) -> None:
    """docs/spec/01-script-language.md, 1.1: comma-between-urls."""
    assert warnings_of(lint, line) == [(column, Code.COMMA_BETWEEN_URLS)]
    assert accepted(lint, "delete https://h/?to=https://h/,b").urls == (
        "https://h/?to=https://h/,b",
    )


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ('update regexp "^https://h/a"', 15),
        ('exclude "*.pdf"', 9),
        ("deletemask '*.pdf'", 12),
        ("exclude regexp '", 0),
        ("exclude regexp a'", 0),
    ],
)
def test_quotes_around_a_mask_are_asked_about(lint: Lint, line: str, column: int) -> None:
    """docs/spec/01-script-language.md, 1.4: quotes-around-mask."""
    assert warnings_of(lint, line) == ([(column, Code.QUOTES_AROUND_MASK)] if column else [])


@pytest.mark.parametrize(
    ("line", "is_asked"),
    [
        ("deletemask https://h/[0-9]+", True),
        ("exclude https://h/[[:digit:]]", True),
        (r"update https://www\.h/", True),
        (r"update https://h/.*\.html", True),
        ("update https://h/a$", True),
        ("include *.html$", True),
        ("update regexp ^https://h/[0-9]+$", False),
        ("update https://h/file.*", False),
        ("update https://h/a[1]?b=(c|d)", False),
        ("update https://h/a$b", False),
    ],
)
def test_a_mask_that_looks_like_an_expression_is_asked_about(
    lint: Lint, line: str, is_asked: bool
) -> None:
    """docs/spec/01-script-language.md, 1.4: regexp-missing."""
    column = line.index(" ") + 2
    assert warnings_of(lint, line) == ([(column, Code.REGEXP_MISSING)] if is_asked else [])


def test_an_expression_that_is_no_mask_is_told_so(lint: Lint) -> None:
    (found,) = findings(lint, "update ^https://h/[0-9]+$")
    assert found.code == Code.BAD_PREFIX_MASK
    assert "the word `regexp`" in found.hint
