"""What is checked before a start, because OpenSearch itself would fail late and unclearly."""

from __future__ import annotations

import errno
import shutil
import socket
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from local_opensearch.configuration import DISK_LIMITS_MB
from local_opensearch.errors import NotEnoughDiskError, NotEnoughMemoryError, PortTakenError
from local_opensearch.places import HEAP_VARIABLE, PORT_VARIABLE

JAVA_OVERHEAD_MB = 256
"""What Java needs beside its heap; the notes of docs/adr/0003-local-opensearch.md measure it."""


def require_free_port(port: int, purpose: str) -> None:
    """Raise :class:`PortTakenError` if something listens on ``port`` of 127.0.0.1. 0 is free."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Java does: a port whose last connections are closing is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise
            raise _port_taken(port, purpose, error.errno) from error


def _port_taken(port: int, purpose: str, number: int) -> PortTakenError:
    if number == errno.EACCES:
        reason = "is reserved for root"
    else:
        reason = f"is taken by {holder_of(port) or 'another program'}"
    return PortTakenError(
        f"Port {port} ({purpose}) {reason}.",
        hint=f"Choose another with --port or {PORT_VARIABLE}.",
        port=str(port),
    )


def holder_of(port: int) -> str:
    """Name and pid of the program that listens on ``port``; empty if the system does not tell."""
    try:
        for connection in psutil.net_connections("tcp"):
            if (
                connection.status == psutil.CONN_LISTEN
                and connection.laddr.port == port
                and connection.pid
            ):
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    except psutil.Error:
        return ""
    return ""


def require_memory(heap_mb: int, available_mb: int | None = None) -> None:
    """Raise :class:`NotEnoughMemoryError` if heap and Java's own need exceed what is available."""
    if available_mb is None:
        available_mb = psutil.virtual_memory().available // 2**20
    needed = heap_mb + JAVA_OVERHEAD_MB
    if available_mb < needed:
        raise NotEnoughMemoryError(
            f"OpenSearch needs {needed} MB of memory (heap {heap_mb} MB and {JAVA_OVERHEAD_MB} MB"
            f" around it); {available_mb} MB are free.",
            hint=f"End other programs, or choose a smaller heap with --heap-mb or {HEAP_VARIABLE}"
            " (512 is enough for small sites).",
            needed_mb=str(needed),
            available_mb=str(available_mb),
        )


def require_disk(home: Path, free_mb: int | None = None) -> None:
    """Raise :class:`NotEnoughDiskError` if OpenSearch would refuse to place an index in ``home``.

    ``home`` or one of its parents must exist.
    """
    if free_mb is None:
        existing = next(folder for folder in (home, *home.parents) if folder.exists())
        free_mb = shutil.disk_usage(existing).free // 2**20
    needed = DISK_LIMITS_MB["low"]
    if free_mb < needed:
        raise NotEnoughDiskError(
            f"The disk of {home} has {free_mb} MB free; OpenSearch creates no index below"
            f" {needed} MB and makes indexes read-only below {DISK_LIMITS_MB['flood_stage']} MB.",
            hint="Free some disk, or choose another folder with --home or SITE_INDEXER_STATE.",
            home=str(home),
            free_mb=str(free_mb),
        )
