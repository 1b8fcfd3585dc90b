"""One OpenSearch node on this machine: start, stop, status, reset."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Self

from local_opensearch import fast_start, file_lock, preflight
from local_opensearch.boot import NodePlan, start_process, wait_ready
from local_opensearch.configuration import LOCK_NAME, is_ours, require_own_home
from local_opensearch.errors import (
    HomeError,
    LocalNodeError,
    NodeOnOtherPortError,
)
from local_opensearch.installation import install
from local_opensearch.java import bundled_java
from local_opensearch.launch import Launched
from local_opensearch.pins import VERSION
from local_opensearch.places import (
    DEFAULT_HEAP_MB,
    DEFAULT_HTTP_PORT,
    cache_root,
    fast_start_wanted,
)
from local_opensearch.probe import health, published_port
from local_opensearch.process import end_node, is_node
from local_opensearch.record import NodeRecord, read_record, remove_record, write_record

START_WAIT_S = 120.0
STOP_WAIT_S = 30.0


@dataclass(frozen=True, slots=True)
class NodeStatus:
    """How a node is. ``url``, ``pid`` and ``heap_mb`` are none unless it runs.

    ``health`` is the cluster's (``green``, ``yellow``, ``red``), none while it does not answer;
    ``ready`` says that it does.
    """

    running: bool
    ready: bool
    url: str | None
    pid: int | None
    version: str
    home: Path
    heap_mb: int | None
    health: str | None
    attached: bool


class Node:
    """A node whose files are in ``home`` and that listens on 127.0.0.1.

    A port of 0 takes any free one (:attr:`url` tells which). As a context manager the node is
    attached: it ends with the block, and with this process even if that is killed. One that ran
    before the block is used and left running.
    """

    def __init__(
        self,
        home: Path,
        http_port: int = DEFAULT_HTTP_PORT,
        transport_port: int = 0,
        heap_mb: int = DEFAULT_HEAP_MB,
        *,
        cache: Path | None = None,
        java: Path | None = None,
    ) -> None:
        # One spelling: the node is known by it.
        self.home = home.resolve()
        self._http_port = http_port
        self._transport_port = transport_port
        self._heap_mb = heap_mb
        self._cache = cache or cache_root()
        self._java = java
        self._launched: Launched | None = None

    @property
    def url(self) -> str:
        """Base URL of the node, without a slash at its end.

        Raises :class:`LocalNodeError` where the port is chosen at start and it does not run.
        """
        record = self._running()
        port = record.http_port if record else self._http_port
        if not port:
            raise LocalNodeError(
                f"The OpenSearch of {self.home} does not run, so its port is not known yet.",
                hint="Start it first.",
                home=str(self.home),
            )
        return _url(port)

    def start(self, wait_seconds: float = START_WAIT_S, *, attached: bool = False) -> NodeStatus:
        """Start the node and wait until it answers; without effect if it runs already.

        ``wait_seconds`` counts from the start of its process, not the download before a first
        start. Raises errors of :mod:`local_opensearch.errors`; a node that failed is ended.
        """
        require_own_home(self.home)
        with _home_errors(self.home), file_lock.exclusive(self.home / LOCK_NAME):
            record = self._running()
            if record is None:
                self._start_process(wait_seconds, attached=attached)
            else:
                self._require_same_port(record)
        return self.status()

    def stop(self, wait_seconds: float = STOP_WAIT_S) -> bool:
        """End the node; whether one ran. Raises ``NodeNotStoppedError``."""
        record = self._running()
        if record is not None:
            end_node(record.pid, self.home, wait_seconds)
        if self._launched is not None:
            self._launched.release()
            self._launched = None
        with _home_errors(self.home):
            remove_record(self.home)
        return record is not None

    def status(self) -> NodeStatus:
        """How the node is now."""
        record = self._running()
        if record is None:
            return NodeStatus(
                running=False,
                ready=False,
                url=None,
                pid=None,
                version=VERSION,
                home=self.home,
                heap_mb=None,
                health=None,
                attached=False,
            )
        found = health(record.http_port) if record.http_port else None
        return NodeStatus(
            running=True,
            ready=found is not None,
            url=_url(record.http_port) if record.http_port else None,
            pid=record.pid,
            version=record.version,
            home=self.home,
            heap_mb=record.heap_mb,
            health=found,
            attached=record.attached,
        )

    def reset(self) -> None:
        """End the node and delete its data and logs.

        Raises :class:`~local_opensearch.errors.ForeignHomeError` if no node wrote the home.
        """
        require_own_home(self.home)
        if not is_ours(self.home):
            return
        with _home_errors(self.home), file_lock.exclusive(self.home / LOCK_NAME):
            self.stop()
            for folder in ("data", "logs", "tmp"):
                if (self.home / folder).exists():
                    shutil.rmtree(self.home / folder)

    def __enter__(self) -> Self:
        self.start(attached=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._launched is not None:
            self.stop()

    def _running(self) -> NodeRecord | None:
        """The record of the node if its process is there; a stale record counts as none."""
        record = read_record(self.home)
        if record is None or not is_node(record.pid, self.home):
            return None
        if not record.http_port:
            return replace(record, http_port=published_port(self.home) or 0)
        return record

    def _require_same_port(self, record: NodeRecord) -> None:
        if self._http_port not in (0, record.http_port):
            raise NodeOnOtherPortError(
                f"The OpenSearch of {self.home} runs already, on port {record.http_port}"
                f" (pid {record.pid}), not on {self._http_port}.",
                hint="Use that port, stop the node first, or name another --home.",
                port=str(record.http_port),
                pid=str(record.pid),
            )

    def _start_process(self, wait_seconds: float, *, attached: bool) -> None:
        plan = self._plan()
        began = time.time()
        launched = start_process(plan, attached=attached)
        self._launched = launched
        record = NodeRecord(launched.pid, 0, self._heap_mb, attached, VERSION)
        try:
            write_record(self.home, record)
            port = wait_ready(plan, launched.pid, began, wait_seconds)
            write_record(self.home, replace(record, http_port=port))
        except BaseException:
            self.stop()
            raise

    def _plan(self) -> NodePlan:
        """All that the node needs, checked and installed."""
        preflight.require_free_port(self._http_port, "HTTP")
        preflight.require_free_port(self._transport_port, "transport")
        preflight.require_memory(self._heap_mb)
        preflight.require_disk(self.home)
        java = self._java or bundled_java()
        installation = install(self._cache)
        options = (
            fast_start.options(installation, java, self._heap_mb) if fast_start_wanted() else ()
        )
        return NodePlan(
            home=self.home,
            installation=installation,
            java=java,
            heap_mb=self._heap_mb,
            http_port=self._http_port,
            transport_port=self._transport_port,
            java_options=options,
        )


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


@contextmanager
def _home_errors(home: Path) -> Iterator[None]:
    """Turn the system's refusal to write in ``home`` into an error that names it."""
    try:
        yield
    except OSError as error:
        raise HomeError(
            f"{home} cannot be used as OpenSearch's home: {error.strerror or error}.",
            hint="Choose another folder with --home or SITE_INDEXER_STATE.",
            home=str(home),
        ) from error
