"""From bytes to lines of text (docs/spec/01-script-language.md, 1.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from site_indexer.errors import ScriptTooLargeError

DEFAULT_MAX_BYTES = 64 * 2**20
WHITE_SPACE = " \t\v\f"

_PIECE = 2**18
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class UndecodableLine:
    """The first line that is no UTF-8. ``line`` and ``column`` count from 1."""

    line: int
    column: int
    text: str


class LineReader:
    """Splits a script into lines, in memory that does not grow with the file.

    After the lines have been read, ``undecodable`` is the first line that was read as Latin-1.
    """

    def __init__(self, data: bytes | Iterable[bytes], *, source: str, max_bytes: int) -> None:
        self._chunks = _pieces(data) if isinstance(data, bytes) else data
        self._source = source
        self._max_bytes = max_bytes
        self._lines_before = 0
        self.undecodable: UndecodableLine | None = None

    def batches(self) -> Iterator[list[str]]:
        """Yield the lines in order, many at a time and without their ends.

        Raises :class:`~site_indexer.errors.ScriptTooLargeError` at the first byte over the limit.
        """
        for number, part in enumerate(_whole_lines(self._limited())):
            lines = self._decoded(part.removeprefix(_BOM) if number == 0 else part)
            self._lines_before += len(lines)
            yield lines

    def _limited(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._chunks:
            size += len(chunk)
            if size > self._max_bytes:
                raise ScriptTooLargeError(
                    f"The index script {self._source} is larger than {self._max_bytes:,} bytes.",
                    hint="Drop old blocks from the file, or raise the limit for this site.",
                    source=self._source,
                )
            yield chunk

    def _decoded(self, part: bytes) -> list[str]:
        part = part.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        try:
            lines = part.decode().split("\n")
        except UnicodeDecodeError:
            lines = [self._line(raw, index) for index, raw in enumerate(part.split(b"\n"))]
        if not lines[-1]:
            lines.pop()
        return lines

    def _line(self, raw: bytes, index: int) -> str:
        try:
            return raw.decode()
        except UnicodeDecodeError as error:
            text = raw.decode("latin-1")
            if self.undecodable is None:
                line = self._lines_before + index + 1
                self.undecodable = UndecodableLine(line, error.start + 1, text)
            return text


def _pieces(data: bytes) -> Iterator[bytes]:
    for start in range(0, len(data), _PIECE):
        yield data[start : start + _PIECE]


def _whole_lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Cut the stream behind line ends: each part holds whole lines, but for the last one's end.

    A CR at the end of a chunk waits for the next one, which may start with its LF.
    """
    pending: list[bytes] = []
    carried = b""
    for raw in chunks:
        chunk = carried + raw
        carried = b"\r" if chunk.endswith(b"\r") else b""
        chunk = chunk.removesuffix(b"\r")
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if end:
            yield b"".join((*pending, chunk[:end]))
            pending.clear()
        pending.append(chunk[end:])
    last = b"".join((*pending, carried))
    if last:
        yield last
