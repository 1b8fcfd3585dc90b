from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from local_opensearch.java import home_property
from local_opensearch.process import end_node, is_node

WAIT = "import sys; sys.stdout.write('ready\\n'); sys.stdout.flush(); sys.stdin.read()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); " + WAIT


@contextmanager
def pretended_node(home: Path, program: str = WAIT) -> Iterator[subprocess.Popen[bytes]]:
    """A process whose command line is that of the node of ``home``."""
    process = subprocess.Popen(
        [sys.executable, "-c", program, home_property(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdout
    process.stdout.readline()
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_node_is_known_by_its_home(tmp_path: Path) -> None:
    with pretended_node(tmp_path) as process:
        assert is_node(process.pid, tmp_path)
        assert not is_node(process.pid, tmp_path / "other")


def test_a_pid_used_by_another_program_is_not_the_node(tmp_path: Path) -> None:
    assert not is_node(os.getpid(), tmp_path)


def test_a_pid_that_is_free_is_not_the_node(tmp_path: Path) -> None:
    with pretended_node(tmp_path) as process:
        pass
    assert not is_node(process.pid, tmp_path)


def test_a_zombie_is_not_the_node(tmp_path: Path) -> None:
    with pretended_node(tmp_path) as process:
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE
        assert not is_node(process.pid, tmp_path)


def test_a_node_is_asked_to_end(tmp_path: Path) -> None:
    with pretended_node(tmp_path) as process:
        end_node(process.pid, tmp_path, 20)
        assert process.wait(10) == -15


def test_a_node_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    with pretended_node(tmp_path, STUBBORN) as process:
        end_node(process.pid, tmp_path, 0.1)
        assert process.wait(10) == -9


def test_ending_a_node_that_is_gone_is_no_error(tmp_path: Path) -> None:
    with pretended_node(tmp_path) as process:
        pass
    end_node(process.pid, tmp_path, 1)
