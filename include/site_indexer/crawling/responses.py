"""A finished HTTP exchange, as the fetcher hands it to the rest of the crawl."""

from __future__ import annotations

import datetime as dt
from enum import StrEnum

from site_indexer.values import value_object


class Failure(StrEnum):
    """Why a fetch brought no answer that can be judged; the words of records, logs and counts."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    DNS = "dns"
    TLS = "tls"
    TOO_LARGE = "too-large"
    TRUNCATED = "truncated"
    BAD_ENCODING = "bad-encoding"
    ADDRESS_REFUSED = "address-refused"
    PROTOCOL = "protocol"
    TOO_MANY_REDIRECTS = "too-many-redirects"
    REDIRECT_LOOP = "redirect-loop"
    SERVER_ERROR = "server-error"  # 5xx
    FORBIDDEN = "forbidden"  # 401, 403
    RATE_LIMITED = "rate-limited"  # 429
    CLIENT_ERROR = "client-error"  # any other 4xx but 404 and 410
    ROBOTS_UNREACHABLE = "robots-unreachable"
    UNREADABLE = "unreadable"  # a body that no extractor can read


@value_object
class Request:
    """One GET or HEAD. ``etag`` and ``last_modified`` are sent as validators where given.

    ``cut_at``: keep only that many bytes of the body; a longer one is then no failure (robots.txt).
    """

    url: str
    method: str = "GET"
    etag: str | None = None
    last_modified: str | None = None
    cut_at: int | None = None


@value_object
class Response:
    """The answer to a request, after decompression, redirects not followed.

    ``headers``: lower-case names; a header sent several times is several pairs. ``location`` is
    the redirect's target, joined to the URL but not yet normalized. ``failure`` is set where no
    judgeable answer came; then ``status`` may be None and ``error`` is a sentence. ``warnings`` are
    sentences about an answer that can be judged.
    """

    request: Request
    status: int | None
    headers: tuple[tuple[str, str], ...]
    body: bytes
    received_at: dt.datetime
    elapsed_ms: int
    failure: Failure | None = None
    error: str | None = None
    location: str | None = None
    attempts: int = 1
    warnings: tuple[str, ...] = ()

    def header(self, name: str) -> str | None:
        """The first header of that name (lower case), or None."""
        return next((value for key, value in self.headers if key == name), None)

    def header_values(self, name: str) -> tuple[str, ...]:
        """All headers of that name (lower case), in order."""
        return tuple(value for key, value in self.headers if key == name)
