"""The fetcher against a real server: what a response is, and what becomes of a broken one."""

from __future__ import annotations

import dataclasses
import datetime as dt
import gzip
import itertools
import os
import socket
import zlib
from typing import TYPE_CHECKING

import pytest

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.politeness import Patience
from site_indexer.crawling.responses import Failure, Request, Response

if TYPE_CHECKING:
    from tests.integration.crawling.hostile_server import Client, HostileServer, Seen

QUICK = Patience(first_pause_s=0.01, longest_pause_s=0.05, rounds=4, closed_s=30.0)
SETTINGS = CrawlSettings(
    site="test",
    user_agent="SiteIndexer/1 (+https://example.com/bot)",
    hosts=(),
    delay_s=0.0,
    timeout_s=5.0,
    max_bytes=100_000,
    retries=0,
    allow_networks=("127.0.0.0/8",),
)
NOISE = os.urandom(40_000)


def fetch(*urls: str | Request, **changes: object) -> list[Response]:
    """The responses for the URLs, in their order."""
    settings = dataclasses.replace(SETTINGS, **changes)  # type: ignore[arg-type]
    found: dict[object, Response] = {}
    with Fetcher(settings, patience=QUICK) as fetcher:
        for tag, url in enumerate(urls):
            fetcher.submit(url if isinstance(url, Request) else Request(url), tag)
        while fetcher.pending:
            found.update(fetcher.poll(10.0))
    return [found[tag] for tag in range(len(urls))]


def fetch_one(url: str | Request, **changes: object) -> Response:
    return fetch(url, **changes)[0]


def test_a_page_comes_with_status_headers_body_and_time(hostile: HostileServer) -> None:
    url = hostile.answer(
        "/page", hostile.reply(b"<p>a\x00b</p>", 'ETag: W/"x"', "X-A: 1", "X-A: 2")
    )
    before = dt.datetime.now(dt.UTC)
    response = fetch_one(url)
    assert (response.status, response.body, response.failure) == (200, b"<p>a\x00b</p>", None)
    assert response.header("etag") == 'W/"x"'
    assert response.header_values("x-a") == ("1", "2")
    assert before <= response.received_at <= dt.datetime.now(dt.UTC)
    assert (response.attempts, response.error, response.location) == (1, None, None)


def test_the_request_says_who_asks_and_sends_validators(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(status="304 Not Modified"))
    since = "Sun, 06 Nov 1994 08:49:37 GMT"
    response = fetch_one(Request(url, etag='"x"', last_modified=since))
    assert (response.status, response.failure) == (304, None)
    sent = hostile.seen[0].headers
    assert sent["user-agent"] == "SiteIndexer/1 (+https://example.com/bot)"
    assert (sent["if-none-match"], sent["if-modified-since"]) == ('"x"', since)
    assert "cookie" not in sent


def test_a_validator_that_would_forge_a_header_is_not_sent(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"x"))
    fetch(Request(url, etag='"x"\r\nX-Forged: 1'), Request(url, last_modified="\x00"))
    assert all("x-forged" not in seen.headers for seen in hostile.seen)
    assert all("if-none-match" not in seen.headers for seen in hostile.seen)


def test_validators_of_one_request_are_not_sent_with_the_next(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"x"))
    fetch(Request(url, etag='"x"'), Request(url), concurrency=1)
    assert [seen.headers.get("if-none-match") for seen in hostile.seen] == ['"x"', None]


def test_head_brings_headers_only(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"x" * 200_000, "Last-Modified: today"))
    head, page = fetch(Request(url, method="HEAD"), Request(url), concurrency=1, max_bytes=300_000)
    assert (head.status, head.body, head.failure) == (200, b"", None)
    assert head.header("last-modified") == "today"
    assert len(page.body) == 200_000


def test_connections_are_used_again(hostile: HostileServer) -> None:
    urls = [hostile.answer(f"/{n}", hostile.reply(b"x")) for n in range(20)]
    fetch(*urls, concurrency=2)
    assert len({seen.connection for seen in hostile.seen}) <= 2
    assert len(hostile.seen) == 20


def test_a_kept_connection_that_the_server_closed_costs_no_failure(hostile: HostileServer) -> None:
    def close_after(client: Client, _seen: Seen) -> None:
        client.send(hostile.reply(b"x"))

    url = hostile.answer("/", close_after)
    assert all(response.failure is None for response in fetch(url, url, url, concurrency=1))


