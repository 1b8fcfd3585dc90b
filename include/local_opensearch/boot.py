"""Brings a node's process up: writes its files, starts it, waits until it answers."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from local_opensearch import preflight
from local_opensearch.configuration import CONSOLE_NAME, write_home
from local_opensearch.errors import NodeDiedError, NodeNotReadyError
from local_opensearch.installation import Installation
from local_opensearch.java import node_command, require_working
from local_opensearch.launch import Launched, launch
from local_opensearch.logs import last_lines
from local_opensearch.probe import health, published_port
from local_opensearch.process import POLL_S, is_node

RECOVERY_S = 30
"""How long indexes may take to be usable again; one that is broken never is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePlan:
    """All that a node is started with. Ports of 0 mean any free one."""

    home: Path
    installation: Installation
    java: Path
    heap_mb: int
    http_port: int = 0
    transport_port: int = 0
    java_options: tuple[str, ...] = ()


def start_process(plan: NodePlan, *, attached: bool) -> Launched:
    """Write the files of the home and start the node's process. ``attached``: see ``launch``.

    Raises ``OSError`` if the home cannot be written and
    :class:`~local_opensearch.errors.JavaUnusableError`.
    """
    write_home(plan.home, plan.installation, plan.http_port, plan.transport_port)
    command = node_command(plan.java, plan.installation, plan.home, plan.heap_mb, plan.java_options)
    console = plan.home / "logs" / CONSOLE_NAME
    return launch(command, plan.home, console, attached=attached)


def wait_ready(plan: NodePlan, pid: int, began: float, wait_seconds: float) -> int:
    """HTTP port of the node, once it answers and its indexes are usable (or known to be red).

    ``began`` is the time of its start (seconds since the epoch). Raises
    :class:`~local_opensearch.errors.NodeDiedError`, or an error with the reason for its end where
    that is known, or :class:`~local_opensearch.errors.NodeNotReadyError`.
    """
    deadline = time.monotonic() + wait_seconds
    while time.monotonic() < deadline:
        port = published_port(plan.home)
        if port is not None:
            remaining = max(1, min(RECOVERY_S, int(deadline - time.monotonic())))
            if health(port, remaining) is not None:
                return port
        if not is_node(pid, plan.home):
            raise _died(plan, began)
        time.sleep(POLL_S)
    raise NodeNotReadyError(
        f"OpenSearch did not answer within {wait_seconds:.0f} s; it was stopped.",
        hint=f"Read {plan.home}/logs, or wait longer.",
        home=str(plan.home),
    )


def _died(plan: NodePlan, began: float) -> NodeDiedError:
    """The error for a node that ended; raises a more telling one where there is a reason."""
    require_working(plan.java)
    preflight.require_free_port(plan.http_port, "HTTP")
    preflight.require_free_port(plan.transport_port, "transport")
    return NodeDiedError(
        "OpenSearch ended while it was starting. Its last lines:\n"
        f"{last_lines(plan.home, began)}\n",
        hint=f"Read {plan.home}/logs.",
        home=str(plan.home),
    )
