"""Conditions and content coding of requests (RFC 9110)."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime

import pytest

from demo_site.answers import HTML, Answer, found, redirect
from demo_site.conditional import accepts_gzip, reply_to

MODIFIED = datetime(2024, 5, 2, 10, 0, tzinfo=UTC)
LONG_AGO = datetime(1999, 1, 1, tzinfo=UTC)
LONG = found(b"<p>sea</p>" * 100, HTML, MODIFIED)
SHORT = found(b"<p>sea</p>", HTML, MODIFIED, ("X-Robots-Tag", "noindex"))


def headers(**fields: str) -> Message:
    message = Message()
    for name, value in fields.items():
        message[name.replace("_", "-")] = value
    return message


def http(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def test_the_etag_follows_from_the_bytes_alone() -> None:
    assert found(b"a", HTML, MODIFIED).etag == found(b"a", "text/plain", datetime.now(UTC)).etag
    assert found(b"a", HTML, MODIFIED).etag != found(b"b", HTML, MODIFIED).etag


@pytest.mark.parametrize(
    ("request_headers", "status"),
    [
        (headers(), 200),
        (headers(If_None_Match=SHORT.etag), 304),
        (headers(If_None_Match=f"W/{SHORT.etag}"), 304),
        (headers(If_None_Match=f'"other", {SHORT.etag}'), 304),
        (headers(If_None_Match="*"), 304),
        (headers(If_None_Match='"other"'), 200),
        (headers(If_Modified_Since=http(MODIFIED)), 304),
        (headers(If_Modified_Since=http(MODIFIED + timedelta(days=1))), 304),
        (headers(If_Modified_Since=http(MODIFIED - timedelta(seconds=1))), 200),
        (headers(If_Modified_Since="Thursday, 02-May-24 10:00:00 GMT"), 304),
        (headers(If_Modified_Since="yesterday"), 200),
        # 13.2.2: with If-None-Match there, If-Modified-Since is not asked.
        (headers(If_None_Match='"other"', If_Modified_Since=http(MODIFIED)), 200),
        (headers(If_None_Match=SHORT.etag, If_Modified_Since=http(LONG_AGO)), 304),
    ],
)
def test_conditions(request_headers: Message, status: int) -> None:
    reply = reply_to(SHORT, request_headers)
    assert reply.status == status
    names = dict(reply.headers)
    assert names["ETag"] == SHORT.etag
    assert names["Last-Modified"] == "Thu, 02 May 2024 10:00:00 GMT"
    assert names["X-Robots-Tag"] == "noindex"
    if status == 304:
        assert reply.body == b""
        assert "Content-Type" not in names


def test_what_is_no_200_knows_no_conditions() -> None:
    moved = redirect(301, "/there")
    assert reply_to(moved, headers(If_None_Match="*")).status == 301


def test_gzip_has_a_tag_of_its_own_and_both_tags_are_current() -> None:
    plain = reply_to(LONG, headers())
    packed = reply_to(LONG, headers(Accept_Encoding="br, gzip"))
    assert gzip.decompress(packed.body) == plain.body == LONG.body
    assert dict(packed.headers)["Content-Encoding"] == "gzip"
    tags = [dict(reply.headers)["ETag"] for reply in (plain, packed)]
    assert len(set(tags)) == 2
    for tag in tags:
        assert reply_to(LONG, headers(If_None_Match=tag)).status == 304
    for reply in (plain, packed):
        assert ("Vary", "Accept-Encoding") in reply.headers


def test_what_is_short_or_no_text_is_not_packed() -> None:
    picture = found(b"\x89" * 1000, "image/png", MODIFIED)
    for answer in (SHORT, picture):
        reply = reply_to(answer, headers(Accept_Encoding="gzip"))
        assert reply.body == answer.body
        assert "Vary" not in dict(reply.headers)


@pytest.mark.parametrize(
    ("value", "accepted"),
    [
        ("", False),
        ("identity", False),
        ("gzip", True),
        ("GZIP;q=0.5", True),
        ("*", True),
        ("gzip;q=0", False),
        ("gzip; q=0.000", False),
        ("gzip;q=1.0", True),
        ("br;q=1, x-gzip", True),
    ],
)
def test_accept_encoding(value: str, accepted: bool) -> None:
    assert accepts_gzip(value) is accepted


def test_an_answer_without_a_date_keeps_its_body() -> None:
    assert reply_to(Answer(404, (), b"no"), headers(If_None_Match="*")).body == b"no"
