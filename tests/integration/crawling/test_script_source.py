"""Reading index scripts from real servers, good and bad ones."""

from __future__ import annotations

import datetime as dt
import email.utils
import gzip
import itertools
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from site_indexer.crawling.script_source import FetchedScript, fetch_script
from site_indexer.errors import (
    ConfigurationError,
    ScriptTooLargeError,
    ScriptUnreachableError,
    UrlError,
)

if TYPE_CHECKING:
    from tests.integration.crawling.hostile_server import Client, HostileServer, Seen

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)
SCRIPT = b"date Sun, 06 Nov 1994 08:49:37 GMT\nadd https://h.example/\n"
OLD = "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"


class Sleeps(list[float]):
    """Stands for sleeping, and keeps what was asked for."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def fetch(url: str, *, sleep: Sleeps | None = None, **changes: object) -> FetchedScript:
    arguments: dict[str, object] = {
        "site": "docs",
        "max_bytes": 10_000,
        "timeout_s": 5.0,
        "user_agent": "SiteIndexer/1",
        "allow_networks": ("127.0.0.0/8",),
        "now": NOW,
        "sleep": Sleeps() if sleep is None else sleep,
    }
    return fetch_script(url, **{**arguments, **changes})  # type: ignore[arg-type]


def failure(url: str, **changes: object) -> ScriptUnreachableError:
    with pytest.raises(ScriptUnreachableError) as caught:
        fetch(url, **changes)  # type: ignore[arg-type]
    assert url in str(caught.value)
    assert "site docs" in str(caught.value)
    assert caught.value.hint
    assert caught.value.exit_status == 3
    return caught.value


def test_a_script_comes_as_its_bytes(hostile: HostileServer) -> None:
    url = hostile.answer("/list.txt", hostile.reply(SCRIPT, 'ETag: "x"', OLD))
    found = fetch(url)
    assert found == FetchedScript(SCRIPT, '"x"', OLD.partition(": ")[2], url, NOW)
    sent = hostile.seen[0].headers
    assert (sent["user-agent"], sent["cache-control"]) == ("SiteIndexer/1", "no-cache")
    assert len(hostile.seen) == 1


@pytest.mark.parametrize(
    "body", [gzip.compress(SCRIPT), gzip.compress(SCRIPT[:9]) + gzip.compress(SCRIPT[9:])]
)
def test_compressed_too(hostile: HostileServer, body: bytes) -> None:
    assert fetch(hostile.answer("/", hostile.reply(body, "Content-Encoding: gzip"))).data == SCRIPT


def test_redirects_are_followed(hostile: HostileServer) -> None:
    hostile.answer("/a/b/list.txt", hostile.reply(SCRIPT))
    hostile.answer("/a/second", hostile.reply(b"", "Location: b/list.txt", status="302 Found"))
    url = hostile.answer("/first", hostile.reply(b"x", "Location: /a/second", status="301 Moved"))
    assert fetch(url).final_url == hostile.url("/a/b/list.txt")


@pytest.mark.parametrize("location", ["", "file:///etc/passwd", "http://[", "/self"])
def test_redirects_that_lead_nowhere(hostile: HostileServer, location: str) -> None:
    redirect = hostile.reply(b"", f"Location: {location}", status="302 Found")
    failure(hostile.answer("/self", redirect))
    assert len(hostile.seen) <= 11


@pytest.mark.parametrize("status", ["404 Not Found", "410 Gone", "403 Forbidden", "204 No Content"])
def test_a_script_that_is_not_there(hostile: HostileServer, status: str) -> None:
    error = failure(hostile.answer("/list.txt", hostile.reply(b"<h1>no</h1>", status=status)))
    assert status[:3] in error.message
    assert len(hostile.seen) == 1


class TestRepetition:
    def test_what_can_pass_is_tried_again(self, hostile: HostileServer) -> None:
        def reset(client: Client, _seen: Seen) -> None:
            client.reset()

        sleep = Sleeps()
        url = hostile.answer(
            "/", reset, hostile.reply(b"", status="503 Busy"), hostile.reply(SCRIPT, OLD)
        )
        assert fetch(url, sleep=sleep).data == SCRIPT
        assert sleep == [0.5, 1.0]

    def test_not_for_ever(self, hostile: HostileServer) -> None:
        error = failure(hostile.answer("/", hostile.reply(b"", status="500 Oops")), retries=3)
        assert "500" in error.message
        assert len(hostile.seen) == 4


class TestBrokenAnswers:
    @pytest.mark.parametrize(
        "raw",
        [
            b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n" + SCRIPT,
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(SCRIPT)[:-9],
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + SCRIPT,
            b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n" + SCRIPT,
            b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 1000 + b"\r\n" + SCRIPT,
            b"HTTP/1.1 200 OK\r\nX: " + b"y" * 100_000 + b"\r\n\r\n" + SCRIPT,
            b"nonsense\r\n\r\n",
            b"",
        ],
    )
    def test_half_a_script_is_none(self, hostile: HostileServer, raw: bytes) -> None:
        failure(hostile.answer("/", lambda client, _: client.send(raw)), retries=0)

    def test_a_server_that_drips_is_left_at_the_total_time(self, hostile: HostileServer) -> None:
        def drip(client: Client, seen: Seen) -> None:
            client.send(b"HTTP/1.1 200 OK\r\n", b"\r\n" if seen.path == "/body" else b"X: ")
            client.drip(itertools.repeat(0x78), every_s=0.02)

        body, head = hostile.answer("/body", drip), hostile.answer("/head", drip)
        for url in (body, head):
            assert "0.3 s" in failure(url, timeout_s=0.3, retries=0).message

    def test_nobody_listens(self) -> None:
        assert "refused" in failure("http://127.0.0.1:1/list.txt").message

    def test_no_such_name(self) -> None:
        failure("http://no-such-host.invalid/list.txt", retries=0)


class TestLimits:
    @pytest.mark.parametrize("coding", ["identity", "gzip"])
    def test_a_script_over_the_limit_is_an_error_of_the_script(
        self, hostile: HostileServer, coding: str
    ) -> None:
        body = b"#" * 10_001
        packed = gzip.compress(body) if coding == "gzip" else body
        url = hostile.answer("/", hostile.reply(packed, f"Content-Encoding: {coding}"))
        with pytest.raises(ScriptTooLargeError) as caught:
            fetch(url)
        assert "10000 bytes" in caught.value.message
        assert caught.value.exit_status == 1

    def test_a_script_of_just_the_limit_is_read(self, hostile: HostileServer) -> None:
        body = b"#" * 9_999 + b"\n"
        assert fetch(hostile.answer("/", hostile.reply(body))).data == body


class TestAddresses:
    def test_inner_addresses_are_refused(self, hostile: HostileServer) -> None:
        hostile.answer("/", hostile.reply(SCRIPT))
        for host in ("127.0.0.1", "localhost"):
            url = f"http://{host}:{hostile.port}/"
            with pytest.raises(ConfigurationError, match="loopback") as refused:
                fetch(url, allow_networks=())
            assert "site docs" in str(refused.value)
            assert url in str(refused.value)
            assert "allow_networks" in str(refused.value)
            assert not refused.value.transient
        assert hostile.seen == []

    def test_a_redirect_to_an_inner_address_is_refused(self, hostile: HostileServer) -> None:
        redirect = hostile.reply(b"", "Location: http://10.1.2.3/", status="302 Found")
        assert "10.1.2.3" in failure(hostile.answer("/", redirect)).message

    def test_networks_that_are_none(self) -> None:
        with pytest.raises(ConfigurationError):
            fetch("http://127.0.0.1/", allow_networks=("x",))

    def test_what_is_no_url(self) -> None:
        with pytest.raises(UrlError):
            fetch("ftp://h.example/list.txt")

    def test_through_a_proxy(self, hostile: HostileServer) -> None:
        hostile.answer("http://93.184.216.34/list.txt", hostile.reply(SCRIPT))
        proxy = f"http://{hostile.authority}"
        assert fetch("http://93.184.216.34/list.txt", proxy=proxy).data == SCRIPT
        with pytest.raises(ConfigurationError, match="private"):
            fetch("http://10.1.2.3/list.txt", proxy=proxy)
        assert len(hostile.seen) == 1
        failure("http://no-such-host.invalid/list.txt", proxy=proxy)

    def test_a_log_in_goes_to_the_sites_own_hosts_only(self, hostile: HostileServer) -> None:
        other = f"http://localhost:{hostile.port}/list.txt"
        hostile.answer("/list.txt", hostile.reply(SCRIPT))
        url = hostile.answer("/", hostile.reply(b"", f"Location: {other}", status="302 Found"))
        log_in = (("Authorization", "Basic c2VjcmV0"),)
        assert fetch(url, headers=log_in, hosts=(hostile.authority,)).final_url == other
        assert [seen.headers.get("authorization") for seen in hostile.seen] == [log_in[0][1], None]

        fetch(url, headers=log_in, hosts=(hostile.authority,), headers_need_tls=True)
        assert "authorization" not in hostile.seen[2].headers

    def test_proxies_of_the_environment_are_not_used(
        self, hostile: HostileServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
        assert fetch(hostile.answer("/", hostile.reply(SCRIPT))).data == SCRIPT


class TestSettling:
    def test_a_script_without_line_end_is_read_until_it_holds_still(
        self, hostile: HostileServer
    ) -> None:
        half, whole = hostile.reply(SCRIPT[:-5], OLD), hostile.reply(SCRIPT, OLD)
        sleep = Sleeps()
        found = fetch(hostile.answer("/", half, whole), sleep=sleep)
        assert (found.data, len(hostile.seen), len(sleep)) == (SCRIPT, 3, 2)

    def test_one_that_never_has_a_line_end_is_read_twice(self, hostile: HostileServer) -> None:
        assert fetch(hostile.answer("/", hostile.reply(SCRIPT[:-1]))).data == SCRIPT[:-1]
        assert len(hostile.seen) == 2

    @pytest.mark.parametrize(("age_s", "reads"), [(0, 2), (59, 2), (61, 1), (-30, 2), (-3600, 1)])
    def test_one_modified_in_the_last_minute_is_read_again(
        self, hostile: HostileServer, age_s: int, reads: int
    ) -> None:
        date = email.utils.formatdate(1_000_000_000, usegmt=True)
        modified = email.utils.formatdate(1_000_000_000 - age_s, usegmt=True)
        answer = hostile.reply(SCRIPT, f"Date: {date}", f"Last-Modified: {modified}")
        fetch(hostile.answer("/", answer))
        assert len(hostile.seen) == reads

    def test_one_that_keeps_changing_is_not_taken(self, hostile: HostileServer) -> None:
        answers = [hostile.reply(b"#" * n) for n in range(1, 99)]
        error = failure(hostile.answer("/", *answers), settle_s=5)
        assert "being written" in error.message
        assert len(hostile.seen) == 6


class TestFiles:
    def write(self, path: Path, data: bytes = SCRIPT, *, age_s: float = 3600) -> str:
        path.write_bytes(data)
        written = path.stat().st_mtime - age_s
        os.utime(path, (written, written))
        return path.as_uri()

    def test_a_file_url_is_read(self, tmp_path: Path) -> None:
        url = self.write(tmp_path / "índex list.txt")
        found = fetch(url)
        assert (found.data, found.final_url, found.etag) == (SCRIPT, url, None)
        assert found.last_modified is not None

    def test_a_fresh_one_is_read_twice(self, tmp_path: Path) -> None:
        sleep = Sleeps()
        fetch(self.write(tmp_path / "list.txt", age_s=1), sleep=sleep)
        assert sleep == [0.1]

    def test_what_cannot_be_read(self, tmp_path: Path) -> None:
        assert "No such file" in failure((tmp_path / "none.txt").as_uri()).message
        assert "directory" in failure(tmp_path.as_uri()).message
        failure("file://elsewhere/list.txt")
        assert "null byte" in failure("file:///a%00b").message

    def test_too_large(self, tmp_path: Path) -> None:
        with pytest.raises(ScriptTooLargeError):
            fetch(self.write(tmp_path / "list.txt", b"#" * 10_001))
