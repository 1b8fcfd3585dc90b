"""An attached node never outlives its owner."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from local_opensearch import Node

pytestmark = pytest.mark.opensearch

INCLUDE = str(Path(__file__).parents[3] / "include")
OWNER = """
import json, sys
from pathlib import Path
from local_opensearch import Node
with Node(Path(sys.argv[1]), http_port=0, heap_mb=512) as node:
    sys.stdout.write(json.dumps(node.status().pid) + "\\n")
    sys.stdout.flush()
    sys.stdin.read()
"""


def with_tether(node: psutil.Process) -> list[psutil.Process]:
    tether = node.parent()
    assert tether
    return [node, tether]


def fail_in_block(node: Node, seen: list[psutil.Process]) -> None:
    with node:
        status = node.status()
        assert status.attached
        process = psutil.Process(status.pid)
        seen += with_tether(process)
        raise KeyboardInterrupt


def test_a_block_that_fails_ends_its_node(tmp_path: Path) -> None:
    node = Node(tmp_path, http_port=0, heap_mb=512)
    seen: list[psutil.Process] = []
    with pytest.raises(KeyboardInterrupt):
        fail_in_block(node, seen)
    assert len(seen) == 2
    assert not any(process.is_running() for process in seen)
    assert not node.status().running


def test_a_killed_owner_takes_its_node_along(tmp_path: Path) -> None:
    owner = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": INCLUDE},
    )
    assert owner.stdout
    node = psutil.Process(json.loads(owner.stdout.readline()))
    processes = with_tether(node)
    owner.kill()
    owner.communicate()
    _, alive = psutil.wait_procs(processes, timeout=60)
    assert not alive
    assert not Node(tmp_path).status().running
