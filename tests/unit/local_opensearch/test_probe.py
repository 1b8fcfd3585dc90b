from __future__ import annotations

import socket
from pathlib import Path

import pytest

from local_opensearch.probe import ask, health, published_port


@pytest.mark.parametrize(
    ("text", "expected"),
    [("127.0.0.1:9201\n", 9201), ("[::1]:9202\n127.0.0.1:9202", 9202), ("", None)],
)
def test_the_port_is_the_one_that_opensearch_wrote(
    tmp_path: Path, text: str, expected: int | None
) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "http.ports").write_text(text)
    assert published_port(tmp_path) == expected


def test_without_the_file_there_is_no_port_yet(tmp_path: Path) -> None:
    assert published_port(tmp_path) is None


def test_where_nothing_listens_nothing_answers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert ask(port, "GET", "/") is None
    assert health(port) is None
