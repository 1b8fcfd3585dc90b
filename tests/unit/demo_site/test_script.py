"""The index script, as first published and with further blocks."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial

import pytest

from demo_site.script import FIRST_RUN, PLACEHOLDER, first_script, with_block
from site_indexer.index_script import Action, DateForm, parse
from site_indexer.masks import check_mask
from site_indexer.urls.kinds import MaskKind

BASE = "http://127.0.0.1:8300"
read = partial(parse, source="indexlist.txt", check_mask=check_mask)
SCRIPT = read(first_script(BASE).encode())


def test_it_is_a_script_without_fault() -> None:
    assert SCRIPT.diagnostics == ()
    assert PLACEHOLDER not in first_script(BASE)


def test_it_shows_the_language() -> None:
    commands = [command for block in SCRIPT.blocks for command in block.commands]
    assert {block.date_form for block in SCRIPT.blocks} == set(DateForm)
    assert {command.action for command in commands} >= {
        Action.ADD,
        Action.UPDATE,
        Action.INCLUDE,
        Action.EXCLUDE,
        Action.EXCLUDE_DATE,
        Action.DELETE,
        Action.DELETEMASK,
    }
    assert {command.mask_kind for command in commands if command.mask} == set(MaskKind)
    assert any(command.nofollow for command in commands)
    assert any(command.noindex for command in commands)
    assert any(command.server_date for command in commands)


def test_blocks_get_newer_and_the_last_date_is_known() -> None:
    dates = [block.date for block in SCRIPT.blocks if block.date is not None]
    assert len(dates) == len(SCRIPT.blocks) >= 6
    assert dates == sorted(set(dates))
    assert dates[-1] == FIRST_RUN


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\r\n", "\r"])
def test_a_block_is_appended_whatever_the_end_of_the_file(end: str) -> None:
    date = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)
    before = f"date Sun, 06 Nov 1994 08:49:37 GMT\nadd {BASE}/{end}"
    text, line = with_block(before, "Note", date, [f"delete {BASE}/x"])
    blocks = read(text.encode()).blocks
    assert read(text.encode()).diagnostics == ()
    assert [block.date for block in blocks][-1] == date
    assert blocks[-1].line == line
    assert blocks[-1].date_form is DateForm.RFC1123
    assert len(blocks) == 2
