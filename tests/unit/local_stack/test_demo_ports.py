"""A demo that cannot start touches nothing of one that runs."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from local_stack.airflow_process import HOST, free_port, require_free
from local_stack.demo import running_stack
from local_stack.errors import PortInUseError


def test_a_taken_port_is_named_with_what_to_do() -> None:
    require_free(free_port(), "Airflow", "choose another")
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortInUseError, match=rf"Port {port} for Airflow") as caught:
            require_free(port, "Airflow", "choose another")
    assert caught.value.hint == "Stop that program, or choose another."


def test_a_second_demo_is_refused_before_it_deletes_anything(tmp_path: Path) -> None:
    data = tmp_path / "opensearch" / "data" / "kept"
    data.mkdir(parents=True)
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        with (
            pytest.raises(PortInUseError),
            running_stack(tmp_path, other.getsockname()[1]),
        ):
            pass
    assert data.exists()