def test_cookies_are_not_kept(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"x", "Set-Cookie: a=b; Path=/"))
    fetch(url, url, concurrency=1)
    assert all("cookie" not in seen.headers for seen in hostile.seen)


def test_headers_of_the_site_go_to_its_own_hosts_only(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"x"))
    secret = (("Authorization", "Basic c2VjcmV0"),)
    fetch(url, headers=secret, hosts=(hostile.authority,))
    fetch(url, headers=secret, hosts=("www.example.com",))
    assert [seen.headers.get("authorization") for seen in hostile.seen] == ["Basic c2VjcmV0", None]
    fetch(url, headers=secret, hosts=(hostile.authority,), headers_need_tls=True)
    assert "authorization" not in hostile.seen[2].headers


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", gzip.compress(NOISE)),
        ("x-gzip", gzip.compress(NOISE)),
        ("GZIP", gzip.compress(NOISE[:20_000]) + gzip.compress(NOISE[20_000:])),
        ("gzip", gzip.compress(NOISE) + b"\x00" * 500),
        ("gzip, gzip", gzip.compress(gzip.compress(NOISE))),
        ("deflate", zlib.compress(NOISE)),
        ("deflate", zlib.compress(NOISE)[2:-4]),
        ("deflate, gzip", gzip.compress(zlib.compress(NOISE))),
        ("identity", NOISE),
        ("utf-8", NOISE),
        ("none", NOISE),
        ("", NOISE),
    ],
)
def test_content_codings_are_undone(hostile: HostileServer, coding: str, body: bytes) -> None:
    url = hostile.answer("/", hostile.reply(body, f"Content-Encoding: {coding}"))
    response = fetch_one(url)
    assert (response.failure, response.body) == (None, NOISE)


def test_an_empty_body_needs_no_coding(hostile: HostileServer) -> None:
    url = hostile.answer("/", hostile.reply(b"", "Content-Encoding: gzip"))
    assert fetch_one(url).failure is None


def test_brotli_is_read_where_a_server_sends_nothing_else(hostile: HostileServer) -> None:
    # brotli of b"hello brotli", as an uncompressed meta-block
    body = bytes([0x8B, 0x05, 0x80]) + b"hello brotli" + b"\x03"
    url = hostile.answer("/", hostile.reply(body, "Content-Encoding: br"))
    response = fetch_one(url)
    assert (response.failure, response.body) == (None, b"hello brotli")
    assert "br" not in hostile.seen[0].headers["accept-encoding"]


def chunked(*chunks: bytes, end: bytes = b"0\r\n\r\n", headers: bytes = b"") -> bytes:
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n" + headers
    return head + b"\r\n" + b"".join(b"%x\r\n%s\r\n" % (len(c), c) for c in chunks) + end


def test_interim_answers_folded_lines_and_trailers_do_not_confuse(hostile: HostileServer) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nX-A: early\r\n\r\n"
    body = chunked(b"hel", b"lo", end=b"0\r\nX-A: late\r\n\r\n", headers=b"X-A: a\r\n  b\r\n")
    response = fetch_one(hostile.answer("/", early + body))
    assert response.body == b"hello"
    assert response.header_values("x-a") == ("a b",)


