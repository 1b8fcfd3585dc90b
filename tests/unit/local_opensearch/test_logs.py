from __future__ import annotations

import os
from pathlib import Path

import pytest

from local_opensearch.logs import TAIL_BYTES, last_lines


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "logs").mkdir()
    return tmp_path


def test_what_java_said_comes_first(home: Path) -> None:
    (home / "logs" / "site-indexer-local.log").write_text("log\n")
    (home / "logs" / "console.log").write_text("one\n\ntwo\n")
    assert last_lines(home, 0) == "one\ntwo"


def test_the_log_is_read_where_java_said_nothing(home: Path) -> None:
    (home / "logs" / "console.log").write_text("\n")
    (home / "logs" / "site-indexer-local.log").write_text("".join(f"{n}\n" for n in range(100)))
    assert last_lines(home, 0, count=3) == "97\n98\n99"


def test_stack_traces_do_not_hide_the_reason(home: Path) -> None:
    frames = "\tat org.example.Main.main(Main.java:1)\n" * 50 + "\t... 9 more\n"
    (home / "logs" / "console.log").write_text("error: no folder\n" + frames)
    assert last_lines(home, 0) == "error: no folder"


def test_lines_of_an_earlier_start_are_not_shown(home: Path) -> None:
    log = home / "logs" / "site-indexer-local.log"
    log.write_text("old\n")
    os.utime(log, (1000, 1000))
    assert last_lines(home, 2000) == ""


def test_only_the_end_of_a_long_log_is_read(home: Path) -> None:
    text = "é" * (4 * TAIL_BYTES) + "\nlast\n"
    (home / "logs" / "console.log").write_text(text, encoding="utf-8")
    assert last_lines(home, 0, count=1) == "last"
