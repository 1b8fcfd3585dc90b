"""docs/spec/01-script-language.md, 1.1, and the size limit of 1.6."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from site_indexer.errors import ScriptTooLargeError
from site_indexer.index_script.lines import LineReader, UndecodableLine

LINE_ENDS = st.sampled_from([b"\r", b"\n", b"\r\n"])
CONTENT = st.binary().map(lambda data: data.replace(b"\r", b"").replace(b"\n", b""))


def read(data: bytes | list[bytes], max_bytes: int = 10**6) -> list[str]:
    reader = LineReader(data, source="s", max_bytes=max_bytes)
    return [line for batch in reader.batches() for line in batch]


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"", []),
        (b"a", ["a"]),
        (b"a\n", ["a"]),
        (b"a\rb\nc\r\nd", ["a", "b", "c", "d"]),
        (b"a\n\rb", ["a", "", "b"]),
        (b"\r\r\n\n", ["", "", ""]),
        (b"a\x0bb\x0cc\x1cd\x85e", ["a\x0bb\x0cc\x1cd\x85e"]),
        ("a\u2028b\u0085c".encode(), ["a\u2028b\u0085c"]),
    ],
)
def test_lines_end_in_cr_lf_or_crlf_and_nothing_else(data: bytes, lines: list[str]) -> None:
    """docs/spec/01-script-language.md, 1.1: lines."""
    assert read(data) == lines


@given(st.lists(st.tuples(CONTENT, LINE_ENDS)), st.integers(1, 7))
@example([(b"a", b"\r"), (b"", b"\n")], 1)
def test_chunks_can_be_cut_anywhere(lines: list[tuple[bytes, bytes]], size: int) -> None:
    data = b"".join(content + end for content, end in lines)
    chunks = [data[start : start + size] for start in range(0, len(data), size)]
    assert read(chunks) == read(data)


def test_a_byte_order_mark_is_dropped_at_the_start_only() -> None:
    """docs/spec/01-script-language.md, 1.1: byte order mark."""
    assert read(b"\xef\xbb\xbfa\n\xef\xbb\xbfb") == ["a", "\ufeffb"]
    assert read([b"\xef", b"\xbb", b"\xbfa"]) == ["a"]
    assert read(b"\xef\xbb\xbf\xe9") == ["\xe9"]


def test_lines_that_are_no_utf8_are_read_as_latin1_line_by_line() -> None:
    """docs/spec/01-script-language.md, 1.1: encoding."""
    reader = LineReader(b"\xc3\xa9\ncaf\xe9\n\xe9", source="s", max_bytes=99)
    assert [line for batch in reader.batches() for line in batch] == ["é", "café", "é"]
    assert reader.undecodable == UndecodableLine(2, 4, "café")


def test_the_first_undecodable_line_is_numbered_across_batches() -> None:
    reader = LineReader([b"a\nb\n", b"c\n\xe9\n", b"\xe9"], source="s", max_bytes=99)
    assert sum(map(len, reader.batches())) == 5
    assert reader.undecodable == UndecodableLine(4, 1, "é")


def test_a_script_over_the_limit_is_refused_before_the_rest_is_read() -> None:
    """docs/spec/01-script-language.md, 1.6: size limit."""

    def chunks() -> Iterator[bytes]:
        yield b"a" * 10
        yield b"a"
        pytest.fail("read on after the limit")

    assert read(b"a" * 10, max_bytes=10) == ["a" * 10]
    with pytest.raises(ScriptTooLargeError, match=r"s is larger than 10 bytes.*limit"):
        list(LineReader(chunks(), source="s", max_bytes=10).batches())


def test_a_line_in_many_chunks_is_joined_once() -> None:
    assert read([b"a"] * 50_000 + [b"\nb"]) == ["a" * 50_000, "b"]