@pytest.mark.parametrize(
    ("raw", "failure"),
    [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", Failure.TRUNCATED),
        (chunked(b"hello", end=b""), Failure.TRUNCATED),
        (b"", Failure.CONNECTION),
        (b"HTTP/1.1 200", Failure.CONNECTION),
        (b"HTTP/1.1 404 Not Found\r\n", Failure.TRUNCATED),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/ht", Failure.TRUNCATED),
        (b"HTTP/1.1 410 Gone\r\nContent-Length: 0\r\n", Failure.TRUNCATED),
        (b"HTTP/1.1 100 Continue\r\n\r\n", Failure.CONNECTION),
        (b"this is not HTTP\r\n\r\n", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Length: 1\r\n\r\nx", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 10_000 + b"\r\nx", Failure.PROTOCOL),
        (b"HTTP/1.1 200 OK\r\nX: " + b"a" * 500_000 + b"\r\n\r\nx", Failure.PROTOCOL),
    ],
)
def test_broken_answers_are_failures(hostile: HostileServer, raw: bytes, failure: Failure) -> None:
    url = hostile.answer("/", lambda client, _: client.send(raw))
    response = fetch_one(url)
    assert response.failure is failure
    assert response.body == b""
    assert response.error is not None
    assert response.error.startswith(url)


@pytest.mark.parametrize("cut", [1, 4, 8, 20_000])
@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_body_cut_short_is_truncated(
    hostile: HostileServer, coding: str, cut: int
) -> None:
    whole = gzip.compress(NOISE) if coding == "gzip" else zlib.compress(NOISE)
    url = hostile.answer("/", hostile.reply(whole[:-cut], f"Content-Encoding: {coding}"))
    response = fetch_one(url)
    assert (response.failure, response.body) == (Failure.TRUNCATED, b"")


@pytest.mark.parametrize(
    ("coding", "body"),
    [
        ("gzip", b"<p>plain</p>"),
        ("gzip", gzip.compress(NOISE)[:-8] + b"\x00" * 8),
        ("zstd", b"whatever"),
        ("br", b"\xff\xff\xff\xff"),
        ("gzip, gzip, gzip, gzip, gzip, gzip", b"x"),
    ],
)
def test_a_body_that_belies_its_coding(hostile: HostileServer, coding: str, body: bytes) -> None:
    url = hostile.answer("/", hostile.reply(body, f"Content-Encoding: {coding}"))
    assert fetch_one(url).failure is Failure.BAD_ENCODING


def test_a_reset_in_the_middle_of_a_body_is_truncated(hostile: HostileServer) -> None:
    def half(client: Client, _seen: Seen) -> None:
        client.send(hostile.reply(b"x" * 100, length=50_000))
        client.connection.recv(1) if client.stopped.wait(0.05) else client.reset()

    assert fetch_one(hostile.answer("/", half)).failure is Failure.TRUNCATED


class TestABodyLongerThanItsContentLength:
    @pytest.mark.parametrize("headers", [(), ("Connection: keep-alive",)])
    def test_is_cut_there_and_a_warning_says_so(
        self, hostile: HostileServer, headers: tuple[str, ...]
    ) -> None:
        url = hostile.answer("/", hostile.reply(b"0123456789 more", *headers, length=10))
        response = fetch_one(url)
        assert (response.body, response.failure) == (b"0123456789", None)
        assert response.warnings == (
            f"{url} is longer than its Content-Length says; what is beyond that is left out.",
        )

    def test_costs_the_next_page_nothing(self, hostile: HostileServer) -> None:
        odd = hostile.answer("/odd", hostile.reply(b"0123456789 more", length=10))
        urls = [odd, *(hostile.answer(f"/{n}", hostile.reply(b"fine")) for n in range(5))]
        responses = fetch(*urls, concurrency=1)
        assert [response.body for response in responses[1:]] == [b"fine"] * 5
        assert [bool(response.warnings) for response in responses] == [True] + [False] * 5
        assert hostile.paths().count("/odd") == 2
        assert len(hostile.seen) == 7

    def test_others_have_no_warning(self, hostile: HostileServer) -> None:
        def close(client: Client, _seen: Seen) -> None:
            client.send(hostile.reply(b"fine"))
            client.connection.shutdown(socket.SHUT_RDWR)

        old = b"HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nfine"
        urls = [
            hostile.answer("/", hostile.reply(b"fine")),
            hostile.answer("/says", hostile.reply(b"fine", "Connection: close")),
            hostile.answer("/closes", close),
            hostile.answer("/old", old),
            hostile.answer("/chunked", chunked(b"4\r\nfine\r\n")),
            hostile.answer("/empty", hostile.reply(b"")),
        ]
        for _ in range(3):
            assert {response.warnings for response in fetch(*urls)} == {()}

    def test_nor_do_many_hosts_whose_connections_cannot_all_be_kept(
        self, hostile: HostileServer
    ) -> None:
        hostile.answer("/", hostile.reply(b"fine"))
        hosts = [f"h{n}.example:{hostile.port}" for n in range(80)]
        with Fetcher(
            SETTINGS, resolve=[f"{host}:127.0.0.1" for host in hosts], patience=QUICK
        ) as one:
            for host in hosts:
                one.submit(Request(f"http://{host}/"), host)
            responses = []
            while one.pending:
                responses += [response for _, response in one.poll(10.0)]
        assert {(response.body, response.warnings) for response in responses} == {(b"fine", ())}


class TestLimits:
    def test_an_announced_length_over_the_limit_is_not_read(self, hostile: HostileServer) -> None:
        url = hostile.answer("/", hostile.reply(b"x" * 100_001))
        response = fetch_one(url)
        assert (response.failure, response.body) == (Failure.TOO_LARGE, b"")
        assert "100000 bytes" in (response.error or "")

    def test_a_body_of_just_the_limit_is_whole(self, hostile: HostileServer) -> None:
        plain = hostile.answer("/plain", hostile.reply(b"x" * 100_000))
        packed = gzip.compress(b"x" * 100_000)
        zipped = hostile.answer("/gzip", hostile.reply(packed, "Content-Encoding: gzip"))
        assert [len(response.body) for response in fetch(plain, zipped)] == [100_000, 100_000]

    def test_a_body_without_end_is_cut_off(self, hostile: HostileServer) -> None:
        def endless(client: Client, _seen: Seen) -> None:
            client.send(b"HTTP/1.1 200 OK\r\n\r\n")
            client.flood([b"x" * 10_000])

        assert fetch_one(hostile.answer("/", endless)).failure is Failure.TOO_LARGE

    def test_a_compressed_bomb_is_cut_off_while_it_unpacks(self, hostile: HostileServer) -> None:
        def bomb(client: Client, _seen: Seen) -> None:
            client.send(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
            packer = zlib.compressobj(wbits=31)
            zeros = b"\x00" * 2**20
            client.flood(packer.compress(zeros) or b"" for _ in itertools.count())

        assert fetch_one(hostile.answer("/", bomb)).failure is Failure.TOO_LARGE

    def test_a_bomb_in_a_bomb_is_cut_off(self, hostile: HostileServer) -> None:
        body = gzip.compress(gzip.compress(b"\x00" * 2**24))
        url = hostile.answer("/", hostile.reply(body, "Content-Encoding: gzip, gzip"))
        assert fetch_one(url).failure is Failure.TOO_LARGE

    def test_a_dripping_body_ends_at_the_total_time(self, hostile: HostileServer) -> None:
        def drip(client: Client, _seen: Seen) -> None:
            client.send(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
            client.drip(b"x" * 1000, every_s=0.02)

        response = fetch_one(hostile.answer("/", drip), timeout_s=0.3)
        assert (response.failure, response.status) == (Failure.TIMEOUT, 200)

    def test_dripping_headers_and_silence_end_at_the_total_time(
        self, hostile: HostileServer
    ) -> None:
        drip = hostile.answer("/drip", lambda client, _: client.drip(b"HTTP/1.1 " * 99, 0.02))
        silent = hostile.answer("/silent", lambda client, _: client.hang())
        responses = fetch(drip, silent, timeout_s=0.3)
        assert [response.failure for response in responses] == [Failure.TIMEOUT] * 2

    def test_the_start_of_a_body_can_be_all_that_is_wanted(self, hostile: HostileServer) -> None:
        def endless(client: Client, _seen: Seen) -> None:
            client.send(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
            client.flood([b"x" * 10_000])

        response = fetch_one(Request(hostile.answer("/", endless), cut_at=12_345))
        assert (response.failure, response.body) == (None, b"x" * 12_345)

    def test_a_shorter_body_is_whole_where_only_its_start_is_wanted(
        self, hostile: HostileServer
    ) -> None:
        url = hostile.answer("/", hostile.reply(gzip.compress(b"all"), "Content-Encoding: gzip"))
        assert fetch_one(Request(url, cut_at=12_345)).body == b"all"


class TestStatuses:
    @pytest.mark.parametrize(
        ("status", "failure"),
        [
            ("200 OK", None),
            ("203 Changed Underway", None),
            ("404 Not Found", None),
            ("410 Gone", None),
            ("204 No Content", Failure.PROTOCOL),
            ("206 Partial Content", Failure.PROTOCOL),
            ("202 Accepted", Failure.PROTOCOL),
            ("300 Multiple Choices", Failure.PROTOCOL),
            ("304 Not Modified", Failure.PROTOCOL),
            ("302 Found", Failure.PROTOCOL),
            ("400 Bad Request", Failure.CLIENT_ERROR),
            ("401 Unauthorized", Failure.FORBIDDEN),
            ("403 Forbidden", Failure.FORBIDDEN),
            ("451 Unavailable For Legal Reasons", Failure.CLIENT_ERROR),
            ("429 Too Many Requests", Failure.RATE_LIMITED),
            ("500 Internal Server Error", Failure.SERVER_ERROR),
            ("503 Service Unavailable", Failure.SERVER_ERROR),
            ("530 Origin", Failure.SERVER_ERROR),
            ("999 Denied", Failure.PROTOCOL),
        ],
    )
    def test_status_and_failure(
        self, hostile: HostileServer, status: str, failure: Failure | None
    ) -> None:
        response = fetch_one(hostile.answer("/", hostile.reply(b"", status=status)))
        assert (response.status, response.failure) == (int(status[:3]), failure)

    def test_a_status_counts_whatever_becomes_of_its_body(self, hostile: HostileServer) -> None:
        gone = hostile.answer(
            "/gone",
            lambda client, _: client.send(hostile.reply(b"x", status="410 Gone", length=10)),
        )
        big = hostile.answer("/big", hostile.reply(b"x" * 200_000, status="404 Not Found"))
        odd = hostile.answer(
            "/odd",
            hostile.reply(b"x", "Content-Encoding: gzip", "Location: /to", status="301 Moved"),
        )
        responses = fetch(gone, big, odd)
        assert [(r.status, r.failure) for r in responses] == [(410, None), (404, None), (301, None)]
        assert responses[2].location == hostile.url("/to")

    def test_little_is_read_of_an_error_page_without_end(self, hostile: HostileServer) -> None:
        clients: list[Client] = []

        def endless(client: Client, _seen: Seen) -> None:
            clients.append(client)
            client.send(b"HTTP/1.1 404 Not Found\r\n\r\n")
            client.flood([b"x" * 10_000])

        url = hostile.answer("/", endless)
        assert (fetch_one(url, max_bytes=200 * 2**20).status, len(clients)) == (404, 1)
        assert clients[0].flooded < 20 * 2**20, "no more than the buffers of two sockets hold"


class TestRedirects:
    @pytest.mark.parametrize(
        ("location", "target"),
        [
            ("/b", "http://{}/b"),
            ("b?c=d#e", "http://{}/a/b?c=d"),
            ("?x", "http://{}/a/page?x"),
            ("//other.example/b", "http://other.example/b"),
            ("///other.example/b", "http://other.example/b"),
            ("https:////other.example//b", "https://other.example//b"),
            ("\\\\other.example\\b", "http://other.example/b"),
            (" /b\t", "http://{}/b"),
            ("/a b", "http://{}/a%20b"),
            ("/\xc3\xa9", "http://{}/%C3%A9"),
            ("/\xe9", "http://{}/%E9"),
            ("http://m\xc3\xbcnchen.example/", "http://xn--mnchen-3ya.example/"),
            ("HTTPS://OTHER.example:443", "https://other.example/"),
            ("/../../b", "http://{}/b"),
            ("http://user:secret@other.example/", "http://other.example/"),
        ],
    )
    def test_a_target_is_what_a_browser_makes_of_it(
        self, hostile: HostileServer, location: str, target: str
    ) -> None:
        for number, status in enumerate(("301 Moved", "308 Permanent")):
            path = f"/a/page?{number}" if "?x" not in location else "/a/page"
            raw = hostile.reply(b"", f"Location: {location}", status=status)
            response = fetch_one(hostile.answer(path, raw))
            assert response.failure is None
            assert response.location == target.format(hostile.authority)
        assert all(path.startswith("/a/page") for path in hostile.paths()), (
            "redirects are not followed"
        )

    @pytest.mark.parametrize(
        "location",
        ["", "   ", "http://", "http://[::1", "mailto:a@b.example", "ftp://h/", "http://a b/"],
    )
    def test_a_target_that_is_none_is_a_failure(
        self, hostile: HostileServer, location: str
    ) -> None:
        raw = hostile.reply(b"", f"Location: {location}", status="302 Found")
        response = fetch_one(hostile.answer("/", raw))
        assert (response.status, response.location) == (302, None)
        assert response.failure is Failure.PROTOCOL


class TestUnreachable:
    def test_nobody_listens(self) -> None:
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            response = fetch_one(f"http://127.0.0.1:{unused.getsockname()[1]}/")
        assert (response.failure, response.status) == (Failure.CONNECTION, None)

    def test_an_unknown_name(self) -> None:
        assert fetch_one("http://no-such-host.invalid/").failure is Failure.DNS

    def test_no_tls_where_it_is_expected(self, hostile: HostileServer) -> None:
        hostile.answer("/", hostile.reply(b"x"))
        url = f"https://127.0.0.1:{hostile.port}/"
        assert fetch_one(url).failure is Failure.TLS

    def test_a_url_that_cannot_be_sent(self) -> None:
        assert fetch_one("http://127.0.0.1/é").failure is Failure.PROTOCOL
