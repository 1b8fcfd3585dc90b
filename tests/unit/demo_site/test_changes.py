"""Changes: what each does, and what the state directory keeps of them."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest

from demo_site import changes
from demo_site.catalogue import catalogue
from demo_site.script import FIRST_RUN, first_script
from demo_site.state import State, StateDirectory
from demo_site.website import Website
from site_indexer.index_script import Action, parse
from site_indexer.masks import check_mask

BASE = "http://127.0.0.1:8300"
read = partial(parse, source="indexlist.txt", check_mask=check_mask)
NOW = datetime(2026, 11, 6, 8, 49, 37, 500, tzinfo=UTC)


def test_one_change(tmp_path: Path) -> None:
    made = changes.change(tmp_path, BASE, NOW)
    assert made.number == 1
    assert made.date == NOW.replace(microsecond=0)
    assert made.added == (f"{BASE}/en/news/notice-1.html",)
    assert len(made.updated) == 3
    assert made.deleted == (f"{BASE}/en/news/2019-lamp.html",)
    assert made.deleted_status == 410


def test_the_block_says_what_changed(tmp_path: Path) -> None:
    for number in range(1, 4):
        made = changes.change(tmp_path, BASE, NOW + timedelta(hours=number))
        text, modified = StateDirectory(tmp_path).read_script()
        script = read(text.encode())
        block = script.blocks[-1]
        assert script.diagnostics == ()
        assert (block.line, block.date) == (made.block_line, made.date)
        assert modified == made.date
        named = {url for command in block.commands for url in (*command.urls, command.mask) if url}
        assert named == {*made.added, *made.updated, *made.deleted}
        deleted = [command for command in block.commands if command.action is Action.DELETE]
        assert deleted[0].urls == made.deleted


def test_pages_are_what_the_change_says(tmp_path: Path) -> None:
    before = Website(catalogue(), BASE)
    dates: list[datetime] = []
    for number in range(1, 13):
        made = changes.change(tmp_path, BASE, NOW + timedelta(hours=number))
        dates.append(made.date)
        after = Website(changes.changed(catalogue(), tuple(dates)), BASE)
        for url in made.added:
            assert before.answer(url.removeprefix(BASE)).status == 404
            assert after.answer(url.removeprefix(BASE)).status == 200
        for url in made.updated:
            old, new = (site.answer(url.removeprefix(BASE)) for site in (before, after))
            assert old.etag != new.etag
            assert new.last_modified == made.date
        for url in made.deleted:
            assert before.answer(url.removeprefix(BASE)).status == 200
            assert after.answer(url.removeprefix(BASE)).status == made.deleted_status
        assert StateDirectory(tmp_path).read().changes == tuple(dates)
        untouched = before.answer("/en/about/people.html")
        assert after.answer("/en/about/people.html") == untouched
        before = after


def test_nothing_else_changes(tmp_path: Path) -> None:
    made = changes.change(tmp_path, BASE, NOW)
    old, new = (
        Website(site, BASE) for site in (catalogue(), changes.changed(catalogue(), (made.date,)))
    )
    named = {url.removeprefix(BASE) for url in (*made.added, *made.updated, *made.deleted)}
    differing = {
        path for path in {*catalogue().pages, *named} if old.answer(path) != new.answer(path)
    }
    assert differing == named


def test_news_are_linked_from_their_index(tmp_path: Path) -> None:
    dates = tuple(
        changes.change(tmp_path, BASE, NOW + timedelta(hours=hour)).date for hour in (1, 2)
    )
    site = Website(changes.changed(catalogue(), dates), BASE)
    assert b'href="notice-2.html"' in site.answer("/en/news/").body
    assert b'href="aviso-2.html"' in site.answer("/es/noticias/").body
    assert b"2019-lamp" not in site.answer("/en/news/").body


@pytest.mark.parametrize("now", [FIRST_RUN - timedelta(days=900), FIRST_RUN])
def test_a_block_is_always_newer_than_the_one_above(tmp_path: Path, now: datetime) -> None:
    first = changes.change(tmp_path, BASE, now)
    second = changes.change(tmp_path, BASE, now)
    assert FIRST_RUN < first.date < second.date
    text, _ = StateDirectory(tmp_path).read_script()
    assert read(text.encode()).diagnostics == ()


def test_reset_undoes_all(tmp_path: Path) -> None:
    changes.change(tmp_path, BASE, NOW)
    changes.reset(tmp_path)
    StateDirectory(tmp_path).prepare(BASE)
    assert StateDirectory(tmp_path).read() == State(BASE)
    assert StateDirectory(tmp_path).read_script() == (first_script(BASE), FIRST_RUN)


def test_reset_of_what_is_not_there(tmp_path: Path) -> None:
    changes.reset(tmp_path / "nothing")
    assert not (tmp_path / "nothing").exists()


def test_a_script_edited_by_hand_is_kept(tmp_path: Path) -> None:
    StateDirectory(tmp_path).prepare(BASE)
    path = tmp_path / "indexlist.txt"
    path.write_bytes(path.read_bytes() + b"# caf\xe9\r\n")
    changes.change(tmp_path, BASE, NOW)
    assert b"# caf\xe9\r\n" in path.read_bytes()


def test_a_change_as_json(tmp_path: Path) -> None:
    data = json.loads(json.dumps(changes.change(tmp_path, BASE, NOW).as_json()))
    assert data["date"] == "2026-11-06T08:49:37Z"
    assert set(data) == {
        "number", "date", "block_line", "added", "updated", "deleted", "deleted_status",
    }  # fmt: skip
