"""Encrypted connections of both clients: certificates are checked, and cut bodies noticed."""

from __future__ import annotations

import dataclasses
import datetime as dt
import itertools
from typing import TYPE_CHECKING, Any

import pytest

from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.crawling.script_source import fetch_script
from site_indexer.errors import ScriptUnreachableError
from tests.integration.crawling.forward_proxy import PASSWORD, forward_proxy

if TYPE_CHECKING:
    from tests.integration.crawling.conftest import Certificate
    from tests.integration.crawling.hostile_server import HostileServer

LOCAL = ("127.0.0.0/8",)


@pytest.fixture
def secure(hostile: HostileServer, certificate: Certificate) -> HostileServer:
    hostile.tls = certificate.context
    return hostile


@pytest.fixture
def trusted(certificate: Certificate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate.file))


def fetch(url: str, **more: Any) -> Response:
    settings = CrawlSettings(
        site="test", user_agent="SiteIndexer/1", hosts=(), retries=0, allow_networks=LOCAL
    )
    settings = dataclasses.replace(settings, **more)
    with Fetcher(settings) as fetcher:
        fetcher.submit(Request(url), None)
        return fetcher.poll(10.0)[0][1]


def script(url: str, *, timeout_s: float = 5.0) -> bytes:
    return fetch_script(
        url,
        site="docs",
        max_bytes=1000,
        timeout_s=timeout_s,
        user_agent="SiteIndexer/1",
        allow_networks=LOCAL,
        now=dt.datetime.now(dt.UTC),
        retries=0,
    ).data


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: HostileServer) -> None:
    url = secure.answer("/", secure.reply(b"secret\n"))
    response = fetch(url)
    assert (response.failure, response.body) == (Failure.TLS, b"")
    with pytest.raises(ScriptUnreachableError, match="certificate"):
        script(url)
    assert secure.seen == []


@pytest.mark.usefixtures("trusted")
class TestTrusted:
    def test_a_certificate_of_the_systems_file_is_taken(self, secure: HostileServer) -> None:
        url = secure.answer("/", secure.reply(b"secret\n"))
        assert fetch(url).body == b"secret\n"
        assert script(url) == b"secret\n"

    def test_a_certificate_of_another_host_is_refused(self, secure: HostileServer) -> None:
        url = secure.answer("/", secure.reply(b"secret\n")).replace("127.0.0.1", "localhost")
        assert fetch(url).failure is Failure.TLS
        with pytest.raises(ScriptUnreachableError, match="certificate"):
            script(url)

    def test_a_dripping_script_is_left_at_the_total_time(self, secure: HostileServer) -> None:
        endless = itertools.chain(b"HTTP/1.1 200 OK\r\nX: ", itertools.repeat(0x78))
        url = secure.answer("/", lambda client, _: client.drip(endless, 0.02))
        with pytest.raises(ScriptUnreachableError, match="within"):
            script(url, timeout_s=0.3)


def test_a_proxy_makes_a_tunnel_and_sees_nothing_of_what_goes_through(
    secure: HostileServer, trusted: None
) -> None:
    url = secure.answer("/", secure.reply(b"secret\n"))
    log_in = (("Authorization", "Basic c2VjcmV0"),)
    with forward_proxy() as proxy:
        response = fetch(
            url,
            proxy=proxy.url,
            hosts=(secure.authority,),
            headers=log_in,
            headers_need_tls=True,
        )
        assert (response.failure, response.body) == (None, b"secret\n")
        assert proxy.asked == [f"CONNECT {secure.authority} HTTP/1.1"]
        refused = fetch(url, proxy=proxy.url.replace(PASSWORD, "wr0ng"))
    assert refused.failure is Failure.CONNECTION
    assert "407" in (refused.error or "")
    assert "wr0ng" not in (refused.error or "")
    assert [seen.headers.get("authorization") for seen in secure.seen] == [log_in[0][1]]
    assert "proxy-authorization" not in secure.seen[0].headers
