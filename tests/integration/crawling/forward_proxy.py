"""A forward proxy that wants a password, and remembers what it was asked for."""

from __future__ import annotations

import base64
import contextlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

USER, PASSWORD = "proxy-user", "proxy-w0rd"
REFUSAL = (
    b"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n"
    b"Content-Length: 0\r\nConnection: close\r\n\r\n"
)


@dataclass(slots=True)
class ForwardProxy:
    """Forwards requests in absolute form, and opens tunnels for CONNECT (RFC 9110 9.3.6).

    ``asked`` are the request lines, without those it refused for the password.
    """

    listener: socket.socket
    asked: list[str] = field(default_factory=list)
    refused: int = 0

    @property
    def authority(self) -> str:
        host, port = self.listener.getsockname()
        return f"{host}:{port}"

    @property
    def url(self) -> str:
        """Its URL with the right password."""
        return f"http://{USER}:{PASSWORD}@{self.authority}"

    def run(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), client:
            head = b""
            while b"\r\n\r\n" not in head:
                received = client.recv(65_536)
                if not received:
                    return
                head += received
            first, *lines = head.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
            expected = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
            if f"proxy-authorization: basic {expected}".lower() not in [x.lower() for x in lines]:
                self.refused += 1
                client.sendall(REFUSAL)
                return
            self.asked.append(first)
            self._forward(client, first, lines)

    def _forward(self, client: socket.socket, first: str, lines: list[str]) -> None:
        method, target, _ = first.split(" ")
        if method == "CONNECT":
            with _connected(target) as server:
                client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
                _splice(client, server)
            return
        parts = urlsplit(target)
        path = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
        kept = [line for line in lines if not line.lower().startswith(("proxy-", "connection:"))]
        # The server of the tests closes after its answer when it is told so.
        request = [f"{method} {path} HTTP/1.1", *kept, "Via: 1.1 test", "X-Then: close"]
        with _connected(parts.netloc) as server:
            server.sendall("\r\n".join([*request, "", ""]).encode("latin-1"))
            while received := server.recv(65_536):
                client.sendall(received)


def _connected(authority: str) -> socket.socket:
    host, _, port = authority.rpartition(":")
    return socket.create_connection((host or port, int(port) if host else 80), timeout=10)


def _splice(one: socket.socket, other: socket.socket) -> None:
    back = threading.Thread(target=_copy, args=(other, one), daemon=True)
    back.start()
    _copy(one, other)
    back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while received := source.recv(65_536):
            target.sendall(received)
        target.shutdown(socket.SHUT_WR)


@contextlib.contextmanager
def forward_proxy() -> Iterator[ForwardProxy]:
    """A proxy on a free port of 127.0.0.1, while the block runs."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        proxy = ForwardProxy(listener)
        threading.Thread(target=proxy.run, daemon=True).start()
        try:
            yield proxy
        finally:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
