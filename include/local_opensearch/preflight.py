"""What is checked before a start, because OpenSearch itself would fail late and unclearly."""

from __future__ import annotations

import errno
import shutil
import socket
import sys
from pathlib import Path

import psutil

from local_opensearch.configuration import DISK_LIMITS_MB
from local_opensearch.errors import NotEnoughDiskError, NotEnoughMemoryError, PortTakenError
from local_opensearch.places import HEAP_VARIABLE, PORT_VARIABLE
from site_indexer.errors import ConfigurationError

HIGHEST_PORT = 65535

LOWEST_HEAP_MB = 128
"""In half of it OpenSearch still starts, and then fails under the first load."""

CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
"""Where Linux tells a container its limit (cgroup v2)."""

JAVA_OVERHEAD_MB = 256
"""What Java needs beside its heap; the notes of docs/adr/0003-local-opensearch.md measure it."""


def require_free_port(port: int, purpose: str) -> None:
    """Raise :class:`PortTakenError` if something listens on ``port`` of 127.0.0.1. 0 is free.

    Raises ``ConfigurationError`` for a number that is no port.
    """
    if not 0 <= port <= HIGHEST_PORT:
        raise ConfigurationError(
            f"{port} is no port ({purpose}); expected a whole number from 0 to {HIGHEST_PORT}.",
            hint=f"Choose one with --port or {PORT_VARIABLE}; 0 takes any free one.",
            port=str(port),
        )
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
                and connection.laddr
                and connection.laddr.port == port
                and connection.pid
            ):
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
    except psutil.Error:
        return ""
    return ""


def require_memory(heap_mb: int, available_mb: int | None = None) -> None:
    """Raise :class:`NotEnoughMemoryError` if heap and Java's own need exceed what is available.

    Raises ``ConfigurationError`` for a heap in which OpenSearch does not start at all.
    """
    if heap_mb < LOWEST_HEAP_MB:
        raise ConfigurationError(
            f"A heap of {heap_mb} MB is too small for OpenSearch; expected {LOWEST_HEAP_MB} MB"
            " or more.",
            hint=f"Choose 512 or more with --heap-mb or {HEAP_VARIABLE}.",
            heap_mb=str(heap_mb),
        )
    if available_mb is None:
        available_mb = min(psutil.virtual_memory().available // 2**20, container_limit_mb())
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


def container_limit_mb(limit_file: Path = CONTAINER_LIMIT) -> int:
    """Memory that the container may use, in megabytes; a huge number without such a limit."""
    try:
        text = limit_file.read_text(encoding="ascii").strip()
    except OSError:
        text = ""
    return int(text) // 2**20 if text.isdecimal() else sys.maxsize


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
