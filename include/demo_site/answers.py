"""One answer of the server, before conditions, methods and encodings are looked at."""

from __future__ import annotations

import gzip
import hashlib
from dataclasses import dataclass
from datetime import datetime

HTML = "text/html; charset=utf-8"
# Below this a gzip body is hardly shorter than the plain one.
_WORTH_PACKING = 400


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and the whole body of one resource.

    ``etag`` and ``last_modified`` are set for what answers 200; ``packed`` is the gzip form,
    empty where it is not worth it. Its entity tag differs, as its bytes do (RFC 9110, 8.8.3.3).
    """

    status: int
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""
    last_modified: datetime | None = None
    etag: str = ""
    packed: bytes = b""

    @property
    def packed_etag(self) -> str:
        """The entity tag of the gzip form."""
        return f'{self.etag[:-1]}-gz"'


def found(
    body: bytes,
    content_type: str,
    last_modified: datetime,
    *headers: tuple[str, str],
) -> Answer:
    """A 200 answer. The ETag follows from the bytes alone, so it is the same on any server."""
    text = content_type.startswith(("text/", "application/xml"))
    pack = text and len(body) > _WORTH_PACKING
    return Answer(
        status=200,
        headers=(("Content-Type", content_type), *headers),
        body=body,
        last_modified=last_modified,
        etag=f'"{hashlib.sha256(body).hexdigest()[:20]}"',
        packed=gzip.compress(body, mtime=0) if pack else b"",
    )


def redirect(status: int, location: str) -> Answer:
    """A redirect with the short HTML note that RFC 9110 (15.4) suggests."""
    note = f'<!doctype html><title>Moved</title><p>See <a href="{location}">{location}</a>.</p>'
    return Answer(status, (("Location", location), ("Content-Type", HTML)), note.encode())


def failure(status: int, html: str) -> Answer:
    """An error page, which has no validators."""
    return Answer(status, (("Content-Type", HTML),), html.encode())
