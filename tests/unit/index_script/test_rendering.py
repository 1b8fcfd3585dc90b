"""docs/spec/08-shell.md, *lint*."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest

from site_indexer.index_script import Diagnostic, IndexScript, Severity
from site_indexer.index_script.rendering import date_as_json, render_diagnostic, script_as_json

Lint = Callable[..., IndexScript]


def diagnostic(text: str, column: int, *, hint: str = "Do this.") -> Diagnostic:
    return Diagnostic(Severity.ERROR, "bad-url", 7, column, "It is wrong.", hint, text)


def test_a_script_as_json(lint: Lint) -> None:
    """docs/spec/08-shell.md, lint: URLs and masks as written, absent fields left out."""
    script = lint(
        "date Mon, 06 Nov 1994 08:49:37 GMT\n"
        "add HTTPS://h nofollow\n"
        "delete https://h/a https://h/b\n"
        "exclude regexp ^a\n"
        "include-days 7 *.pdf server-date\n"
        "exclude-date 1994-1-2 https://h/\n"
        "\n"
        "seconds x\n"
        "\n"
        "add https://h/\n"
    )
    document = script_as_json(script)
    assert document["source"] == "indexlist.txt"
    assert document["encoding"] == "utf-8"
    assert document["blocks"] == [
        {
            "line": 1,
            "date": "1994-11-06T08:49:37Z",
            "date_form": "rfc1123",
            "commands": [
                {
                    "line": 2,
                    "action": "add",
                    "urls": ["HTTPS://h"],
                    "nofollow": True,
                    "noindex": False,
                },
                {"line": 3, "action": "delete", "urls": ["https://h/a", "https://h/b"]},
                {"line": 4, "action": "exclude", "mask": "^a", "mask_kind": "regexp"},
                {
                    "line": 5,
                    "action": "include-days",
                    "mask": "*.pdf",
                    "mask_kind": "wildcard",
                    "days": 7,
                    "nofollow": False,
                    "noindex": False,
                    "server_date": True,
                },
                {
                    "line": 6,
                    "action": "exclude-date",
                    "mask": "https://h/",
                    "mask_kind": "prefix",
                    "date": "1994-01-02",
                    "server_date": False,
                },
            ],
        },
        {"line": 8, "date": None, "date_form": None, "commands": []},
    ]
    diagnostics = document["diagnostics"]
    assert isinstance(diagnostics, list)
    assert diagnostics[0] == {
        "severity": "warning",
        "code": "wrong-weekday",
        "line": 1,
        "column": 6,
        "message": "1994-11-06 is a Sunday, not a Monday.",
        "hint": "The date counts. The weekday would be `Sun`.",
        "text": "date Mon, 06 Nov 1994 08:49:37 GMT",
    }
    assert [found["line"] for found in diagnostics] == [1, 8, 10]


@pytest.mark.parametrize(
    ("date", "text"),
    [
        (dt.datetime(1994, 11, 6, 8, 49, 37, tzinfo=dt.UTC), "1994-11-06T08:49:37Z"),
        (dt.datetime(94, 1, 2, 3, 4, 5, 999, tzinfo=dt.UTC), "0094-01-02T03:04:05Z"),
        (
            dt.datetime(1994, 11, 6, 0, 0, tzinfo=dt.timezone(dt.timedelta(hours=1))),
            "1994-11-05T23:00:00Z",
        ),
    ],
)
def test_dates_are_iso_8601_in_utc(date: dt.datetime, text: str) -> None:
    """docs/spec/08-shell.md: whole seconds, with Z."""
    assert date_as_json(date) == text


def test_a_diagnostic_for_people_has_a_caret_under_its_column() -> None:
    rendered = render_diagnostic(diagnostic("add h nofollow", 5), "indexlist.txt")
    assert rendered == (
        "indexlist.txt:7:5: error: It is wrong. [bad-url]\n"
        "    add h nofollow\n"
        "        ^\n"
        "    Do this."
    )


def test_a_tab_before_the_column_moves_the_caret_too() -> None:
    assert render_diagnostic(diagnostic("\tadd\th", 6), "s").splitlines()[1:3] == [
        "    \tadd\th",
        "    \t   \t^",
    ]


@pytest.mark.parametrize(
    ("before", "width"),
    [
        ("add 中国e\u0301 ", 10),
        ("add https://h/\U0001f600\U0001f680 ", 19),
        ("add \uff21\uac00 ", 9),
        ("add \u0928\u093c\u20dd ", 6),
        ("add \u2665\ufe0e ", 6),
        ("add \u200b ", 6),
    ],
    ids=["han", "emoji", "fullwidth and hangul", "marks", "variation selector", "shown as ?"],
)
def test_the_caret_stands_under_wide_and_combined_characters_too(before: str, width: int) -> None:
    line, caret = render_diagnostic(diagnostic(f"{before}x", len(before) + 1), "s").splitlines()[
        1:3
    ]
    assert line == f"    {before}x".replace("\u200b", "?")
    assert caret == " " * (4 + width) + "^"


def test_the_caret_can_stand_behind_the_line_and_a_hint_can_be_missing() -> None:
    rendered = render_diagnostic(diagnostic("add", 4, hint=""), "s")
    assert rendered.splitlines() == ["s:7:4: error: It is wrong. [bad-url]", "    add", "       ^"]


@pytest.mark.parametrize("column", [1, 60, 500, 990, 1000, 1001, 5000])
def test_of_a_long_line_the_part_around_the_column_is_shown(column: int) -> None:
    text = "".join(chr(ord("a") + i % 26) for i in range(1000))
    line, caret = render_diagnostic(diagnostic(text, column), "s").splitlines()[1:3]
    assert len(line) < 120
    if column <= 1000:
        assert line[len(caret) - 1] == text[column - 1]


def test_a_script_cannot_steer_a_terminal() -> None:
    rendered = render_diagnostic(diagnostic("add \x1b[2Jh\x07\u202e", 5), "s\x1b")
    assert "\x1b" not in rendered
    assert "\u202e" not in rendered
    assert "    add ?[2Jh??" in rendered


def test_colour_is_added_only_when_asked_for() -> None:
    plain = render_diagnostic(diagnostic("add h", 5), "s")
    coloured = render_diagnostic(diagnostic("add h", 5), "s", colour=True)
    assert "\x1b" not in plain
    assert "\x1b[1;31merror\x1b[0m" in coloured
    assert coloured.splitlines()[1:] == plain.splitlines()[1:]
