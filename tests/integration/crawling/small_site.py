"""A website that a test writes down as it goes, over real HTTP."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Answer:
    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    etag: bool = True


@dataclass
class SmallSite:
    """Answers by path; a path without one is a 404. ``asked`` has "METHOD path status".

    ``made_up`` may make the answer of a path that has none.
    """

    url: str = ""
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    made_up: Callable[[str], object] | None = None

    @property
    def authority(self) -> str:
        return self.url.removeprefix("http://")

    def page(
        self,
        path: str,
        text: str = "",
        *,
        links: Iterable[str] = (),
        head: str = "",
        status: int = 200,
        headers: Iterable[tuple[str, str]] = (),
        etag: bool = True,
    ) -> str:
        """Put a page at a path; returns its URL. Its text tells it from all others."""
        anchors = "".join(f'<p><a href="{link}">to {link}</a></p>' for link in links)
        html = f"<title>{path}</title>{head}<body><p>{text or f'The page {path}.'}</p>{anchors}"
        answer = Answer(
            html.encode(), status, (("Content-Type", "text/html; charset=utf-8"), *headers), etag
        )
        self.answers[path] = answer
        return self.url + path

    def redirect(self, path: str, to: str, status: int = 301) -> str:
        self.answers[path] = Answer(status=status, headers=(("Location", to),), etag=False)
        return self.url + path

    def gone(self, path: str, status: int = 404) -> str:
        self.answers[path] = Answer(status=status, etag=False)
        return self.url + path

    def file(self, path: str, body: bytes, content_type: str) -> str:
        self.answers[path] = Answer(body, headers=(("Content-Type", content_type),))
        return self.url + path

    def paths_asked(self) -> list[str]:
        """The pages that were asked for with GET, in order."""
        pages = [line.split() for line in self.asked]
        return [path for method, path, _ in pages if method == "GET" and path != "/robots.txt"]

    def reply(self, path: str, if_none_match: str | None) -> Answer:
        if path not in self.answers and self.made_up is not None:
            self.made_up(path)
        answer = self.answers.get(path, Answer(status=404, etag=False))
        if not answer.etag or answer.status != 200:
            return answer
        tag = f'"{hashlib.sha256(answer.body).hexdigest()[:16]}"'
        kept = tuple(h for h in answer.headers if h[0] == "X-Robots-Tag")
        if if_none_match == tag:
            return Answer(status=304, headers=(("ETag", tag), *kept))
        return Answer(answer.body, 200, (*answer.headers, ("ETag", tag)))


@contextmanager
def small_site() -> Iterator[SmallSite]:
    site = SmallSite()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            answer = site.reply(self.path, self.headers.get("If-None-Match"))
            site.asked.append(f"{self.command} {self.path} {answer.status}")
            self.send_response(answer.status)
            for name, value in answer.headers:
                self.send_header(name, value)
            if answer.status != 304:
                self.send_header("Content-Length", str(len(answer.body)))
            self.end_headers()
            if self.command == "GET" and answer.status != 304:
                self.wfile.write(answer.body)

        do_HEAD = do_GET  # noqa: N815

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    site.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
