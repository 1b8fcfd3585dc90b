"""Receiving one response: header lines and body bytes in, an answer out (4.1 Fetching)."""

from __future__ import annotations

from typing import Final

from site_indexer.crawling.content_coding import Body, BodyError
from site_indexer.crawling.curl_failures import (
    failure_of_error,
    is_transient_error,
    words_of_error,
)
from site_indexer.crawling.curl_loop import Ending
from site_indexer.crawling.http_status import PAGES, REDIRECTS
from site_indexer.crawling.response_headers import (
    Headers,
    final_response,
    parse_headers,
    redirect_target,
)
from site_indexer.crawling.responses import Failure, Request
from site_indexer.values import value_object

_CODING_HEADER: Final = "content-encoding"
# The bodies of errors and redirects say nothing that is used; so much is read to keep the
# connection for the next request.
_OTHER_BODIES_BYTES: Final = 64 * 1024
_CONNECTIONS: Final = ("connection", "proxy-connection")


@value_object
class Answer:
    """What came of an exchange; ``failure`` is one of the transport, never of the status.

    ``transient``: whether the failure may be gone in seconds. ``answered``: whether anything was
    received. ``location``: the redirect's target, joined. ``was_cut``: whether the body is longer
    than its Content-Length, as far as that was watched for; ``may_be_cut``: whether it should be.
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
    was_cut: bool = False
    may_be_cut: bool = False

    def header(self, name: str) -> str | None:
        """The first header of that name (lower case), or None."""
        return next((value for key, value in self.headers if key == name), None)


class Reception:
    """The buffers of one exchange; libcurl's callbacks fill them."""

    __slots__ = (
        "_body",
        "_decoded",
        "_final",
        "_max_bytes",
        "_stopped",
        "has_more",
        "lines",
        "refusal",
        "request",
    )

    def __init__(self, request: Request, *, max_bytes: int, decoded: bool) -> None:
        """``decoded``: the body arrives without its content coding."""
        self.request = request
        self.lines: list[bytes] = []
        self.refusal: str | None = None  # why an address was not connected to
        self.has_more = False  # the body is longer than its Content-Length
        self._max_bytes = max_bytes
        self._decoded = decoded
        self._final: tuple[int, list[bytes], Headers] | None = None
        self._body: Body | None = None
        self._stopped: BodyError | None = None

    def take(self, data: bytes) -> bool:
        """Take body bytes; False if no more are wanted, whether that is well or not."""
        try:
            if self._body is None:
                self._body = self._new_body()
            self._body.feed(data)
        except BodyError as error:
            self._stopped = error
            return False
        return not self._body.complete

    def answer(self, ending: Ending, elapsed_s: float) -> Answer:
        """The answer once libcurl is done."""
        number, message, is_kept = ending
        status, lines, headers = self._parsed()
        body, failure = self._outcome(number, message)
        if status and status not in PAGES:
            failure = None  # the status says it all, whatever became of the body
        return Answer(
            status=status or None,
            headers=headers,
            body=b"" if failure else body,
            elapsed_s=elapsed_s,
            location=redirect_target(self.request.url, lines) if status in REDIRECTS else None,
            failure=failure and failure[0],
            message=failure[1] if failure else "",
            transient=failure is not None and _is_transient(failure[0], number),
            answered=bool(self.lines),
            was_cut=self.has_more and status in PAGES,
            may_be_cut=number == 0 and not is_kept and self._should_be_kept(),
        )

    def _should_be_kept(self) -> bool:
        """Whether the page is one after which neither end has a reason to close the connection."""
        status, _, headers = self._parsed()
        values = dict(headers)
        return (
            status in PAGES
            and self.request.method == "GET"
            and self.lines[0].startswith(b"HTTP/1.1")
            and "content-length" in values
            and "transfer-encoding" not in values
            and not any("close" in values.get(name, "").lower() for name in _CONNECTIONS)
        )

    def _outcome(self, number: int, message: str) -> tuple[bytes, tuple[Failure, str] | None]:
        body, stopped = self._body, self._stopped
        if number == 0 and self._parsed()[0] == 0:
            return b"", (Failure.TRUNCATED, "the answer ends in the middle of its headers")
        if stopped is None and (number == 0 or (body is not None and body.complete)):
            try:
                return (b"" if body is None else body.close()), None
            except BodyError as error:
                stopped = error
        if stopped is not None:
            return b"", (stopped.failure, stopped.message)
        return b"", self._transport_failure(number, message)

    def _transport_failure(self, number: int, message: str) -> tuple[Failure, str]:
        failure = failure_of_error(number)
        if failure is Failure.CONNECTION and self.refusal is not None:
            return Failure.ADDRESS_REFUSED, self.refusal
        if failure is Failure.CONNECTION and self._body is not None:
            return Failure.TRUNCATED, f"the connection broke in the middle of the body ({message})"
        if failure is Failure.TOO_LARGE:
            return failure, f"the body is larger than the limit of {self._max_bytes} bytes"
        return failure, message or words_of_error(number)

    def _new_body(self) -> Body:
        status, _, headers = self._parsed()
        coding = "" if self._decoded else content_coding(headers)
        cut_at = self.request.cut_at if status in PAGES else _OTHER_BODIES_BYTES
        return Body(coding, max_bytes=self._max_bytes, cut_at=cut_at)

    def _parsed(self) -> tuple[int, list[bytes], Headers]:
        """Status, header lines and headers; asked for when a body comes, or all is over."""
        if self._final is None:
            status, lines = final_response(self.lines)
            self._final = (status, lines, parse_headers(lines))
        return self._final


def content_coding(headers: Headers) -> str:
    """The values of Content-Encoding, joined with commas."""
    return ",".join(value for name, value in headers if name == _CODING_HEADER)


def _is_transient(failure: Failure, number: int) -> bool:
    if failure is Failure.TRUNCATED:
        return True
    return failure is not Failure.ADDRESS_REFUSED and is_transient_error(number)
