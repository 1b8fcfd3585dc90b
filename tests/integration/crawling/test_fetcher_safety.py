"""Addresses that are not connected to, however a request comes to them."""

from __future__ import annotations

import dataclasses
import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pycurl
import pytest

from site_indexer.crawling.curl_loop import Ending
from site_indexer.crawling.exchange import Exchange, ExchangeOptions
from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.network_guard import NetworkGuard
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.errors import ConfigurationError

if TYPE_CHECKING:
    from tests.integration.crawling.hostile_server import HostileServer

SETTINGS = CrawlSettings(
    site="test", user_agent="SiteIndexer/1", hosts=(), delay_s=0.0, timeout_s=5.0, retries=1
)


def fetch(
    url: str,
    *,
    resolve: tuple[str, ...] = (),
    local_hosts: tuple[str, ...] = (),
    **changes: object,
) -> Response:
    settings = dataclasses.replace(SETTINGS, **changes)  # type: ignore[arg-type]
    with Fetcher(settings, resolve=resolve, local_hosts=local_hosts) as fetcher:
        fetcher.submit(Request(url), None)
        while fetcher.pending:
            for _, response in fetcher.poll(10.0):
                return response
    raise AssertionError("no response came")


@pytest.fixture
def port(hostile: HostileServer) -> int:
    hostile.answer("/", hostile.reply(b"inside"))
    return hostile.port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "[::1]"])
def test_this_machine_is_not_connected_to(hostile: HostileServer, port: int, host: str) -> None:
    response = fetch(f"http://{host}:{port}/")
    assert response.failure is Failure.ADDRESS_REFUSED
    assert response.attempts == 1
    assert "loopback" in (response.error or "")
    assert "allow_networks" in (response.error or "")
    assert hostile.seen == []


@pytest.mark.parametrize(
    "host",
    ["10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00:ec2::254]", "[fe80::1]", "0.0.0.0"],
)
def test_inner_networks_are_not_connected_to(host: str) -> None:
    assert fetch(f"http://{host}/").failure is Failure.ADDRESS_REFUSED


def test_a_network_can_be_allowed(port: int) -> None:
    assert fetch(f"http://127.0.0.1:{port}/", allow_networks=("127.0.0.0/8",)).body == b"inside"


def test_a_network_that_is_none_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError, match="allow_networks"):
        fetch("http://127.0.0.1/", allow_networks=("intranet",))


def test_a_host_that_a_person_typed_may_be_local(port: int) -> None:
    assert fetch(f"http://127.0.0.1:{port}/", local_hosts=("127.0.0.1",)).body == b"inside"
    assert fetch(f"http://localhost:{port}/", local_hosts=("localhost",)).body == b"inside"
    other = fetch(f"http://127.0.0.1:{port}/", local_hosts=("localhost",))
    assert other.failure is Failure.ADDRESS_REFUSED


def test_a_host_whose_address_a_person_gave_counts_as_public(port: int) -> None:
    pin = f"www.example.com:{port}:127.0.0.1"
    assert fetch(f"http://www.example.com:{port}/", resolve=(pin,)).body == b"inside"
    other = fetch(f"http://127.0.0.1:{port}/", resolve=(pin,))
    assert other.failure is Failure.ADDRESS_REFUSED


def test_a_kept_connection_of_an_allowed_host_is_not_used_for_another(port: int) -> None:
    with Fetcher(SETTINGS, local_hosts=("127.0.0.1",)) as fetcher:
        found: dict[object, Response] = {}
        for url in (f"http://127.0.0.1:{port}/", f"http://localhost:{port}/"):
            fetcher.submit(Request(url), url)
            while fetcher.pending:
                found.update(fetcher.poll(10.0))
    assert [r.failure for r in found.values()] == [None, Failure.ADDRESS_REFUSED]


