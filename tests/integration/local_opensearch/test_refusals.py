"""Starts that must fail, with what a person can read then."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from local_opensearch import Node
from local_opensearch.configuration import FIRST_LINE
from local_opensearch.errors import (
    HomeError,
    JavaUnusableError,
    LocalNodeError,
    NodeDiedError,
    NodeNotReadyError,
    PortTakenError,
)

pytestmark = pytest.mark.opensearch


def small_node(home: Path, http_port: int = 0, java: Path | None = None) -> Node:
    return Node(home, http_port, heap_mb=512, java=java)


def test_a_port_that_a_node_has_is_named_with_its_holder(
    opensearch_url: str, tmp_path: Path
) -> None:
    port = int(opensearch_url.rpartition(":")[2])
    with pytest.raises(PortTakenError) as caught:
        small_node(tmp_path, port).start()
    assert f"Port {port} (HTTP) is taken by" in caught.value.message
    if sys.platform == "linux":
        assert "java (pid " in caught.value.message
    assert not small_node(tmp_path).status().running


def test_a_node_that_dies_shows_its_last_lines(tmp_path: Path) -> None:
    home = tmp_path
    node = small_node(home)
    (home / "config").mkdir()
    (home / "config" / "opensearch.yml").write_text(FIRST_LINE)
    (home / "data").mkdir()
    (home / "data" / "nodes").write_text("no folder")
    with pytest.raises(NodeDiedError) as caught:
        node.start()
    assert "nodes" in caught.value.message
    assert str(home / "logs") in caught.value.hint
    assert not node.status().running


def test_a_node_that_does_not_answer_in_time_is_ended(tmp_path: Path) -> None:
    node = small_node(tmp_path)
    with pytest.raises(NodeNotReadyError, match="within 0 s"):
        node.start(wait_seconds=0.01)
    assert not node.status().running


def test_a_java_that_does_not_run_is_named(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho no such machine >&2\nexit 1\n")
    java.chmod(0o755)
    with pytest.raises(JavaUnusableError, match="no such machine"):
        small_node(tmp_path / "home", java=java).start()
    with pytest.raises(JavaUnusableError, match="No such file"):
        small_node(tmp_path / "home", java=tmp_path / "none").start()


def test_a_home_that_is_no_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeError, match="file"):
        small_node(tmp_path / "file").start()


def test_the_address_of_a_node_that_never_ran_is_not_known(tmp_path: Path) -> None:
    with pytest.raises(LocalNodeError, match="does not run"):
        _ = small_node(tmp_path).url
    assert Node(tmp_path, 9321).url == "http://127.0.0.1:9321"
