"""The HTTP/1.1 server of the demo site, on 127.0.0.1 only."""

from __future__ import annotations

import errno
import socket
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import Message
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from demo_site import changes
from demo_site.answers import Answer, failure, found
from demo_site.catalogue import catalogue
from demo_site.conditional import Reply, reply_to
from demo_site.errors import PortTakenError, StateUnusableError
from demo_site.faults import Fault, Faults
from demo_site.state import DEFAULT_PORT, StateDirectory
from demo_site.website import Website

HOST = "127.0.0.1"
SCRIPT_PATH = "/indexlist.txt"


class Access(NamedTuple):
    """One request that was answered.

    ``path`` is the target with its query; ``status`` 0 means that the connection was dropped.
    """

    method: str
    path: str
    status: int


class AccessRecord:
    """The requests of a server in the order of their answers. Safe to read while it runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._rows: list[tuple[Access, dict[str, str]]] = []

    def add(self, access: Access, headers: Message) -> None:
        """Record a request, before its answer leaves."""
        with self._lock:
            self._rows.append((access, {name.lower(): value for name, value in headers.items()}))

    def all(self) -> list[Access]:
        """Every request so far."""
        with self._lock:
            return [access for access, _ in self._rows]

    def of(self, path: str) -> list[Access]:
        """The requests for one target."""
        return [access for access in self.all() if access.path == path]

    def headers_of(self, path: str) -> list[dict[str, str]]:
        """The request headers, names in lower case, of each request for one target."""
        with self._lock:
            return [headers for access, headers in self._rows if access.path == path]

    def clear(self) -> None:
        """Forget what was recorded."""
        with self._lock:
            self._rows.clear()


class DemoServer(ThreadingHTTPServer):
    """Serves a state directory; each request sees the state as it is then.

    Raises PortTakenError from the constructor.
    """

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, state_dir: Path, port: int) -> None:
        self._connections: set[socket.socket] = set()
        self._lock = threading.Lock()
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            raise PortTakenError(
                f"The demo site cannot listen on {HOST}:{port}: the port is taken.",
                hint="Stop what listens there, or choose another port with --port.",
                port=str(port),
            ) from error
        self.url = f"http://{HOST}:{self.server_address[1]}"
        self.requests = AccessRecord()
        self.faults = Faults()
        self._directory = StateDirectory(state_dir)
        self._directory.prepare(self.url)
        self._version: tuple[int, int] | None = None
        self._site: Website | None = None

    def server_bind(self) -> None:
        """Bind without the name look-up of the base class, which can take seconds."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = HOST, self.server_address[1]

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection and keep count of it."""
        connection, address = super().get_request()
        with self._lock:
            self._connections.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - as in the base class
        """Close a connection."""
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        """Stop listening, and end the connections kept alive: a stopped server answers nobody."""
        super().server_close()
        with self._lock:
            connections = list(self._connections)
        for connection in connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def answer(self, target: str) -> Answer:
        """What is at a target now; a state that cannot be read is an answer of 500."""
        try:
            if target.partition("?")[0] == SCRIPT_PATH:
                return self._script()
            return self._website().answer(target)
        except StateUnusableError as error:
            return failure(500, f"<!doctype html><title>Error</title><p>{escape(str(error))}</p>")

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401
        """Report what went wrong, but for clients that went away in the middle of an answer."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def _website(self) -> Website:
        with self._lock:
            version = self._directory.version()
            if self._site is None or version != self._version:
                state = self._directory.read()
                self._site = Website(changes.changed(catalogue(), state.changes), self.url)
                self._version = version
            return self._site

    def _script(self) -> Answer:
        # It may have been reset since the start.
        self._directory.prepare(self.url)
        text, modified = self._directory.read_script()
        written_for = self._directory.read().base_url
        if written_for and written_for != self.url:
            text = text.replace(f"{written_for}/", f"{self.url}/")
        body = text.encode("utf-8", errors="surrogateescape")
        return found(body, "text/plain; charset=utf-8", modified)


class _Handler(BaseHTTPRequestHandler):
    server: DemoServer
    protocol_version = "HTTP/1.1"
    server_version = "CaboLirio/1.0"
    sys_version = ""
    # Head and body leave in one packet, at once: a crawler keeps its connections open.
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a GET, or with the head alone a HEAD."""
        fault = self.server.faults.meet(self.path)
        if fault is not None and fault.drop:
            self._record(0)
            self.close_connection = True
            return
        answer = self.server.answer(self.path)
        reply = reply_to(answer, self.headers)
        if fault is not None:
            reply = _faulty(answer, reply, fault)
        self._record(reply.status)
        self._send(reply, None if fault is None else fault.cut_after)

    do_HEAD = do_GET  # noqa: N815 - the name is that of the standard library

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep quiet: requests are in the access record."""

    def _record(self, status: int) -> None:
        self.server.requests.add(Access(self.command, self.path, status), self.headers)

    def _send(self, reply: Reply, cut_after: int | None) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        # A 304 describes the page's length by saying nothing (RFC 9110, 8.6).
        if reply.status != 304:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        if self.command == "HEAD":
            return
        if cut_after is not None:
            self.close_connection = True
        self.wfile.write(reply.body[:cut_after])


def _faulty(answer: Answer, reply: Reply, fault: Fault) -> Reply:
    if fault.status is None and fault.body is None:
        return replace(reply, headers=(*reply.headers, *fault.headers))
    # Validators and codings of the page would be lies about another body.
    given = {name.lower() for name, _ in fault.headers}
    kept = {"content-type", "location"} - given
    headers = tuple(header for header in answer.headers if header[0].lower() in kept)
    return Reply(
        status=answer.status if fault.status is None else fault.status,
        headers=(*headers, *fault.headers),
        body=answer.body if fault.body is None else fault.body,
    )


@dataclass(frozen=True, slots=True)
class RunningSite:
    """A server that runs in this process. ``url`` has no slash at its end."""

    url: str
    port: int
    requests: AccessRecord
    faults: Faults
    state_dir: Path

    def change(self, now: datetime) -> changes.Change:
        """Make the next change; the next request sees it."""
        return changes.change(self.state_dir, self.url, now)


@contextmanager
def running(state_dir: Path, port: int = 0) -> Iterator[RunningSite]:
    """Serve ``state_dir`` from threads of this process while the block runs.

    Port 0 takes a free one. Raises PortTakenError, StateUnusableError.
    """
    server = DemoServer(state_dir, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield RunningSite(
            server.url, server.server_address[1], server.requests, server.faults, state_dir
        )
    finally:
        server.faults.clear()
        server.shutdown()
        server.server_close()
        thread.join()


def serve(
    state_dir: Path,
    port: int = DEFAULT_PORT,
    *,
    announce: Callable[[str], None] | None = None,
) -> None:
    """Serve ``state_dir`` until interrupted; ``announce`` is told the URL once it answers.

    Port 0 takes a free one. Raises PortTakenError, StateUnusableError and, from the signal of
    Ctrl-C, KeyboardInterrupt.
    """
    server = DemoServer(state_dir, port)
    if announce is not None:
        announce(server.url)
    try:
        server.serve_forever()
    finally:
        server.server_close()