def test_proxies_of_the_environment_are_not_used(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert fetch(f"http://127.0.0.1:{port}/", allow_networks=("127.0.0.0/8",)).body == b"inside"


def test_a_proxy_is_asked_for_public_addresses_only(hostile: HostileServer) -> None:
    proxy = f"http://{hostile.authority}"
    hostile.answer("http://93.184.216.34/page", hostile.reply(b"through the proxy"))
    assert fetch("http://93.184.216.34/page", proxy=proxy).body == b"through the proxy"
    response = fetch(f"http://127.0.0.1:{hostile.port}/", proxy=proxy)
    assert response.failure is Failure.ADDRESS_REFUSED
    assert fetch("http://no-such-host.invalid/", proxy=proxy).failure is Failure.DNS
    assert len(hostile.seen) == 1


class TestASlowResolverBehindAProxy:
    SLOW, QUICK = "http://slow.example/", "http://93.184.216.34/page"

    @pytest.fixture
    def resolved(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
        """Holds the look-up of the slow host back until it is set."""
        event = threading.Event()
        real = socket.getaddrinfo

        def held_back(host: str, *more: Any, **named: Any) -> Any:
            if host == "slow.example":
                event.wait(30)
                return real("93.184.216.34", *more, **named)
            return real(host, *more, **named)

        monkeypatch.setattr(socket, "getaddrinfo", held_back)
        yield event
        event.set()

    def fetcher(self, hostile: HostileServer, **changes: Any) -> Fetcher:
        for url in (self.SLOW, self.QUICK):
            hostile.answer(url, hostile.reply(b"through the proxy"))
        settings = dataclasses.replace(SETTINGS, proxy=f"http://{hostile.authority}", **changes)
        one = Fetcher(settings)
        for url in (self.SLOW, self.SLOW, self.QUICK):
            one.submit(Request(url), url)
        return one

    def test_other_hosts_do_not_wait_for_it(
        self, hostile: HostileServer, resolved: threading.Event
    ) -> None:
        with self.fetcher(hostile) as one:
            found: list[tuple[object, Response]] = []
            while not found:
                found += one.poll(10.0)
            assert [tag for tag, _ in found] == [self.QUICK]
            assert hostile.paths() == [self.QUICK]
            resolved.set()
            while one.pending:
                found += one.poll(10.0)
        assert [response.body for _, response in found] == [b"through the proxy"] * 3

    @pytest.mark.usefixtures("resolved")
    def test_a_request_ends_in_time(self, hostile: HostileServer) -> None:
        with self.fetcher(hostile, timeout_s=0.2) as one:
            found: list[tuple[object, Response]] = []
            while one.pending:
                found += one.poll(10.0)
        late = [response for tag, response in found if tag == self.SLOW]
        assert {response.failure for response in late} == {Failure.DNS}
        assert "not resolved in time" in (late[0].error or "")


def test_exceptions_of_the_environment_do_not_lead_past_the_proxy(
    hostile: HostileServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    hostile.answer("http://93.184.216.34/page", hostile.reply(b"through the proxy"))
    response = fetch("http://93.184.216.34/page", proxy=f"http://{hostile.authority}")
    assert response.body == b"through the proxy"


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.1.2.3", "::1"])
def test_a_name_is_judged_by_the_address_that_is_connected_to(
    hostile: HostileServer, address: str
) -> None:
    # What a name server under someone else's control might say, a moment after it said otherwise.
    resolved = f"www.example.com:{hostile.port}:{address}"
    options = ExchangeOptions("SiteIndexer/1", 5.0, 1000, resolve=(resolved,))
    exchange = Exchange(options, NetworkGuard())
    exchange.begin(Request(f"http://www.example.com:{hostile.port}/"), "www.example.com", ())
    with pytest.raises(pycurl.error) as refused:
        exchange.handle.perform()
    answer = exchange.end(Ending(int(refused.value.args[0]), "", connection_kept=False))
    assert answer.failure is Failure.ADDRESS_REFUSED
    assert f"www.example.com has the address {address}" in answer.message
    assert hostile.seen == []


@pytest.mark.parametrize("scheme", ["file", "ftp", "gopher", "dict"])
def test_only_http_and_https_are_spoken(scheme: str, port: int) -> None:
    url = f"{scheme}://127.0.0.1:{port}/etc/passwd"
    response = fetch(url, allow_networks=("127.0.0.0/8",))
    assert response.failure is Failure.PROTOCOL
    assert response.body == b""
