"""OpenSearch as Airflow's tasks see it: a proxy that can keep back the answer to a request.

What was asked for has then happened, and whoever asked does not know it: the place where a process
is killed between two steps.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PER_CONNECTION = frozenset({"connection", "content-length", "host", "transfer-encoding"})


@dataclass(frozen=True)
class Hold:
    """Keeps back the answer to one request: the first whose path and body have these words."""

    path: str
    body: str
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def fits(self, path: str, body: bytes) -> bool:
        return self.path in path and self.body.encode() in body and not self.reached.is_set()


@dataclass
class HeldStore:
    """The proxy. Answers are passed on as they are."""

    upstream: str
    url: str = ""
    _holds: list[Hold] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def answer_held(self, path: str, body: str = "") -> Iterator[Hold]:
        """Keep back the answer to the next such request until the block ends."""
        hold = Hold(path, body)
        self._holds.append(hold)
        try:
            yield hold
        finally:
            self._holds.remove(hold)
            hold.released.set()

    def wait_where_held(self, path: str, body: bytes) -> None:
        with self._lock:
            hold = next((each for each in self._holds if each.fits(path, body)), None)
            if hold is not None:
                hold.reached.set()
        if hold is not None:
            hold.released.wait()


@contextmanager
def held_store(upstream: str) -> Iterator[HeldStore]:
    """A proxy before the OpenSearch of that address."""
    store = HeldStore(upstream)
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(store))
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    store.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield store
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(store: HeldStore) -> type[BaseHTTPRequestHandler]:
    address = urlsplit(store.upstream).netloc

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        upstream: http.client.HTTPConnection

        def setup(self) -> None:
            super().setup()
            self.upstream = http.client.HTTPConnection(address)

        def finish(self) -> None:
            self.upstream.close()
            super().finish()

        def _pass_on(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {key: value for key, value in self.headers.items() if _goes_on(key)}
            self.upstream.request(self.command, self.path, body or None, headers)
            answer = self.upstream.getresponse()
            content = answer.read()
            store.wait_where_held(self.path, body)
            with suppress(ConnectionError):  # who asked may have been killed
                self.send_response(answer.status)
                for key, value in answer.getheaders():
                    if _goes_on(key):
                        self.send_header(key, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = do_DELETE = do_HEAD = _pass_on  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            pass

    return Handler


def _goes_on(header: str) -> bool:
    return header.lower() not in PER_CONNECTION
