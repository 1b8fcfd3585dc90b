"""Commands written as lines, in one spelling."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from site_indexer.index_script.spelling import block_digest, line_of
from site_indexer.planning.reading import read_script

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("written", "line"),
    [
        ("ADD\thttps://H/a   NOINDEX nofollow", "add https://H/a nofollow noindex"),
        ("delete  https://h/a https://h/b", "delete https://h/a https://h/b"),
        ("update REGEXP  ^a nofollow", "update regexp ^a nofollow"),
        ("deletemask *.pdf", "deletemask *.pdf"),
        ("include https://h/ noindex", "include https://h/ noindex"),
        ("exclude regexp x", "exclude regexp x"),
        (
            "include-days 007 *.x server-date noindex nofollow",
            "include-days 7 *.x nofollow noindex server-date",
        ),
        ("exclude-days 0 *.x", "exclude-days 0 *.x"),
        ("include-date 2024-1-2 *.x", "include-date 2024-01-02 *.x"),
        ("exclude-date 2024-01-02 *.x server-date", "exclude-date 2024-01-02 *.x server-date"),
    ],
)
def test_a_command_in_one_spelling_reads_back_as_itself(written: str, line: str) -> None:
    for text in (written, line):
        (block,) = read_script(f"seconds 1\n{text}".encode(), source="test", now=NOW).blocks
        (command,) = block.commands
        assert line_of(command) == line


def test_a_digest_depends_on_the_date_and_on_the_order_of_commands() -> None:
    text = b"seconds 1\nadd https://h/a\nadd https://h/b"
    (block,) = read_script(text, source="test", now=NOW).blocks
    later = replace(block, date=NOW)
    undated = replace(block, date=None)
    turned = replace(block, commands=block.commands[::-1])
    assert len({block_digest(each) for each in (block, later, undated, turned)}) == 4
    assert block_digest(block) == block_digest(replace(block, line=99))
