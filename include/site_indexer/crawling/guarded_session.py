"""A requests session for small downloads: checked addresses, a total time, whole bodies.

For the index script and the like (docs/spec/04-crawling.md, 4.1 and 4.4). requests has no limit of
total time, decodes bodies that were cut short, and connects anywhere; this puts all three right.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import requests
import urllib3
import urllib3.connection
import urllib3.connectionpool
from requests.adapters import HTTPAdapter

from site_indexer.crawling.certificates import ca_bundle
from site_indexer.crawling.content_coding import ACCEPT_ENCODING, Body, BodyError
from site_indexer.crawling.http_status import failure_of_status, is_transient_status
from site_indexer.crawling.network_guard import NetworkGuard, ResolvedTargets
from site_indexer.crawling.response_headers import redirect_target
from site_indexer.crawling.responses import Failure

_MOST_REDIRECTS = 10
_LONGEST_CONNECT_S = 10.0
_CHUNK_BYTES = 64 * 1024


class DownloadError(Exception):
    """No whole answer; ``transient`` tells whether another try may bring one."""

    def __init__(self, reason: str, *, transient: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient


class DownloadTooLargeError(DownloadError):
    """The body is larger than the limit."""


class AddressRefusedError(DownloadError):
    """The address of the host that was to be asked first is not connected to."""


@dataclass(frozen=True, slots=True)
class Download:
    """A whole body with the headers that tell of its age, as sent."""

    data: bytes
    final_url: str
    etag: str | None = None
    last_modified: str | None = None
    date: str | None = None


class GuardedSession:
    """Downloads one URL at a time; each download has ``timeout_s`` seconds in all."""

    def __init__(
        self,
        guard: NetworkGuard,
        *,
        headers: Mapping[str, str],
        timeout_s: float,
        max_bytes: int,
        proxy: str | None = None,
        headers_for: Callable[[str], Mapping[str, str]] = lambda _: {},
    ) -> None:
        """``headers_for`` gives the further headers that a URL may be told (a log-in)."""
        self._headers_for = headers_for
        self._timeout_s = timeout_s
        self._max_bytes = max_bytes
        self._watch = _Watch(None if proxy else guard)
        self._targets = ResolvedTargets(guard) if proxy else None
        self._first = self._asked = ""
        self._session = _Session()
        self._session.trust_env = False  # no proxies, credentials or certificates found lying about
        self._session.headers.update({"Accept-Encoding": ACCEPT_ENCODING, **headers})
        self._session.verify = ca_bundle()
        if proxy:
            self._session.proxies = {"http": proxy, "https": proxy}
        for scheme in ("http://", "https://"):
            self._session.mount(scheme, _WatchedAdapter(self._watch))

    def get(self, url: str) -> Download:
        """The body behind a normalized URL, redirects followed. Raises DownloadError."""
        timer = threading.Timer(self._timeout_s, self._watch.expire)
        timer.daemon = True
        timer.start()
        self._first = self._asked = url
        try:
            return self._following_redirects(url)
        except (requests.RequestException, urllib3.exceptions.HTTPError, OSError) as error:
            raise self._explained(error) from error
        finally:
            timer.cancel()
            self._watch.forget()

    def close(self) -> None:
        """Close all connections."""
        self._session.close()

    def __enter__(self) -> GuardedSession:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _following_redirects(self, url: str) -> Download:
        for _ in range(_MOST_REDIRECTS + 1):
            self._asked = url
            problem = self._targets and self._targets.problem(url)
            if problem and problem[0] is Failure.ADDRESS_REFUSED:
                raise self._refused(problem[1])
            if problem:
                raise DownloadError(problem[1], transient=True)
            with self._answer(url) as response:
                target = _target(response, url)
                if target is None:
                    return self._downloaded(response, url)
            url = target
        raise DownloadError(f"it redirects more than {_MOST_REDIRECTS} times", transient=False)

    @contextlib.contextmanager
    def _answer(self, url: str) -> Iterator[requests.Response]:
        response = self._session.get(
            url,
            headers=dict(self._headers_for(url)),
            stream=True,
            allow_redirects=False,
            timeout=(min(self._timeout_s, _LONGEST_CONNECT_S), self._timeout_s),
        )
        try:
            yield response
        finally:
            response.close()

    def _downloaded(self, response: requests.Response, url: str) -> Download:
        problem = failure_of_status(response.status_code)
        if problem is not None or response.status_code in (404, 410):
            reason = problem[1] if problem else f"answered {response.status_code}: it is not there"
            raise DownloadError(reason, transient=is_transient_status(response.status_code))
        return Download(
            data=self._body(response),
            final_url=url,
            etag=response.headers.get("ETag"),
            last_modified=response.headers.get("Last-Modified"),
            date=response.headers.get("Date"),
        )

    def _body(self, response: requests.Response) -> bytes:
        try:
            body = Body(response.headers.get("Content-Encoding", ""), max_bytes=self._max_bytes)
            while data := response.raw.read1(_CHUNK_BYTES, decode_content=False):
                body.feed(data)
            if self._watch.expired:
                raise self._late()
            return body.close()
        except BodyError as error:
            if error.failure is Failure.TOO_LARGE:
                raise DownloadTooLargeError(error.message, transient=False) from error
            raise DownloadError(error.message, transient=True) from error

    def _explained(self, error: Exception) -> DownloadError:
        if self._watch.refusal is not None:
            return self._refused(self._watch.refusal)
        if self._watch.expired:
            return self._late()
        certificate = isinstance(error, requests.exceptions.SSLError)
        return DownloadError(_innermost(error), transient=not certificate)

    def _refused(self, refusal: str) -> DownloadError:
        if self._asked == self._first:
            return AddressRefusedError(refusal, transient=False)
        return DownloadError(f"it redirects to {self._asked}: {refusal}", transient=False)

    def _late(self) -> DownloadError:
        return DownloadError(f"no whole answer within {self._timeout_s:g} s", transient=True)


class _Session(requests.Session):
    def get_redirect_target(self, resp: requests.Response) -> None:
        """None: requests reads the target even where it does not follow, and odd ones raise."""


class _Watch:
    """Sees every connection of a session as it opens, and can break them all."""

    def __init__(self, guard: NetworkGuard | None) -> None:
        self._guard = guard
        self._handles: list[socket.socket] = []
        self._lock = threading.Lock()
        self.expired = False
        self.refusal: str | None = None

    def opened(self, connection: socket.socket, host: str, port: int) -> None:
        """Check the address at the other end; raises OSError if it is refused."""
        if self._guard is not None:
            address = str(connection.getpeername()[0])
            self.refusal = self._guard.refusal(address, host=host.strip("[]"), port=port)
        if self.refusal is not None:
            connection.close()
            raise OSError(self.refusal)
        with self._lock:
            # TLS takes the socket over; a second handle on it still ends what goes on there.
            self._handles.append(connection.dup())
        if self.expired:
            self.expire()

    def expire(self) -> None:
        """The time is over: whoever reads from a connection gets its end."""
        with self._lock:
            self.expired = True
            for handle in self._handles:
                with contextlib.suppress(OSError):
                    handle.shutdown(socket.SHUT_RDWR)

    def forget(self) -> None:
        """Be ready for the next download."""
        with self._lock:
            for handle in self._handles:
                handle.close()
            self._handles.clear()
            self.expired = False
            self.refusal = None


class _WatchedAdapter(HTTPAdapter):
    def __init__(self, watch: _Watch) -> None:
        self._watch = watch
        super().__init__()

    def init_poolmanager(self, *args: object, **kwargs: object) -> None:
        super().init_poolmanager(*args, **kwargs)  # type: ignore[arg-type]
        watch = self._watch

        class PlainConnection(urllib3.connection.HTTPConnection):
            def _new_conn(self) -> socket.socket:
                return _watched(super()._new_conn(), self, watch)

        class TlsConnection(urllib3.connection.HTTPSConnection):
            def _new_conn(self) -> socket.socket:
                return _watched(super()._new_conn(), self, watch)

        class PlainPool(urllib3.connectionpool.HTTPConnectionPool):
            ConnectionCls = PlainConnection

        class TlsPool(urllib3.connectionpool.HTTPSConnectionPool):
            ConnectionCls = TlsConnection

        self.poolmanager.pool_classes_by_scheme = {"http": PlainPool, "https": TlsPool}


def _watched(
    opened: socket.socket, connection: urllib3.connection.HTTPConnection, watch: _Watch
) -> socket.socket:
    watch.opened(opened, connection.host, connection.port or 0)
    return opened


def _target(response: requests.Response, url: str) -> str | None:
    if response.status_code not in (301, 302, 303, 307, 308):
        return None
    location = response.headers.get("Location", "").encode("latin-1", "replace")
    target = redirect_target(url, [b"Location: " + location])
    if target is None:
        raise DownloadError(
            f"answered {response.status_code} without a target that is an http or https URL",
            transient=False,
        )
    return target


def _innermost(error: BaseException) -> str:
    """The text of the error that all the others wrap."""
    reason: BaseException = error
    while True:
        inner = getattr(reason, "reason", None) or (reason.args[0] if reason.args else None)
        if not isinstance(inner, BaseException):
            return str(reason)
        reason = inner
