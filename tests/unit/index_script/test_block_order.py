"""docs/spec/01-script-language.md, 1.5."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from site_indexer.index_script import IndexScript, Severity

Lint = Callable[..., IndexScript]

SATURDAY = "date Sat, 05 Nov 1994 08:49:37 GMT"
SUNDAY = "date Sun, 06 Nov 1994 08:49:37 GMT"
SUNDAY_IN_SECONDS = "seconds 784111777"


def found(script: IndexScript) -> list[tuple[int, str]]:
    assert all(d.severity is Severity.WARNING for d in script.diagnostics)
    return [(d.line, d.code) for d in script.diagnostics]


@pytest.mark.parametrize("date", [SATURDAY, SUNDAY, SUNDAY_IN_SECONDS, "seconds 5"])
def test_a_block_not_newer_than_one_above_it_is_out_of_order(lint: Lint, date: str) -> None:
    """docs/spec/01-script-language.md, 1.5: block-out-of-order."""
    script = lint(f"{SATURDAY}\n\n{SUNDAY}\n\n{date}\n")
    assert found(script)[-1:] == [(5, "block-out-of-order")]
    assert "line 3" in script.diagnostics[-1].message


def test_blocks_are_held_against_the_newest_above_not_the_last(lint: Lint) -> None:
    """docs/spec/01-script-language.md, 1.5: it hides all blocks of earlier dates."""
    script = lint(
        f"seconds 9\n\n{SUNDAY}\n\n{SATURDAY}\n\nseconds 784111776\n\nseconds 784111778\n"
    )
    assert found(script) == [(5, "block-out-of-order"), (7, "block-out-of-order")]


@pytest.mark.parametrize("seconds", [4, 5])
def test_seconds_must_increase_from_block_to_block(lint: Lint, seconds: int) -> None:
    """docs/spec/01-script-language.md, 1.5: seconds-not-increasing, alone."""
    script = lint(f"seconds 5\n\nseconds {seconds}\n\nseconds 6\n")
    assert found(script) == [(3, "seconds-not-increasing")]
    assert script.diagnostics[0].column == 9


def test_a_block_whose_date_cannot_be_read_has_no_place_in_the_order(lint: Lint) -> None:
    script = lint(f"{SUNDAY}\n\ndate x\n\nseconds 784111778\n")
    assert [d.line for d in script.diagnostics] == [3]


@pytest.mark.parametrize(
    ("date", "ahead"),
    [
        ("date Tue, 16 Jun 2026 12:00:00 GMT", False),
        ("date Tue, 16 Jun 2026 12:00:01 GMT", True),
        ("seconds 253402300799", True),
    ],
)
def test_a_block_more_than_a_day_ahead_of_the_clock_is_reported(
    lint: Lint, date: str, ahead: bool
) -> None:
    """docs/spec/01-script-language.md, 1.5: block-ahead-of-clock."""
    assert found(lint(date)) == ([(1, "block-ahead-of-clock")] if ahead else [])
    assert found(lint(date, now=None)) == []


def test_zones_count_in_the_order(lint: Lint) -> None:
    text = "date Sun, 06 Nov 1994 08:49:37 GMT\n\ndate Sun, 06 Nov 1994 09:49:37 +0100\n"
    assert found(lint(text)) == [(3, "block-out-of-order")]
