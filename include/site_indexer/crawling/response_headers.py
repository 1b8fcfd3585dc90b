"""Reading the header lines of a response (RFC 9112 2 to 5, RFC 9110 5)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from site_indexer.errors import UrlError
from site_indexer.urls import normalize

Headers = tuple[tuple[str, str], ...]

_FINAL_STATUS = re.compile(rb"HTTP/[0-9.]+ +([2-9][0-9]{2})")
_NOT_ASCII = re.compile(rb"[\x80-\xff]")


def final_response(lines: Sequence[bytes]) -> tuple[int, list[bytes]]:
    """The status of the final response among ``lines``, and its header lines, unfolded.

    ``lines`` are all lines received: interim (1xx) answers and those of a proxy come first,
    trailers after the empty line that ends the headers; neither is returned. Without that empty
    line the head was cut short, which libcurl takes for the whole of it: then the status is 0.
    """
    start = max((i for i, line in enumerate(lines) if line.startswith(b"HTTP/")), default=-1)
    status = _FINAL_STATUS.match(lines[start]) if start >= 0 else None
    found: list[bytes] = []
    for line in lines[start + 1 :]:
        if not line.strip():
            return (int(status[1]) if status else 0), found
        if line[:1] in (b" ", b"\t") and found:
            found[-1] += b" " + line.strip()
        else:
            found.append(line.rstrip(b"\r\n"))
    return 0, found


def parse_headers(lines: Sequence[bytes]) -> Headers:
    """Names in lower case with their values, in order; lines without a colon are dropped.

    Values are UTF-8 where valid, else Latin-1: the standard allows only ASCII, servers do not.
    """
    pairs = (line.partition(b":") for line in lines)
    return tuple(
        (name.strip().decode("latin-1").lower(), decode_value(value.strip()))
        for name, colon, value in pairs
        if colon
    )


def decode_value(value: bytes) -> str:
    """A header's value as text: UTF-8 where valid, else Latin-1."""
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")


def redirect_target(url: str, lines: Sequence[bytes]) -> str | None:
    """The target of the first Location header, joined to ``url`` as browsers do, or None.

    None too where it is empty or no http(s) URL. Bytes outside ASCII are percent-encoded as they
    were sent, in whatever charset: so the server sees again what it wrote.
    """
    for line in lines:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"location":
            break
    else:
        return None
    text = _NOT_ASCII.sub(lambda byte: b"%%%02X" % byte[0][0], value.strip()).decode("ascii")
    if not text:
        return None
    try:
        return normalize(text, base=url)
    except UrlError:
        return None
