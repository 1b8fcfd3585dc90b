"""The four commands on the local node, for the shell: each returns what it prints as JSON.

All but ``reset`` return the status document: ``{"running", "ready", "url", "pid", "version",
"home", "heap_mb", "health", "attached"}``, see :class:`local_opensearch.node.NodeStatus`.
``start`` adds ``"started"`` (false if it ran already), ``stop`` adds ``"stopped"`` (false if none
ran), ``reset`` adds ``"reset": true``. Where an argument is none, the environment decides, then
the default (:mod:`local_opensearch.places`). Errors: :mod:`local_opensearch.errors`.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from local_opensearch.node import START_WAIT_S, Node
from local_opensearch.places import default_heap_mb, default_home, default_http_port

Document = dict[str, str | int | bool | None]


def start(
    home: Path | None = None,
    port: int | None = None,
    heap_mb: int | None = None,
    wait_seconds: float = START_WAIT_S,
) -> Document:
    """Start the node, which then lives on by itself; it answers when this returns."""
    node = Node(
        _home(home),
        default_http_port() if port is None else port,
        heap_mb=default_heap_mb() if heap_mb is None else heap_mb,
    )
    ran = node.status().running
    node.start(wait_seconds)
    return {**_status(node), "started": not ran}


def stop(home: Path | None = None) -> Document:
    """End the node and wait until it has ended."""
    node = Node(_home(home))
    stopped = node.stop()
    return {**_status(node), "stopped": stopped}


def status(home: Path | None = None) -> Document:
    """How the node is."""
    return _status(Node(_home(home)))


def reset(home: Path | None = None) -> Document:
    """End the node and delete all its indexes and logs."""
    node = Node(_home(home))
    node.reset()
    return {**_status(node), "reset": True}


def as_text(document: Document) -> str:
    """A document of this module as one line for people."""
    if document["running"]:
        state = "answers" if document["ready"] else "is starting"
        return (
            f"OpenSearch {document['version']} {state} at {document['url']}"
            f" (pid {document['pid']}, heap {document['heap_mb']} MB, files in {document['home']})"
        )
    if document.get("reset"):
        return f"OpenSearch is stopped and its data in {document['home']} is deleted"
    return f"OpenSearch is stopped (files in {document['home']})"


def _home(home: Path | None) -> Path:
    return default_home() if home is None else home


def _status(node: Node) -> Document:
    document: Document = asdict(node.status())
    return {**document, "home": str(node.home)}
