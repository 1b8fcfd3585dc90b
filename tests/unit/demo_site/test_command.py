"""The commands of the demo site."""

from __future__ import annotations

import json
import socket
from datetime import UTC, datetime
from pathlib import Path

import pytest

from demo_site.command import main
from demo_site.state import StateDirectory


def test_change_says_what_it_did(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = "2026-11-06T08:49:37Z"
    assert main(["change", "--state", str(tmp_path), "--now", now]) == 0
    said = capsys.readouterr().out
    assert "Change 1, dated 2026-11-06T08:49:37Z: script line 55" in said
    assert "deleted  http://127.0.0.1:8300/en/news/2019-lamp.html (answers 410)" in said


def test_change_as_json_is_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["change", "--state", str(tmp_path), "--port", "9000", "--format", "json"]
    assert main(arguments) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["added"] == ["http://127.0.0.1:9000/en/news/notice-1.html"]


def test_a_clock_without_a_zone_is_utc(tmp_path: Path) -> None:
    main(["change", "--state", str(tmp_path), "--now", "2026-11-06T08:49:37"])
    assert StateDirectory(tmp_path).read().changes == (
        datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC),
    )


def test_reset(tmp_path: Path) -> None:
    main(["change", "--state", str(tmp_path)])
    assert main(["reset", "--state", str(tmp_path)]) == 0
    assert StateDirectory(tmp_path).read().changes == ()


def test_a_taken_port_is_a_clear_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        assert main(["serve", "--state", str(tmp_path), "--port", port]) == 2
    said = capsys.readouterr()
    assert f"127.0.0.1:{port}: the port is taken" in said.err
    assert "--port" in said.err
    assert said.out == ""


@pytest.mark.parametrize("arguments", [[], ["dance"], ["change", "--now", "soon"]])
def test_wrong_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(arguments)
    assert raised.value.code == 2
