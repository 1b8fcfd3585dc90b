"""Which form of an answer a request gets: conditions and content coding (RFC 9110)."""

from __future__ import annotations

import email.utils
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

from demo_site.answers import Answer


class Headers(Protocol):
    """Request headers, looked up by name in any case, as ``email.message.Message`` does."""

    def get(self, name: str, /) -> str | None:
        """The value of a header, None if it was not sent."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes over the wire; ``body`` is empty for 304, and is left out for HEAD later."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


def reply_to(answer: Answer, request_headers: Headers) -> Reply:
    """The reply to a GET or HEAD with these headers.

    If-None-Match decides alone where it is sent; If-Modified-Since counts only without it
    (RFC 9110, 13.2.2).
    """
    if answer.status != 200 or answer.last_modified is None:
        return Reply(answer.status, answer.headers, answer.body)
    packed = bool(answer.packed) and accepts_gzip(request_headers.get("Accept-Encoding") or "")
    headers = [
        ("ETag", answer.packed_etag if packed else answer.etag),
        ("Last-Modified", email.utils.format_datetime(answer.last_modified, usegmt=True)),
    ]
    if answer.packed:
        headers.append(("Vary", "Accept-Encoding"))
    # Robots headers belong to the page and not to its bytes: they are on a 304 too.
    if _is_current(answer, request_headers):
        robots = [header for header in answer.headers if header[0] == "X-Robots-Tag"]
        return Reply(304, (*headers, *robots), b"")
    if packed:
        headers.append(("Content-Encoding", "gzip"))
    return Reply(200, (*answer.headers, *headers), answer.packed if packed else answer.body)


def accepts_gzip(accept_encoding: str) -> bool:
    """Whether an Accept-Encoding value names gzip (or ``*``) with a weight other than 0."""
    for field in accept_encoding.lower().split(","):
        coding, _, parameters = field.strip().partition(";")
        if coding.strip() in {"gzip", "x-gzip", "*"}:
            weight = parameters.replace(" ", "").removeprefix("q=")
            return weight.rstrip("0").rstrip(".") not in {"0", ""} if weight else True
    return False


def _is_current(answer: Answer, request_headers: Headers) -> bool:
    tags = request_headers.get("If-None-Match")
    if tags is not None:
        known = {answer.etag, answer.packed_etag}
        return tags.strip() == "*" or any(
            tag.strip().removeprefix("W/") in known for tag in tags.split(",")
        )
    since = _http_date(request_headers.get("If-Modified-Since"))
    return since is not None and answer.last_modified is not None and answer.last_modified <= since


def _http_date(text: str | None) -> datetime | None:
    """The date of a header, None if it has none that can be read (RFC 9110, 13.1.3)."""
    if not text:
        return None
    try:
        parsed = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
