"""A web server that makes its pages up as they are asked for: a site of any size on no disk.

Small pages (about 1 KB), each with links to ten others: its three children in a tree and seven
anywhere, so that nearly all of the site waits in the crawler's queue before half of it is done.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

import psutil

CHILDREN = 3
ANYWHERE = 7
_STEP = 2_654_435_761  # of a sequence that hits each number once before it begins again
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"
_TEXT = " ".join(["made up", "page", "small", "many", "the others", "number", "links"] * 8)


def page(number: int, pages: int) -> bytes:
    """The page of that number."""
    children = (CHILDREN * number + child for child in range(1, CHILDREN + 1))
    targets = [child for child in children if child < pages]
    targets += [(number * ANYWHERE + each) * _STEP % pages for each in range(ANYWHERE)]
    links = "".join(f'<li><a href="/site/{each}.html">{each}</a></li>' for each in targets)
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Page {number}</title>'
        f'<meta name="description" content="The page {number}"></head><body><main><h1>{number}</h1>'
        f"<p>{number} {_TEXT}</p><ul>{links}</ul></main></body></html>"
    ).encode()


class Answer(asyncio.Protocol):
    """Answers each request at once; requests of crawlers here never span two reads."""

    def __init__(self, pages: int, script: bytes) -> None:
        self._pages = pages
        self._script = script

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        path = data.split(b" ", 2)[1]
        if path == b"/robots.txt":
            self._send(b"text/plain", _ROBOTS)
        elif path == b"/script.list":
            self._send(b"text/plain", self._script)
        elif b"if-none-match" in data.lower():
            self._write(b"HTTP/1.1 304 Not Modified\r\nETag: %s\r\n\r\n" % _etag(path))
        else:
            body = page(int(path[len("/site/") : -len(".html")]), self._pages)
            self._send(b"text/html", body, b"ETag: %s\r\n" % _etag(path))

    def _send(self, kind: bytes, body: bytes, more: bytes = b"") -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n%s\r\n"
        self._write(head % (kind, len(body), more) + body)

    def _write(self, data: bytes) -> None:
        self._transport.write(data)  # type: ignore[attr-defined]


def _etag(path: bytes) -> bytes:
    return b'"%s"' % path.rpartition(b"/")[2]


def script_of(origin: str) -> str:
    """The index script: the front page, and all that it leads to."""
    return f"date Thu, 01 Jan 2026 10:00:00 GMT\ninclude {origin}/site/\nadd {origin}/site/0.html\n"


def _serve(pipe: Connection, pages: int) -> None:
    async def run() -> None:
        loop = asyncio.get_running_loop()
        script: list[bytes] = [b""]
        server = await loop.create_server(lambda: Answer(pages, script[0]), "127.0.0.1", 0)
        origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        script[0] = script_of(origin).encode()
        pipe.send(origin)
        await server.serve_forever()

    asyncio.run(run())


@contextmanager
def made_up(pages: int) -> Iterator[tuple[str, psutil.Process]]:
    """Serve so many pages from a process of its own; yields its origin, and the process."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.Process(target=_serve, args=(theirs, pages), daemon=True)
    server.start()
    try:
        yield str(ours.recv()), psutil.Process(server.pid)
    finally:
        server.terminate()
        server.join()
