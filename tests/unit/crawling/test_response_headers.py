from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.response_headers import (
    final_response,
    parse_headers,
    redirect_target,
)
from site_indexer.urls import normalize


def lines(text: str) -> list[bytes]:
    return [line.encode("latin-1") for line in text.splitlines(keepends=True)]


def test_the_last_response_counts_without_interim_ones_and_trailers() -> None:
    received = lines(
        "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 200 OK\r\nA: b\r\nC:d\r\n\r\nT: e\r\n"
    )
    assert final_response(received) == (200, [b"A: b", b"C:d"])


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("HTTP/1.1 404\r\n\r\n", 404),
        ("HTTP/1.0  301 Moved\n\n", 301),
        ("HTTP/2 999 No\r\n\r\n", 999),
        ("HTTP/1.1 100 Continue\r\n\r\n", 0),
        ("HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n", 0),
        ("HTTP/1.1 200 OK\r\n", 0),
        ("", 0),
    ],
)
def test_a_head_that_is_not_whole_has_no_status(text: str, status: int) -> None:
    assert final_response(lines(text))[0] == status


def test_folded_lines_are_one() -> None:
    received = lines("HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\td\r\nE: f\r\n\r\n")
    assert parse_headers(final_response(received)[1]) == (("a", "b c d"), ("e", "f"))


def test_names_in_lower_case_repeated_ones_kept_others_dropped() -> None:
    assert parse_headers([b"X-A: 1", b"x-a:2 ", b"no colon", b"Empty:"]) == (
        ("x-a", "1"),
        ("x-a", "2"),
        ("empty", ""),
    )


def test_values_are_utf_8_or_latin_1() -> None:
    assert parse_headers([b"A: caf\xc3\xa9", b"B: caf\xe9"]) == (("a", "café"), ("b", "café"))


def test_the_first_location_counts() -> None:
    target = redirect_target("https://h/a/b", [b"Other: x", b"LOCATION: c", b"Location: d"])
    assert target == "https://h/a/c"
    assert redirect_target("https://h/", [b"X: y"]) is None


@given(st.binary().filter(lambda value: b"\n" not in value and b"\r" not in value))
def test_any_value_gives_a_normalized_url_or_none(value: bytes) -> None:
    target = redirect_target("https://h.example/a/b?c", [b"Location: " + value])
    assert target is None or normalize(target) == target
