from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from local_opensearch.configuration import DISK_LIMITS_MB
from local_opensearch.errors import NotEnoughDiskError, NotEnoughMemoryError, PortTakenError
from local_opensearch.places import PORT_VARIABLE
from local_opensearch.preflight import (
    JAVA_OVERHEAD_MB,
    container_limit_mb,
    holder_of,
    require_disk,
    require_free_port,
    require_memory,
)
from site_indexer.errors import ConfigurationError


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_taken_port_is_named_with_its_holder(taken_port: int) -> None:
    with pytest.raises(PortTakenError) as caught:
        require_free_port(taken_port, "HTTP")
    assert f"Port {taken_port} (HTTP) is taken by" in caught.value.message
    assert PORT_VARIABLE in caught.value.hint
    assert caught.value.context["port"] == str(taken_port)
    if sys.platform == "linux":
        assert f"(pid {os.getpid()})" in caught.value.message


def test_a_port_taken_on_all_addresses_is_taken() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server, pytest.raises(PortTakenError):
        require_free_port(server.getsockname()[1], "HTTP")


def test_any_free_port_and_a_freed_one_are_free(taken_port: int) -> None:
    require_free_port(0, "HTTP")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    require_free_port(port, "HTTP")


def test_a_port_whose_last_connections_are_closing_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            # The side that closes first keeps the port for a while.
            accepted.close()
            assert client.recv(1) == b""
    require_free_port(port, "HTTP")


def test_nobody_holds_a_free_port() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert holder_of(port) == ""


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_number_that_is_no_port_is_refused(port: int) -> None:
    with pytest.raises(ConfigurationError, match=f"{port} is no port"):
        require_free_port(port, "HTTP")


def test_memory_must_hold_the_heap_and_what_is_around_it() -> None:
    require_memory(512, available_mb=512 + JAVA_OVERHEAD_MB)
    with pytest.raises(NotEnoughMemoryError) as caught:
        require_memory(512, available_mb=512 + JAVA_OVERHEAD_MB - 1)
    assert "heap 512 MB" in caught.value.message
    assert "767 MB are free" in caught.value.message
    assert caught.value.exit_status == 3


def test_a_heap_in_which_nothing_starts_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="expected 128 MB"):
        require_memory(127, available_mb=100_000)


@pytest.mark.parametrize(("text", "expected"), [("536870912\n", 512), ("max\n", sys.maxsize)])
def test_a_container_has_the_limit_its_system_tells(
    tmp_path: Path, text: str, expected: int
) -> None:
    (tmp_path / "memory.max").write_text(text)
    assert container_limit_mb(tmp_path / "memory.max") == expected


def test_a_system_without_such_limits_has_none(tmp_path: Path) -> None:
    assert container_limit_mb(tmp_path / "none") == sys.maxsize


def test_disk_is_measured_where_the_home_will_be(tmp_path: Path) -> None:
    require_disk(tmp_path / "not" / "yet" / "there")
    require_disk(tmp_path, free_mb=DISK_LIMITS_MB["low"])


def test_too_little_disk_is_named_with_the_limits(tmp_path: Path) -> None:
    with pytest.raises(NotEnoughDiskError) as caught:
        require_disk(tmp_path, free_mb=511)
    for part in (str(tmp_path), "511 MB free", "512 MB", "256 MB"):
        assert part in caught.value.message
