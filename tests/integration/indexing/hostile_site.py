"""A website with everything that should not be, and good pages between.

Each hostile path has what is to become of it: the outcome of its record, and the words that the
log must have on its line.
"""

from __future__ import annotations

import gzip
import itertools
import os
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

from tests.integration.crawling.hostile_server import Client, Handler, HostileServer, Seen
from tests.integration.crawling.hostile_server import hostile_server as server_on

MAX_BYTES = 12 * 2**20
HTML = "Content-Type: text/html; charset=utf-8"
GOOD = 12
CHAIN = 1_000
STORM = 30
TEXT_NODE = 11 * 2**20


@dataclass(frozen=True, slots=True)
class Expected:
    """``log`` is the end of a line about the path; ``text`` is in the document, if there is one."""

    outcome: str
    log: str | None = None
    text: str | None = None


@dataclass
class HostileSite:
    """``main`` is the site's own server; ``storming`` and ``busy`` are further hosts of it."""

    main: HostileServer
    storming: HostileServer
    busy: HostileServer
    expected: dict[str, Expected] = field(default_factory=dict)

    @property
    def hosts(self) -> list[str]:
        """The further hosts: real ones, and names of this machine and of a metadata service."""
        return [self.storming.authority, self.busy.authority, *self.inner]

    @property
    def inner(self) -> list[str]:
        return [f"localhost:{self.main.port}", "169.254.169.254", f"[::1]:{self.main.port}"]

    def urls(self) -> dict[str, str]:
        """The URL of each path of :attr:`expected`."""
        return {path: path if "://" in path else self.main.url(path) for path in self.expected}

    def all_good(self) -> None:
        """Every page as it should be, as before the trouble."""
        for path in self.expected:
            if "://" not in path:
                self.main.answer(path, page(f"The old text of {path}."))
        for n in range(GOOD):
            self.main.answer(f"/good/{n}", page(f"The old text of good {n}."))
        self.start(*self.answers())

    def turn_hostile(self) -> None:
        """Every hostile page as it should not be, and new texts for the good ones."""
        for path, answers in self.answers().items():
            self.main.answer(path, *answers)
        for n in range(GOOD):
            self.main.answer(f"/good/{n}", page(f"The new text of good {n}."))
        self.start(*self.expected)

    def start(self, *paths: str) -> None:
        """The entry page, which leads to these, with the good ones between."""
        hostile = [self.urls()[path] for path in paths]
        good = [self.main.url(f"/good/{n}") for n in range(GOOD)]
        links = [link for pair in itertools.zip_longest(hostile, good) for link in pair if link]
        anchors = "".join(f'<p><a href="{link}">{n}</a></p>' for n, link in enumerate(links))
        self.main.answer("/", page("Start.", anchors))

    def answers(self) -> dict[str, list[bytes | Handler]]:
        """The hostile answer of each path of the main server."""
        reply = HostileServer.reply
        return {
            "/drip": [drip],
            "/drip-headers": [lambda client, _: client.drip(b"HTTP/1.1 200 OK" * 99, 0.05)],
            "/silent": [lambda client, _: client.hang()],
            "/endless": [flood(b"x" * 65_536)],
            "/bomb": [bomb],
            "/cut-gzip": [reply(gzip.compress(os.urandom(9_000))[:-9], "Content-Encoding: gzip")],
            "/loop-a": [redirect("/loop-b")],
            "/loop-b": [redirect("/loop-a")],
            "/loop-self": [redirect("/loop-self")],
            "/chain/0": [redirect("/chain/1")],
            "/wrong-charset": [reply("<p>façade".encode("cp1252"), HTML)],
            "/no-charset": [reply(b"<p>caf\xe9", "Content-Type: text/html; charset=klingon")],
            "/nested-300": [nested(300)],
            "/nested-3000": [nested(3_000)],
            "/nested-30000": [nested(30_000)],
            "/formatting": [formatting()],
            "/text-node": [reply(b"<p>" + b"word " * (TEXT_NODE // 5) + b"lastword", HTML)],
            "/nul": [reply(b"<p>a\x00b <b>c\x00</b>d", HTML)],
            "/many-headers": [many_headers],
            "/long-header": [long_header],
            "/early-hints": [flood_raw(b"HTTP/1.1 103 Early Hints\r\nX: a\r\n\r\n")],
            "/short": [reply(b"<p>half", HTML, "Connection: close", length=5_000)],
            "/long": [reply(b"<p>whole</p>and more", HTML, "Connection: close", length=12)],
            "/two-lengths": [two_lengths],
            "/reset": [reset_in_the_middle],
            "/file-redirect": [redirect("file:///etc/passwd")],
            "/inner-redirect": [redirect("http://169.254.169.254/latest/meta-data/")],
            "/busy-once": [
                reply(b"", "Retry-After: 1", status="503 Busy"),
                page("Fine after a while."),
            ],
        }


EXPECTED = {
    "/drip": Expected("failed", "timed out"),
    "/drip-headers": Expected("failed", "timed out"),
    "/silent": Expected("failed", "timed out"),
    "/endless": Expected("failed", "larger than the limit"),
    "/bomb": Expected("failed", "larger than the limit"),
    "/cut-gzip": Expected("failed", "cut short"),
    "/loop-a": Expected("failed", "redirects in a loop"),
    "/loop-b": Expected("failed", "redirects in a loop"),
    "/loop-self": Expected("failed", "redirects in a loop"),
    "/chain/0": Expected("failed", "redirects more often"),
    "/wrong-charset": Expected("indexed", "bytes that are not", text="fa�ade"),
    "/no-charset": Expected("indexed", text="café"),
    "/nested-300": Expected("indexed", text="the innermost"),
    "/nested-3000": Expected("indexed", text="the innermost"),
    "/nested-30000": Expected("indexed", "deeper than 2000", text="the innermost"),
    "/formatting": Expected("indexed", "formatting elements", text="the last"),
    "/text-node": Expected("indexed", text="lastword"),
    "/nul": Expected("indexed", text="d"),
    "/many-headers": Expected("failed", "headers"),
    "/long-header": Expected("failed", "a header line is longer"),
    "/early-hints": Expected("failed", "headers"),
    "/short": Expected("failed", "/short"),
    "/long": Expected("indexed", text="whole"),
    "/two-lengths": Expected("failed", "/two-lengths"),
    "/reset": Expected("failed", "broke in the middle"),
    "/file-redirect": Expected("failed", "without a target"),
    "/inner-redirect": Expected("redirect"),
    "/busy-once": Expected("indexed", text="Fine after a while."),
}


def page(text: str, more: str = "") -> bytes:
    html = f"<title>A page</title><body><p>{text}</p>{more}".encode()
    return HostileServer.reply(html, HTML)


def redirect(to: str) -> bytes:
    return HostileServer.reply(b"", f"Location: {to}", status="301 Moved")


def drip(client: Client, _seen: Seen) -> None:
    client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9999\r\n\r\n")
    client.drip(b"x" * 9999, every_s=0.05)


def flood(block: bytes, *headers: str) -> Handler:
    head = "\r\n".join(["HTTP/1.1 200 OK", HTML, *headers, "", ""]).encode()
    return flood_raw(block, head)


def flood_raw(block: bytes, head: bytes = b"") -> Handler:
    def send(client: Client, _seen: Seen) -> None:
        client.send(head)
        client.flood([block])

    return send


def bomb(client: Client, _seen: Seen) -> None:
    """10 MB of gzip that are 2 GB when unpacked: 2,048 times a piece that can follow itself."""
    packer = zlib.compressobj(wbits=-15)
    block = os.urandom(4_096) + bytes(2**20 - 4_096)
    piece = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
    start = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
    client.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n")
    client.send(b"Content-Length: %d\r\n\r\n" % (len(start) + 2_048 * len(piece)), start)
    for _ in range(2_048):
        client.send(piece)


def nested(depth: int) -> bytes:
    html = b"<div>" * depth + b"the innermost" + b"</div>" * depth
    return HostileServer.reply(html, HTML)


def formatting() -> bytes:
    tags = "".join(f"<b a={n}><p>x" for n in range(20_000))
    return HostileServer.reply(f"{tags}<p>the last".encode(), HTML)


def many_headers(client: Client, _seen: Seen) -> None:
    client.send(b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 20_000 + b"\r\nx")


def long_header(client: Client, _seen: Seen) -> None:
    client.send(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 2_000_000 + b"\r\n\r\nx")


def two_lengths(client: Client, _seen: Seen) -> None:
    client.send(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 9\r\n\r\n123456789")


def reset_in_the_middle(client: Client, _seen: Seen) -> None:
    client.send(HostileServer.reply(b"<p>half", HTML, length=50_000))
    client.stopped.wait(0.05)
    client.reset()


@contextmanager
def hostile_site() -> Iterator[HostileSite]:
    """The site on three servers of its own, all good at first.

    The main server is on another loopback address than ``localhost``, so that only its own network
    need be allowed.
    """
    with ExitStack() as stack:
        main, storming, busy = (stack.enter_context(server_on(f"127.0.0.{n}")) for n in (5, 6, 7))
        site = HostileSite(main, storming, busy)
        site.expected.update(EXPECTED)
        for n in range(1, CHAIN):
            site.main.answer(f"/chain/{n}", redirect(f"/chain/{n + 1}"))
        site.main.answer(f"/chain/{CHAIN}", page("The end of the chain."))
        for server, reply in (
            (site.storming, HostileServer.reply(b"", status="429 Slow down")),
            (site.busy, HostileServer.reply(b"", "Retry-After: 86400", status="503 Busy")),
        ):
            server.answer("/robots.txt", server.reply(b"", "Content-Type: text/plain"))
            for n in range(STORM):
                path = server.answer(f"/{n}", reply)
                site.expected[path] = Expected("failed", _trouble(reply))
        for host in site.inner:
            site.expected[f"http://{host}/x"] = Expected("failed", "is not connected to")
        site.all_good()
        yield site


def _trouble(reply: bytes) -> str:
    return "429" if b" 429 " in reply else "503"
