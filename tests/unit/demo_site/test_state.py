"""The state directory: whole files, clear errors."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from demo_site import changes
from demo_site.errors import StateUnusableError
from demo_site.state import State, StateDirectory, default_state_directory

BASE = "http://127.0.0.1:8300"
NOW = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)


def test_no_temporary_files_stay(tmp_path: Path) -> None:
    changes.change(tmp_path, BASE, NOW)
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"state.json", "indexlist.txt", ".lock"}


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"base_url": "x", "changes": ["soon"]}'])
def test_a_state_that_cannot_be_read_is_an_error_that_helps(tmp_path: Path, text: str) -> None:
    (tmp_path / "state.json").write_text(text)
    with pytest.raises(StateUnusableError, match=r"state\.json.*reset"):
        changes.change(tmp_path, BASE, NOW)


def test_a_directory_that_cannot_be_made_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StateUnusableError, match="file/state"):
        changes.change(tmp_path / "file" / "state", BASE, NOW)


def test_the_version_changes_with_the_state(tmp_path: Path) -> None:
    directory = StateDirectory(tmp_path)
    versions = [directory.version()]
    for number in range(1, 4):
        directory.write(State(BASE, (NOW,) * number))
        versions.append(directory.version())
    assert len(set(versions)) == 4


def test_where_the_state_is_by_default(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SITE_INDEXER_STATE", str(tmp_path))
    assert default_state_directory() == tmp_path / "demo-site"
    monkeypatch.delenv("SITE_INDEXER_STATE")
    assert default_state_directory() == Path(__file__).parents[3] / ".state" / "demo-site"
