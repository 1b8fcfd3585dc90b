"""libcurl handles, each used for one HTTP exchange after another (4.1 Fetching, 4.4 Safety)."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass

import pycurl

from site_indexer.crawling.certificates import ca_bundle
from site_indexer.crawling.content_coding import ACCEPT_ENCODING
from site_indexer.crawling.curl_loop import Ending
from site_indexer.crawling.network_guard import NetworkGuard
from site_indexer.crawling.reception import Answer, Reception
from site_indexer.crawling.responses import Request

_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.9,*/*;q=0.8"
_LONGEST_CONNECT_S = 10.0
_BUFFER_BYTES = 128 * 1024
_SUPPRESS_CONNECT_HEADERS = 265  # CURLOPT_SUPPRESS_CONNECT_HEADERS has no name in pycurl
_MORE_BODY = b"Excess found"  # how libcurl puts it
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class ExchangeOptions:
    """What all exchanges of a fetcher have in common; times in seconds, sizes in bytes."""

    user_agent: str
    timeout_s: float
    max_bytes: int
    proxy: str | None = None
    resolve: tuple[str, ...] = ()


class Exchange:
    """A handle, with what its exchange receives while one is under way."""

    def __init__(self, options: ExchangeOptions, guard: NetworkGuard) -> None:
        self._options = options
        self._guard = guard
        self._host = ""
        self._reception: Reception | None = None
        self._sent_headers: list[bytes] = []
        self.handle = _configured(options)
        self.handle.setopt(pycurl.DEBUGFUNCTION, self._on_debug)
        if options.proxy is None:
            self.handle.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)

    def begin(
        self,
        request: Request,
        host: str,
        extra_headers: Sequence[tuple[str, str]],
        *,
        decoded: bool = False,
        watched: bool = False,
    ) -> None:
        """Set the handle up for ``request``; ``host`` is its host name, without port.

        ``extra_headers`` are the site's own (credentials among them). ``decoded``: libcurl undoes
        the content coding, for one that is read here not at all. ``watched``: whether a body that
        is longer than its Content-Length is noticed, which costs some time. Raises ValueError for
        a URL that is not ASCII.
        """
        self._host = host
        reception = Reception(request, max_bytes=self._options.max_bytes, decoded=decoded)
        self._reception = reception
        handle = self.handle
        handle.setopt(pycurl.URL, request.url.encode("ascii"))
        handle.setopt(pycurl.HEADERFUNCTION, reception.lines.append)
        handle.setopt(pycurl.WRITEFUNCTION, self._on_body)
        handle.setopt(pycurl.HTTP_CONTENT_DECODING, int(decoded))
        handle.setopt(pycurl.VERBOSE, int(watched))
        if request.method == "HEAD":
            handle.setopt(pycurl.NOBODY, 1)
        else:
            handle.setopt(pycurl.HTTPGET, 1)
        # Only a body that is wanted whole can be refused for the length that is announced.
        whole = request.method != "HEAD" and request.cut_at is None
        handle.setopt(pycurl.MAXFILESIZE_LARGE, self._options.max_bytes if whole else 0)
        headers = _headers(request, extra_headers)
        if headers != self._sent_headers:
            handle.setopt(pycurl.HTTPHEADER, headers)
            self._sent_headers = headers

    def end(self, ending: Ending) -> Answer:
        """The answer of the exchange that ended so.

        Raises RuntimeError if none was begun.
        """
        reception, self._reception = self._reception, None
        if reception is None:
            raise RuntimeError("no exchange is under way on this handle")
        elapsed_s = self.handle.getinfo(pycurl.TOTAL_TIME)
        return reception.answer(ending, elapsed_s)

    def _on_debug(self, kind: int, text: bytes) -> None:
        """Hear what libcurl says of its work; it cuts a body that is too long in silence else."""
        if kind == pycurl.INFOTYPE_TEXT and text.startswith(_MORE_BODY) and self._reception:
            self._reception.has_more = True

    def _on_body(self, data: bytes) -> int | None:
        """Take body bytes; any number but their own makes libcurl give the transfer up."""
        if self._reception is None or not self._reception.take(data):
            return 0
        return None

    def _open_socket(self, _purpose: int, address: tuple[int, int, int, object]) -> object:
        """Open the socket for a connection, unless its address is refused."""
        family, kind, protocol, where = address
        if not isinstance(where, tuple):
            return pycurl.SOCKET_BAD
        refusal = self._guard.refusal(str(where[0]), host=self._host, port=int(where[1]))
        if refusal is not None and self._reception is not None:
            self._reception.refusal = refusal
            return pycurl.SOCKET_BAD
        return socket.socket(family, kind, protocol)


def _configured(options: ExchangeOptions) -> pycurl.Curl:
    handle = pycurl.Curl()
    for option, value in (
        (pycurl.PROTOCOLS, pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS),
        (pycurl.NOSIGNAL, 1),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.PATH_AS_IS, 1),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.ACCEPT_ENCODING, ACCEPT_ENCODING),
        (pycurl.USERAGENT, options.user_agent.encode()),
        (pycurl.TIMEOUT_MS, max(1, int(options.timeout_s * 1000))),
        (pycurl.CONNECTTIMEOUT_MS, max(1, int(min(options.timeout_s, _LONGEST_CONNECT_S) * 1000))),
        (pycurl.BUFFERSIZE, _BUFFER_BYTES),
        (pycurl.CAINFO, ca_bundle()),
        # Without this the environment's proxy would be taken, past the check of addresses.
        (pycurl.PROXY, options.proxy or ""),
        (pycurl.NOPROXY, ""),
        (_SUPPRESS_CONNECT_HEADERS, 1),
    ):
        handle.setopt(option, value)
    if options.resolve:
        handle.setopt(pycurl.RESOLVE, list(options.resolve))
    return handle


def _headers(request: Request, extra: Sequence[tuple[str, str]]) -> list[bytes]:
    """The lines sent beside those of libcurl; a validator that cannot be one is left out."""
    found = {"Accept": _ACCEPT}
    if request.etag:
        found["If-None-Match"] = request.etag
    if request.last_modified:
        found["If-Modified-Since"] = request.last_modified
    found.update(extra)
    return [
        f"{name}: {value}".encode()
        for name, value in found.items()
        if not _CONTROL.search(name + value)
    ]
