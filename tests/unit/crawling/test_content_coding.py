from __future__ import annotations

import contextlib
import gzip
import itertools
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.content_coding import Body, BodyError
from site_indexer.crawling.responses import Failure


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "deflate ": raw_deflate,
    "gzip, deflate": lambda data: zlib.compress(gzip.compress(data)),
}


def decode(
    coding: str, pieces: list[bytes], *, max_bytes: int = 10**6, cut_at: int | None = None
) -> bytes:
    body = Body(coding, max_bytes=max_bytes, cut_at=cut_at)
    for piece in pieces:
        if not body.complete:
            body.feed(piece)
    return body.close()


def in_pieces(data: bytes, sizes: list[int]) -> list[bytes]:
    cuts = [0, *itertools.accumulate(sizes), len(data)]
    return [data[a:b] for a, b in itertools.pairwise(sorted(min(cut, len(data)) for cut in cuts))]


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=3000), st.lists(st.integers(0, 50)))
def test_however_it_arrives_it_is_the_same(coding: str, data: bytes, sizes: list[int]) -> None:
    assert decode(coding, in_pieces(PACKERS[coding](data), sizes)) == data


@given(st.lists(st.binary(max_size=50), min_size=1, max_size=5), st.lists(st.integers(0, 9)))
def test_members_of_gzip_are_one_body(parts: list[bytes], sizes: list[int]) -> None:
    packed = b"".join(gzip.compress(part) for part in parts)
    assert decode("gzip", in_pieces(packed, sizes)) == b"".join(parts)


@given(st.binary(min_size=1), st.data())
def test_a_body_cut_anywhere_is_a_failure(data: bytes, draw: st.DataObject) -> None:
    coding = draw.draw(st.sampled_from(["gzip", "deflate", "gzip, deflate"]))
    packed = PACKERS[coding](data)
    cut = draw.draw(st.integers(1, len(packed) - 1))
    with pytest.raises(BodyError) as caught:
        decode(coding, [packed[:cut]])
    assert caught.value.failure in (Failure.TRUNCATED, Failure.BAD_ENCODING)


@given(st.sampled_from(sorted(PACKERS)), st.integers(0, 3000), st.integers(0, 3000))
def test_the_limit_holds_for_what_comes_out(coding: str, size: int, limit: int) -> None:
    packed = PACKERS[coding](b"x" * size)
    if size <= limit:
        assert len(decode(coding, [packed], max_bytes=max(limit, len(packed)))) == size
    else:
        with pytest.raises(BodyError) as caught:
            decode(coding, [packed], max_bytes=limit)
        assert caught.value.failure is Failure.TOO_LARGE


@given(st.sampled_from(sorted(PACKERS)), st.binary(max_size=3000), st.integers(0, 3000))
def test_a_cut_keeps_the_start_and_is_no_failure(coding: str, data: bytes, cut_at: int) -> None:
    pieces = in_pieces(PACKERS[coding](data), [7, 20, 100])
    if coding == "gzip, deflate" and len(gzip.compress(data)) > cut_at:
        return  # what lies between two codings is held to the limit too
    assert decode(coding, pieces, cut_at=cut_at) == data[:cut_at]


def test_a_bomb_costs_no_more_memory_than_the_limit() -> None:
    packed = gzip.compress(b"\x00" * 50_000_000)
    body = Body("gzip", max_bytes=1000)
    with pytest.raises(BodyError):
        body.feed(packed)
    assert body.size <= 1001


@pytest.mark.parametrize("coding", ["zstd", "br", "compress", "gzip, zstd", ",".join(["gzip"] * 6)])
def test_what_cannot_be_read_is_said_at_once(coding: str) -> None:
    with pytest.raises(BodyError) as caught:
        Body(coding, max_bytes=10)
    assert caught.value.failure is Failure.BAD_ENCODING


@pytest.mark.parametrize("coding", ["", " ", "identity", "none", "utf-8", "binary", ",,"])
def test_words_that_are_no_coding_mean_none(coding: str) -> None:
    assert decode(coding, [b"as it is"]) == b"as it is"


@given(st.sampled_from(["gzip", "deflate", "gzip, deflate"]), st.binary())
def test_any_bytes_give_a_body_or_its_error(coding: str, data: bytes) -> None:
    with contextlib.suppress(BodyError):
        decode(coding, [data])


def test_what_unpacks_to_nothing_is_not_taken_for_ever() -> None:
    nothing = gzip.compress(b"") * 1_000
    body = Body("gzip", max_bytes=10_000)
    for _ in range(3):
        body.feed(nothing)
    with pytest.raises(BodyError) as refused:
        body.feed(nothing)
    assert refused.value.failure is Failure.TOO_LARGE


def test_a_body_in_tiny_pieces_is_kept_as_one() -> None:
    pieces = [bytes([65 + n % 26]) * (1 + n % 3) for n in range(3_000)]
    body = Body("", max_bytes=10**6)
    for piece in [b"x" * 5_000, *pieces, b"y" * 5_000]:
        body.feed(piece)
    assert len(body._chunks) == 2
    assert body.close() == b"x" * 5_000 + b"".join(pieces) + b"y" * 5_000
