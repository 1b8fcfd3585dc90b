from __future__ import annotations

import json
from pathlib import Path

import pytest

from local_opensearch.__main__ import main
from local_opensearch.command import as_text

NEVER_STARTED = {
    "running": False,
    "ready": False,
    "url": None,
    "pid": None,
    "version": "3.9.0",
    "heap_mb": None,
    "health": None,
    "attached": False,
}


@pytest.mark.parametrize(
    ("command", "more"), [("status", {}), ("stop", {"stopped": False}), ("reset", {"reset": True})]
)
def test_commands_on_a_home_where_nothing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, more: dict[str, bool]
) -> None:
    home = tmp_path / "home"
    assert main([command, "--home", str(home), "--format", "json"]) == 0
    expected = {**NEVER_STARTED, "home": str(home), **more}
    assert json.loads(capsys.readouterr().out) == expected
    assert not home.exists()


def test_text_for_people_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--home", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"OpenSearch is stopped (files in {tmp_path})\n"


def test_a_running_node_is_told_with_its_address(tmp_path: Path) -> None:
    document = {
        **NEVER_STARTED,
        "running": True,
        "ready": True,
        "url": "http://127.0.0.1:9200",
        "pid": 7,
        "heap_mb": 512,
        "home": str(tmp_path),
    }
    assert as_text(document).startswith("OpenSearch 3.9.0 answers at http://127.0.0.1:9200 (pid 7")
    assert "is starting" in as_text({**document, "ready": False})


def test_an_error_is_a_document_on_request(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter.txt").touch()
    assert main(["reset", "--home", str(tmp_path), "--format", "json"]) == 2
    output = capsys.readouterr()
    error = json.loads(output.out)["error"]
    assert error["code"] == "foreign-home"
    assert error["home"] == str(tmp_path)
    assert output.err == ""


def test_an_error_is_text_for_people_otherwise(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "letter.txt").touch()
    assert main(["start", "--home", str(tmp_path), "--port", "0"]) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert str(tmp_path) in output.err


@pytest.mark.parametrize("words", [[], ["restart"], ["start", "--port", "x"]])
def test_wrong_usage_ends_with_2(words: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
