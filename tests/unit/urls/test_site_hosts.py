"""docs/spec/02-urls-and-masks.md, 2.3."""

from __future__ import annotations

import pytest

from site_indexer.errors import UrlError
from site_indexer.urls import SiteHosts, normalize


@pytest.mark.parametrize(
    "host",
    [
        *("example.com", "Example.COM", "example.com.", "example.com:80", "example.com:443"),
        *("example.com:", "example.com:0443", "https://example.com/a", "http://example.com:80"),
        "https://user@example.com",
    ],
)
def test_default_ports_and_no_port_are_one_host_of_both_schemes(host: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.3."""
    hosts = SiteHosts([host])
    assert hosts.names == ("example.com",)
    assert hosts.contains(normalize("https://example.com/a?b"))
    assert hosts.contains(normalize("http://example.com"))
    assert not hosts.contains(normalize("https://example.com:8080/"))
    assert not hosts.contains(normalize("https://www.example.com/"))
    assert not hosts.contains(normalize("https://example.com.evil.test/"))


@pytest.mark.parametrize(
    "host", ["example.com:8080", "https://example.com:8080/a", "EXAMPLE.com:08080"]
)
def test_any_other_port_is_a_host_of_its_own(host: str) -> None:
    """docs/spec/02-urls-and-masks.md, 2.3."""
    hosts = SiteHosts([host])
    assert hosts.names == ("example.com:8080",)
    assert hosts.contains("http://example.com:8080/")
    assert not hosts.contains("https://example.com/")


def test_addresses_and_international_names_are_normalized() -> None:
    hosts = SiteHosts(["[2001:DB8::0:1]:8080", "bücher.example", "127.1", "[::1]"])
    assert hosts.names == ("127.0.0.1", "[2001:db8::1]:8080", "[::1]", "xn--bcher-kva.example")


def test_a_url_on_the_other_schemes_default_port_is_on_a_host_of_its_own() -> None:
    """docs/spec/02-urls-and-masks.md, 2.3: that is no default port."""
    url = normalize("http://example.com:443/a")
    assert not SiteHosts(["example.com:443"]).contains(url)
    assert SiteHosts([url]).contains(url)


def test_no_hosts_contain_nothing() -> None:
    assert SiteHosts([]).names == ()
    assert not SiteHosts([]).contains("https://example.com/")


@pytest.mark.parametrize(
    "host",
    [
        *("", " ", "example.com/a", "user@example.com", "ftp://example.com/", "::1", "[::1"),
        *("a b", "example.com:x", "example.com:99999", "https://", "example.com#x", "a\\b", "."),
    ],
)
def test_what_is_no_host_is_an_error(host: str) -> None:
    with pytest.raises(UrlError):
        SiteHosts([host])
