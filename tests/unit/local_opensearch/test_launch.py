"""Starting a process that belongs to an owner, or to nobody; in place of a node, Python waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from local_opensearch.errors import JavaUnusableError
from local_opensearch.launch import FOREIGN_OPTIONS, launch

INCLUDE = str(Path(__file__).parents[3] / "include")
SLEEPER = [sys.executable, "-c", "import signal; signal.pause()"]
OWNER = """
import json, os, sys
from pathlib import Path
from local_opensearch.launch import launch
folder, how = Path(sys.argv[1]), sys.argv[2]
launched = launch(json.loads(sys.argv[3]), folder, folder / "log", attached=how != "detached")
if how == "fork" and os.fork() == 0:
    sys.stdin.read()
    os._exit(0)
sys.stdout.write(json.dumps(launched.pid) + "\\n")
sys.stdout.flush()
sys.stdin.read()
"""


@contextmanager
def owner_of_sleeper(
    folder: Path, how: str
) -> Iterator[tuple[subprocess.Popen[bytes], psutil.Process]]:
    """A program that launched a process, and that process."""
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(folder), how, json.dumps(SLEEPER)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": INCLUDE},
    )
    assert owner.stdout
    process = psutil.Process(json.loads(owner.stdout.readline()))
    try:
        yield owner, process
    finally:
        owner.kill()
        owner.communicate()
        if process.is_running():
            process.kill()


def tether_of(process: psutil.Process) -> psutil.Process:
    parent = process.parent()
    assert parent
    return parent


def is_gone(process: psutil.Process) -> bool:
    _, alive = psutil.wait_procs([process], timeout=30)
    return not alive


@pytest.mark.parametrize("how", ["attached", "fork"])
def test_an_attached_process_ends_with_a_killed_owner(tmp_path: Path, how: str) -> None:
    with owner_of_sleeper(tmp_path, how) as (owner, process):
        tether = tether_of(process)
        owner.kill()
        assert is_gone(process)
        assert is_gone(tether)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's end")
def test_an_attached_process_ends_with_a_killed_tether(tmp_path: Path) -> None:
    with owner_of_sleeper(tmp_path, "attached") as (_, process):
        tether_of(process).kill()
        assert is_gone(process)


def test_a_tether_that_is_asked_to_end_ends_its_process(tmp_path: Path) -> None:
    with owner_of_sleeper(tmp_path, "attached") as (_, process):
        tether_of(process).terminate()
        assert is_gone(process)


def test_a_detached_process_outlives_its_owner(tmp_path: Path) -> None:
    with owner_of_sleeper(tmp_path, "detached") as (owner, process):
        owner.kill()
        owner.wait(20)
        assert process.is_running()
        assert os.getsid(process.pid) != os.getsid(0)


def test_releasing_an_attached_process_ends_it_and_its_tether(tmp_path: Path) -> None:
    launched = launch(SLEEPER, tmp_path, tmp_path / "log", attached=True)
    assert launched.tether
    launched.release()
    assert launched.tether.returncode is not None
    assert not psutil.pid_exists(launched.pid)


def test_output_goes_to_the_log_and_options_of_other_programs_are_kept_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in FOREIGN_OPTIONS:
        monkeypatch.setenv(name, "harmful")
    tell = "import os; print(sorted(os.environ), flush=True); os.write(2, b'bye')"
    command = [sys.executable, "-c", tell]
    launched = launch(command, tmp_path, tmp_path / "log", attached=True)
    assert launched.tether
    launched.tether.wait(20)
    launched.release()
    text = (tmp_path / "log").read_text()
    assert "PATH" in text
    assert not any(name in text for name in FOREIGN_OPTIONS)
    assert text.endswith("bye")


@pytest.mark.parametrize("attached", [True, False])
def test_a_program_that_the_system_cannot_run_is_an_error(tmp_path: Path, attached: bool) -> None:
    with pytest.raises(JavaUnusableError, match="No such file"):
        launch([str(tmp_path / "java")], tmp_path, tmp_path / "log", attached=attached)
