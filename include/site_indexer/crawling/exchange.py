"""One HTTP exchange on a libcurl handle that is used again and again (4.1 Fetching)."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

import pycurl
import requests.utils

from site_indexer.crawling.content_coding import ACCEPT_ENCODING, Body, BodyError
from site_indexer.crawling.curl_failures import failure_of_error, is_transient_error
from site_indexer.crawling.network_guard import NetworkGuard
from site_indexer.crawling.response_headers import (
    Headers,
    final_header_lines,
    parse_headers,
    redirect_target,
)
from site_indexer.crawling.responses import Failure, Request

_ACCEPT = "text/html,application/xhtml+xml,application/pdf;q=0.9,application/xml;q=0.9,*/*;q=0.8"
_LONGEST_CONNECT_S = 10.0
_BUFFER_BYTES = 128 * 1024
_SUPPRESS_CONNECT_HEADERS = 265  # CURLOPT_SUPPRESS_CONNECT_HEADERS has no name in pycurl
_CODING_HEADER = "content-encoding"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class ExchangeOptions:
    """What all exchanges of a fetcher have in common; times in seconds, sizes in bytes."""

    user_agent: str
    timeout_s: float
    max_bytes: int
    proxy: str | None = None
    resolve: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of an exchange; ``failure`` is one of the transport, never of the status.

    ``transient``: whether the failure may be gone in seconds. ``answered``: whether anything was
    received.
    """

    status: int | None
    headers: Headers
    body: bytes
    elapsed_s: float
    location: str | None = None
    failure: Failure | None = None
    message: str = ""
    transient: bool = False
    answered: bool = True


def ca_bundle() -> str:
    """The file of trusted certificates: the system's (or SSL_CERT_FILE's), else the bundled one.

    libcurl as it comes with pycurl looks in a place that only some systems have.
    """
    return ssl.get_default_verify_paths().cafile or requests.utils.DEFAULT_CA_BUNDLE_PATH


