"""Asks a node on 127.0.0.1 how it is."""

from __future__ import annotations

import http.client
import json
from pathlib import Path

from local_opensearch.configuration import HTTP_PORTS_NAME

ANSWER_S = 5.0


def published_port(home: Path) -> int | None:
    """HTTP port that the node of ``home`` got; none while it does not listen yet."""
    try:
        lines = (home / "logs" / HTTP_PORTS_NAME).read_text(encoding="ascii").split()
    except OSError:
        return None
    return int(lines[0].rpartition(":")[2]) if lines else None


def health(port: int, wait_seconds: int = 0) -> str | None:
    """``green``, ``yellow`` or ``red``; none if the node does not answer.

    Waits in the node, up to ``wait_seconds``, for all its indexes to be usable.
    """
    path = "/_cluster/health"
    if wait_seconds:
        path += f"?wait_for_status=yellow&timeout={wait_seconds}s"
    answer = ask(port, "GET", path, timeout=wait_seconds + ANSWER_S)
    status = answer.get("status") if isinstance(answer, dict) else None
    return status if isinstance(status, str) else None


def ask(
    port: int, method: str, path: str, body: object = None, timeout: float = ANSWER_S
) -> object:
    """The JSON that a node answers, of whatever HTTP status; none if it does not answer."""
    # Not through an HTTP client that obeys the environment's proxies: this is our own machine.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    try:
        content = None if body is None else json.dumps(body)
        connection.request(method, path, content, {"Content-Type": "application/json"})
        return json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
