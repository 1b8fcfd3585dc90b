"""A small HTTP server that does what real ones should not, for tests over real sockets."""

from __future__ import annotations

import contextlib
import itertools
import socket
import ssl
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

TLS_HANDSHAKE = b"\x16"


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as the server saw it; ``headers`` in lower case, ``at`` in monotonic seconds."""

    method: str
    path: str
    headers: dict[str, str]
    at: float
    connection: int


@dataclass(slots=True)
class Client:
    """The other end of a connection."""

    connection: socket.socket
    stopped: threading.Event
    flooded: int = 0

    def send(self, *parts: bytes) -> None:
        self.connection.sendall(b"".join(parts))

    def drip(self, data: Iterable[int], every_s: float) -> None:
        """Send byte by byte until the client has had enough."""
        for byte in data:
            self.connection.sendall(bytes([byte]))
            if self.stopped.wait(every_s):
                return

    def flood(self, chunks: Iterable[bytes]) -> None:
        """Send for ever, or until the client has had enough."""
        for chunk in itertools.cycle(chunks):
            if self.stopped.is_set():
                return
            self.connection.sendall(chunk)
            self.flooded += len(chunk)

    def hang(self) -> None:
        """Say nothing for as long as the test runs."""
        self.stopped.wait(30)

    def reset(self) -> None:
        """Break the connection with a reset."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        raise ConnectionAbortedError


Handler = Callable[[Client, Seen], None]


@dataclass(slots=True)
class HostileServer:
    """Answers each path with what the test gave it; a path without an answer is a 404.

    ``routes`` holds, per path, the answers in turn; the last one stays. An answer is bytes, sent
    as they are, or a function that talks to the client itself. ``instead`` answers every path once
    ``instead_after`` requests have been.
    """

    listener: socket.socket
    routes: dict[str, list[bytes | Handler]] = field(default_factory=dict)
    seen: list[Seen] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)
    tls: ssl.SSLContext | None = None
    most_at_once: int = 0
    instead: bytes | Handler | None = None
    instead_after: int = 0
    _at_once: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _connections: itertools.count[int] = field(default_factory=itertools.count)

    @property
    def port(self) -> int:
        return int(self.listener.getsockname()[1])

    @property
    def authority(self) -> str:
        return f"{self.listener.getsockname()[0]}:{self.port}"

    def url(self, path: str) -> str:
        return f"{'https' if self.tls else 'http'}://{self.authority}{path}"

    def answer(self, path: str, *answers: bytes | Handler) -> str:
        """Give ``path`` its answers; returns its URL."""
        self.routes[path] = list(answers)
        return self.url(path)

    @staticmethod
    def reply(
        body: bytes = b"", *headers: str, status: str = "200 OK", length: int | None = None
    ) -> bytes:
        """A response with a Content-Length, which may be wrong."""
        lines = [f"HTTP/1.1 {status}", *headers]
        lines.append(f"Content-Length: {len(body) if length is None else length}")
        return "\r\n".join([*lines, "", ""]).encode("latin-1") + body

    def paths(self) -> list[str]:
        return [seen.path for seen in self.seen]

    def run(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            if self.tls is not None:
                connection = self.tls.wrap_socket(connection, server_side=True)
            elif connection.recv(1, socket.MSG_PEEK) == TLS_HANDSHAKE:
                return
            self._talk(connection)

    def _talk(self, connection: socket.socket) -> None:
        number = next(self._connections)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with connection, connection.makefile("rb") as lines:
            while (seen := self._request(lines.readline, number)) is not None:
                with self._under_way(seen):
                    answer = self._next_answer(seen.path)
                    if callable(answer):
                        answer(Client(connection, self.stopped), seen)
                        return
                    if seen.method == "HEAD":
                        answer = answer.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
                    connection.sendall(answer)
                if b"onnection: close" in answer or seen.headers.get("x-then") == "close":
                    return

    @contextlib.contextmanager
    def _under_way(self, seen: Seen) -> Iterator[None]:
        with self._lock:
            self.seen.append(seen)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            yield
        finally:
            with self._lock:
                self._at_once -= 1

    def _next_answer(self, path: str) -> bytes | Handler:
        with self._lock:
            if self.instead is not None and len(self.seen) > self.instead_after:
                return self.instead
            answers = self.routes.get(path, [self.reply(b"nothing here", status="404 Not Found")])
            return answers.pop(0) if len(answers) > 1 else answers[0]

    @staticmethod
    def _request(readline: Callable[[], bytes], number: int) -> Seen | None:
        first = readline()
        if not first.endswith(b"\n"):
            return None
        method, path, *_ = [*first.decode("latin-1").split(" "), "", ""]
        headers = {}
        while (line := readline().decode("latin-1").rstrip("\r\n")) != "":
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        return Seen(method, path, headers, time.monotonic(), number)


@contextlib.contextmanager
def hostile_server(address: str = "127.0.0.1") -> Iterator[HostileServer]:
    """A server on a free port of a loopback address, while the block runs."""
    with socket.create_server((address, 0), backlog=64) as listener:
        server = HostileServer(listener)
        threading.Thread(target=server.run, daemon=True).start()
        try:
            yield server
        finally:
            server.stopped.set()
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