class Exchange:
    """A handle with the buffers of the exchange that is under way on it."""

    def __init__(self, options: ExchangeOptions, guard: NetworkGuard) -> None:
        self._options = options
        self._guard = guard
        self._request: Request | None = None
        self._host = ""
        self._lines: list[bytes] = []
        self._final_lines: list[bytes] | None = None
        self._body: Body | None = None
        self._stopped: tuple[Failure, str] | None = None
        self._refusal: str | None = None
        self._sent_headers: list[str | bytes] = []
        self.handle = _configured(options)
        self.handle.setopt(pycurl.HEADERFUNCTION, self._lines.append)
        self.handle.setopt(pycurl.WRITEFUNCTION, self._on_body)
        if options.proxy is None:
            self.handle.setopt(pycurl.OPENSOCKETFUNCTION, self._open_socket)

    def begin(self, request: Request, host: str, extra_headers: Sequence[tuple[str, str]]) -> None:
        """Set the handle up for ``request``; ``host`` is its host name, without port.

        ``extra_headers`` are the site's own (credentials among them). Raises ValueError for a URL
        that is not ASCII.
        """
        self._request = request
        self._host = host.strip("[]")
        self._lines.clear()
        self._final_lines = None
        self._body = None
        self._stopped = None
        self._refusal = None
        handle = self.handle
        handle.setopt(pycurl.URL, request.url.encode("ascii"))
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

    def end(self, number: int, message: str) -> Answer:
        """The answer of the exchange that ended with libcurl's ``number`` (0: well)."""
        body = b""
        failure: tuple[Failure, str] | None = None
        if self._body is not None and self._body.complete:
            number = 0
        if number:
            failure = self._failure(number, message)
        elif self._stopped is None:
            try:
                body = b"" if self._body is None else self._body.close()
            except BodyError as error:
                failure = (error.failure, error.message)
        lines = self._header_lines()
        status = self.handle.getinfo(pycurl.RESPONSE_CODE) or None
        url = "" if self._request is None else self._request.url
        return Answer(
            status=status,
            headers=parse_headers(lines),
            body=body,
            elapsed_s=self.handle.getinfo(pycurl.TOTAL_TIME),
            location=redirect_target(url, lines) if status and 300 <= status < 400 else None,
            failure=failure and failure[0],
            message=failure[1] if failure else "",
            transient=_is_transient(failure and failure[0], number),
            answered=bool(self._lines),
        )

    def _failure(self, number: int, message: str) -> tuple[Failure, str]:
        if self._stopped is not None:
            return self._stopped
        failure = failure_of_error(number)
        if failure is Failure.CONNECTION and self._refusal is not None:
            return Failure.ADDRESS_REFUSED, self._refusal
        if failure is Failure.CONNECTION and self._body is not None:
            return Failure.TRUNCATED, f"the connection broke in the middle of the body ({message})"
        if failure is Failure.TOO_LARGE:
            message = f"the body is larger than the limit of {self._options.max_bytes} bytes"
        return failure, message or f"libcurl error {number}"

    def _header_lines(self) -> list[bytes]:
        if self._final_lines is None:
            self._final_lines = final_header_lines(self._lines)
        return self._final_lines

    def _on_body(self, data: bytes) -> int | None:
        """Take body bytes; any number but their own makes libcurl give the transfer up."""
        try:
            if self._body is None:
                self._body = self._new_body()
            self._body.feed(data)
        except BodyError as error:
            self._stopped = (error.failure, error.message)
            return 0
        return 0 if self._body.complete else None

    def _new_body(self) -> Body:
        codings = [
            value for name, value in parse_headers(self._header_lines()) if name == _CODING_HEADER
        ]
        cut_at = None if self._request is None else self._request.cut_at
        return Body(",".join(codings), max_bytes=self._options.max_bytes, cut_at=cut_at)

    def _open_socket(self, _purpose: int, address: tuple[int, int, int, object]) -> object:
        """Open the socket for a connection, unless its address is refused."""
        family, kind, protocol, where = address
        if not isinstance(where, tuple):
            self._refusal = f"the address {where!r} is none of the Internet"
            return pycurl.SOCKET_BAD
        refusal = self._guard.refusal(str(where[0]), host=self._host, port=int(where[1]))
        if refusal is not None:
            self._refusal = refusal
            return pycurl.SOCKET_BAD
        return socket.socket(family, kind, protocol)


def _is_transient(failure: Failure | None, number: int) -> bool:
    if failure is Failure.TRUNCATED:
        return True
    return failure is not Failure.ADDRESS_REFUSED and is_transient_error(number)


def _configured(options: ExchangeOptions) -> pycurl.Curl:
    handle = pycurl.Curl()
    web = pycurl.PROTO_HTTP | pycurl.PROTO_HTTPS
    for option, value in (
        (pycurl.PROTOCOLS, web),
        (pycurl.NOSIGNAL, 1),
        (pycurl.FOLLOWLOCATION, 0),
        (pycurl.PATH_AS_IS, 1),
        (pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1),
        (pycurl.HTTP_CONTENT_DECODING, 0),
        (pycurl.ACCEPT_ENCODING, ACCEPT_ENCODING),
        (pycurl.USERAGENT, options.user_agent.encode()),
        (pycurl.TIMEOUT_MS, max(1, int(options.timeout_s * 1000))),
        (pycurl.CONNECTTIMEOUT_MS, max(1, int(min(options.timeout_s, _LONGEST_CONNECT_S) * 1000))),
        (pycurl.BUFFERSIZE, _BUFFER_BYTES),
        (pycurl.CAINFO, ca_bundle()),
        # Without this the environment's proxy would be taken, past the check of addresses.
        (pycurl.PROXY, options.proxy or ""),
        (_SUPPRESS_CONNECT_HEADERS, 1),
    ):
        handle.setopt(option, value)
    if options.resolve:
        handle.setopt(pycurl.RESOLVE, list(options.resolve))
    return handle


def _headers(request: Request, extra: Sequence[tuple[str, str]]) -> list[str | bytes]:
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
