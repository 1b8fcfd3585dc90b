"""``python -m local_opensearch`` with real nodes of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import requests

from local_opensearch import Node

pytestmark = pytest.mark.opensearch

INCLUDE = str(Path(__file__).parents[3] / "include")
SMALL = ("--port", "0", "--heap-mb", "512")


class Shell:
    """The command line on one home."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def begin(self, name: str, *options: str) -> subprocess.Popen[bytes]:
        program = [sys.executable, "-m", "local_opensearch", name, "--home", str(self.home)]
        return subprocess.Popen(
            [*program, "--format", "json", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            # The plain C locale is the hardest one for names of files.
            env={**os.environ, "PYTHONPATH": INCLUDE, "LC_ALL": "C", "PYTHONUTF8": "1"},
        )

    def end(self, process: subprocess.Popen[bytes], status: int = 0) -> dict[str, Any]:
        output, errors = process.communicate(timeout=200)
        assert process.returncode == status, (output, errors)
        document = json.loads(output)
        assert isinstance(document, dict)
        return document

    def __call__(self, name: str, *options: str, status: int = 0) -> dict[str, Any]:
        return self.end(self.begin(name, *options), status)


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    one = Shell(tmp_path / "ein Häuschen")
    yield one
    one("stop")


def count(url: str) -> int:
    answer = requests.get(f"{url}/kept/_count", timeout=10)
    return int(answer.json()["count"])


def is_gone(pid: int) -> bool:
    """Whether the process ended; the system may still keep its status for its parent."""
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


def test_a_node_lives_on_until_it_is_stopped(shell: Shell) -> None:
    at_once = [shell.begin("start", *SMALL) for _ in range(2)]
    started, other = (shell.end(process) for process in at_once)
    assert (started["pid"], started["url"]) == (other["pid"], other["url"])
    assert (started["running"], started["ready"], started["attached"]) == (True, True, False)
    del started["started"]
    assert shell("status") == started

    again = shell("start", *SMALL)
    assert (again["started"], again["pid"]) == (False, started["pid"])

    words = psutil.Process(started["pid"]).cmdline()
    assert any(word.startswith("-XX:AOTCache=") for word in words)

    with Node(shell.home, http_port=0) as same:
        assert same.url == started["url"]
    assert shell("status") == started

    refused = shell("start", "--port", "1", status=2)["error"]
    assert refused["code"] == "node-on-other-port"
    assert started["url"].endswith(f":{refused['port']}")

    assert shell("stop")["stopped"]
    assert is_gone(started["pid"])
    assert not shell("status")["running"]


def test_a_killed_node_starts_again_with_its_data_until_it_is_reset(shell: Shell) -> None:
    started = shell("start", *SMALL)
    url = started["url"]
    requests.put(f"{url}/kept", json={"settings": {"number_of_replicas": 0}}, timeout=30)
    requests.put(f"{url}/kept/_doc/1?refresh=true", json={"a": 1}, timeout=10)

    os.kill(started["pid"], signal.SIGKILL)
    psutil.wait_procs([psutil.Process(started["pid"])], timeout=20)
    assert not shell("status")["running"]

    later = shell("start", *SMALL)
    assert (later["started"], later["health"]) == (True, "green")
    assert count(later["url"]) == 1

    assert shell("reset")["reset"]
    assert is_gone(later["pid"])
    assert not (shell.home / "data").exists()
