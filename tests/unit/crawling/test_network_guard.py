from __future__ import annotations

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.network_guard import NetworkGuard, ResolvedTargets, name_of
from site_indexer.crawling.responses import Failure
from site_indexer.errors import ConfigurationError


def refusal(address: str, *allowed: str) -> str | None:
    return NetworkGuard(allowed).refusal(address, host="h.example", port=80)


@pytest.mark.parametrize(
    ("address", "word"),
    [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "private"),
        ("10.1.2.3", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.0.1", "private"),
        ("169.254.0.1", "link-local"),
        ("169.254.169.254", "metadata"),
        ("168.63.129.16", "metadata"),
        ("100.100.100.200", "shared"),
        ("192.0.0.192", "reserved"),
        ("192.88.99.1", "reserved"),
        ("192.0.2.1", "documentation"),
        ("198.18.0.1", "benchmarking"),
        ("224.0.0.1", "multicast"),
        ("239.255.255.250", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::1", "loopback"),
        ("::", "unspecified"),
        ("fe80::1", "link-local"),
        ("fe80::1%eth0", "link-local"),
        ("fc00::1", "private"),
        ("fd00:ec2::254", "private"),
        ("fec0::1", "private"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"),
        ("3fff::1", "documentation"),
        ("100::1", "reserved"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:10.0.0.1", "private"),
        ("::127.0.0.1", "reserved"),
        ("::ffff:0:127.0.0.1", "reserved"),
        ("2002:7f00:1::", "loopback"),
        ("2002:a9fe:a9fe::1", "metadata"),
        ("2001:0:a9fe:a9fe::1", "reserved"),
        ("64:ff9b::a00:1", "private"),
        ("64:ff9b:1::a00:1", "reserved"),
        ("4000::1", "reserved"),
        ("/run/socket", "no address"),
    ],
)
def test_what_is_not_public_is_refused(address: str, word: str) -> None:
    sentence = refusal(address)
    assert sentence is not None
    assert word in sentence
    assert address in sentence
    assert "allow_networks" in sentence


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34",
        "1.1.1.1",
        "172.32.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "223.255.255.255",
        "2606:4700::1111",
        "2a00:1450:4003::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ],
)
def test_public_addresses_are_not(address: str) -> None:
    assert refusal(address) is None


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("127.0.0.1", "127.0.0.0/8"),
        ("127.0.0.1", "127.0.0.1"),
        ("10.20.3.4", "10.20.0.0/16"),
        ("10.20.3.4", "10.20.1.1/16"),
        ("::1", "::1/128"),
        ("fd12::1", "fd00::/8"),
        ("::ffff:127.0.0.1", "127.0.0.0/8"),
        ("64:ff9b::a00:1", "10.0.0.0/8"),
    ],
)
def test_allowed_networks_are_allowed(address: str, network: str) -> None:
    assert refusal(address, network) is None
    assert refusal("192.168.7.7", network) is not None


def test_what_is_no_network_is_a_configuration_error() -> None:
    with pytest.raises(ConfigurationError) as caught:
        NetworkGuard(["10.0.0.0/33"])
    assert "10.0.0.0/33" in str(caught.value)
    assert "10.20.0.0/16" in caught.value.hint


def test_a_host_that_a_person_typed_may_have_any_address() -> None:
    guard = NetworkGuard(local_hosts=["LOCALHOST", "[::1]"])
    assert guard.refusal("127.0.0.1", host="localhost", port=8080) is None
    assert guard.refusal("::1", host="::1", port=80) is None
    assert guard.refusal("127.0.0.1", host="other.example", port=80) is not None


def test_a_pinned_host_counts_as_public_at_its_address_and_port_only() -> None:
    guard = NetworkGuard(pinned={"www.example.com:8080": "127.0.0.1"})
    assert guard.refusal("127.0.0.1", host="www.example.com", port=8080) is None
    assert guard.refusal("127.0.0.1", host="www.example.com", port=9090) is not None
    assert guard.refusal("127.0.0.2", host="www.example.com", port=8080) is not None


@given(st.ip_addresses(v=4))
def test_an_address_in_another_coat_is_judged_as_itself(address: ipaddress.IPv4Address) -> None:
    refused = refusal(str(address)) is not None
    number = int(address)
    mapped = ipaddress.IPv6Address((0xFFFF << 32) | number)
    nat64 = ipaddress.IPv6Address((0x64FF9B << 96) | number)
    to6 = ipaddress.IPv6Address((0x2002 << 112) | (number << 80) | 1)
    for coat in (mapped, nat64, to6):
        assert (refusal(str(coat)) is not None) == refused, coat


@given(st.ip_addresses())
def test_what_python_calls_not_global_is_never_connected_to(
    address: ipaddress.IPv4Address | ipaddress.IPv6Address,
) -> None:
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address.sixtofour):
        return
    if address.is_multicast or not address.is_global:
        assert refusal(str(address)) is not None


@pytest.mark.parametrize(
    ("authority", "name"),
    [
        ("h.example", "h.example"),
        ("h.example:8080", "h.example"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]", "::1"),
        ("[::1]:8080", "::1"),
    ],
)
def test_the_name_in_an_authority(authority: str, name: str) -> None:
    assert name_of(authority) == name


class TestResolvedTargets:
    def test_a_name_is_resolved_and_each_address_checked(self) -> None:
        problem = ResolvedTargets(NetworkGuard()).problem("http://localhost:81/x")
        assert problem is not None
        assert problem[0] is Failure.ADDRESS_REFUSED
        assert "localhost" in problem[1]

    def test_addresses_need_no_resolver(self) -> None:
        targets = ResolvedTargets(NetworkGuard())
        assert targets.problem("https://93.184.216.34/") is None
        refused = targets.problem("http://[::1]:8080/")
        assert refused is not None

    def test_an_unknown_name_is_a_dns_failure(self) -> None:
        problem = ResolvedTargets(NetworkGuard()).problem("http://no-such-host.invalid/")
        assert problem is not None
        assert problem[0] is Failure.DNS
