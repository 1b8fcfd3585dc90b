"""Undoing Content-Encoding while a body streams (RFC 9110 8.4, RFC 1950 to 1952).

Not left to libcurl: it takes a gzip body that was cut short for a whole one, refuses a body of
several gzip members, and fails on words that are no coding, such as ``utf-8``.
"""

from __future__ import annotations

import zlib

from site_indexer.crawling.responses import Failure

ACCEPT_ENCODING = "gzip, deflate"
_MOST_LAYERS = 5
_MOST_OVERHEAD = 64 * 1024
_SMALL_PIECE = 1024
# The names that IANA lists; anything else in the header is no coding and means none.
_REGISTERED = frozenset(
    [
        "aes128gcm",
        "br",
        "compress",
        "dcb",
        "dcz",
        "deflate",
        "exi",
        "gzip",
        "pack200-gzip",
        "x-compress",
        "x-gzip",
        "zstd",
    ]
)
_GZIP_MAGIC = b"\x1f\x8b"


class BodyError(Exception):
    """A body that is not kept: too large, cut short, or not in the coding it claims."""

    def __init__(self, failure: Failure, message: str) -> None:
        super().__init__(message)
        self.failure = failure
        self.message = message


class Body:
    """A response body as it arrives: decoded, and never longer than ``max_bytes``.

    ``cut_at``: keep that many bytes and drop the rest, which is then no failure.
    """

    __slots__ = ("_chunks", "_cut_at", "_layers", "_max_bytes", "_received", "complete", "size")

    def __init__(self, content_encoding: str, *, max_bytes: int, cut_at: int | None = None) -> None:
        """Raises BodyError for a coding that is registered but not supported."""
        self._layers = _layers(content_encoding)
        self._max_bytes = max_bytes
        self._cut_at = cut_at
        self._chunks: list[bytes | bytearray] = []
        self._received = 0
        self.size = 0
        self.complete = False  # cut_at is reached, nothing more is wanted

    def feed(self, data: bytes) -> None:
        """Take the next bytes from the wire; raises BodyError, after which the body is lost."""
        self._received += len(data)
        if self._received > max(self._max_bytes, self._cut_at or 0) + _MOST_OVERHEAD:
            raise self._too_large()  # nothing unpacks to less, but for what is sent to no purpose
        limit = self._max_bytes if self._cut_at is None else self._cut_at
        room = limit - self.size + 1
        for layer in self._layers:
            data = layer.feed(data, room)
        if any(layer.overflowed for layer in self._layers[:-1]):
            raise self._too_large()
        self._keep(data)
        self.size += len(data)
        if self._cut_at is not None:
            self.complete = self.size >= self._cut_at
        elif self.size > self._max_bytes:
            raise self._too_large()

    def close(self) -> bytes:
        """The whole body; raises BodyError if its coding says that something is missing."""
        if not self.complete:
            for layer in self._layers:
                layer.close()
        whole = bytes(self._chunks[0]) if len(self._chunks) == 1 else b"".join(self._chunks)
        return whole if self._cut_at is None else whole[: self._cut_at]

    def _keep(self, data: bytes) -> None:
        """Keep a piece; a body that comes in pieces of a few bytes must not cost forty for each."""
        if len(data) >= _SMALL_PIECE or not self._chunks:
            self._chunks.append(data)
            return
        last = self._chunks[-1]
        if isinstance(last, bytes):
            last = self._chunks[-1] = bytearray(last)
        last += data

    def _too_large(self) -> BodyError:
        return BodyError(
            Failure.TOO_LARGE, f"the body is larger than the limit of {self._max_bytes} bytes"
        )


class _Inflate:
    """One layer of gzip (of one or more members) or deflate, decoded no further than asked."""

    def __init__(self, *, gzip: bool) -> None:
        self._gzip = gzip
        self._decoder = zlib.decompressobj(wbits=31 if gzip else 15)
        self._started = False
        self._rest = b""

    def feed(self, data: bytes, room: int) -> bytes:
        """Decode up to ``room`` bytes; more than that is lost, so the caller stops there."""
        decoded = b""
        data = self._rest + data
        self._rest = b""
        if not self._gzip and not self._started:
            if len(data) == 1:
                self._rest = data
                return b""
            self._choose_wrapping(data)
        while data and room > len(decoded):
            if self._decoder.eof and not self._next_member(data):
                break
            decoded += self._decode(data, room - len(decoded))
            data = self._decoder.unused_data
        return decoded

    def close(self) -> None:
        """Raise BodyError if the end is missing; an empty body has none."""
        if (self._started or self._rest) and not self._decoder.eof:
            raise BodyError(Failure.TRUNCATED, "the compressed body is cut short")

    @property
    def overflowed(self) -> bool:
        """Whether something was left undecoded for want of room."""
        return bool(self._decoder.unconsumed_tail)

    def _next_member(self, data: bytes) -> bool:
        """Whether ``data`` begins another member; what else follows an end is padding."""
        if self._gzip and data.startswith(_GZIP_MAGIC):
            self._decoder = zlib.decompressobj(wbits=31)
            return True
        if self._gzip and data == _GZIP_MAGIC[:1]:
            self._rest = data
        return False

    def _decode(self, data: bytes, room: int) -> bytes:
        self._started = True
        try:
            return self._decoder.decompress(data, room)
        except zlib.error as error:
            raise BodyError(
                Failure.BAD_ENCODING, f"the body is not in the coding that it claims ({error})"
            ) from None

    def _choose_wrapping(self, data: bytes) -> None:
        """Some servers send deflate without the wrapping (RFC 1950) that its name stands for."""
        if data and not (data[0] & 0x0F == 8 and int.from_bytes(data[:2], "big") % 31 == 0):
            self._decoder = zlib.decompressobj(wbits=-15)


def _layers(content_encoding: str) -> list[_Inflate]:
    """Decoders for the codings of a header value, the one applied last first."""
    words = [word.strip().lower() for word in content_encoding.split(",")]
    known = [word for word in words if word in _REGISTERED]
    refused = [word for word in known if word not in ("gzip", "x-gzip", "deflate")]
    if refused or len(known) > _MOST_LAYERS:
        raise BodyError(
            Failure.BAD_ENCODING,
            f"the content coding {content_encoding!r} was not asked for and cannot be read",
        )
    return [_Inflate(gzip=word != "deflate") for word in reversed(known)]
