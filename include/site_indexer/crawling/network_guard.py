"""Which addresses the crawler may connect to (docs/spec/04-crawling.md, 4.4 Safety).

Pages choose what is fetched, so a link, a redirect or a name server could point the crawler at the
inside of the network it runs in. Without a site's ``allow_networks`` only public unicast addresses
are connected to. The check belongs where the connection is opened: a check of the name alone would
be passed by a name that answers differently the second time.
"""

from __future__ import annotations

import ipaddress
import socket
import time
from collections.abc import Callable, Iterable, Mapping

from site_indexer.crawling.responses import Failure
from site_indexer.errors import ConfigurationError
from site_indexer.urls import host_of

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# Beyond what the standard library of Python 3.11 calls private: the whole of the IETF's protocol
# block (one cloud's metadata service is at 192.0.0.192), relays, and the address at which Azure
# serves every virtual machine its configuration, public by its number only.
_SPECIAL: tuple[tuple[_Network, str], ...] = (
    (ipaddress.ip_network("169.254.0.0/16"), "link-local (cloud metadata services are there)"),
    (ipaddress.ip_network("168.63.129.16/32"), "cloud metadata"),
    (ipaddress.ip_network("192.0.0.0/24"), "reserved"),
    (ipaddress.ip_network("192.88.99.0/24"), "reserved"),
    (ipaddress.ip_network("100.64.0.0/10"), "shared (carrier or cloud internal)"),
    (ipaddress.ip_network("fec0::/10"), "private"),
    (ipaddress.ip_network("3fff::/20"), "documentation"),
)
_RESOLVED_FOR_S = 60.0
_GLOBAL_UNICAST_6 = ipaddress.ip_network("2000::/3")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")


class NetworkGuard:
    """Decides, per connection, whether an address may be connected to. It does no I/O."""

    def __init__(
        self,
        allow_networks: Iterable[str] = (),
        *,
        local_hosts: Iterable[str] = (),
        pinned: Mapping[str, str] | None = None,
    ) -> None:
        """Take the networks that are allowed beside public ones, in CIDR form or as addresses.

        ``local_hosts``: host names or addresses, without port, whose connections are never refused
        (a person typed them). ``pinned``: the address that a person gave for ``host:port``; that
        host counts as public. Raises ConfigurationError for what is no network.
        """
        self._allowed = tuple(_network(text) for text in allow_networks)
        self._local_hosts = frozenset(host.strip("[]").lower() for host in local_hosts)
        self._pinned = dict(pinned or {})

    def refusal(self, address: str, *, host: str, port: int) -> str | None:
        """The sentence that says why ``address`` is not connected to for ``host``, or None."""
        if host in self._local_hosts or self._pinned.get(f"{host}:{port}") == address:
            return None
        kind = self._refused_kind(address)
        if kind is None:
            return None
        named = address if host == address else f"{host} has the address {address}, which"
        return (
            f"{named} is {kind} and is not connected to. If it belongs to the site, add "
            "its network to allow_networks in the crawl section of the site definition."
        )

    def _refused_kind(self, address: str) -> str | None:
        try:
            parsed = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return "no address of the Internet"
        candidates = (parsed, *_embedded(parsed))
        if any(one in network for one in candidates for network in self._allowed):
            return None
        return next((kind for one in reversed(candidates) if (kind := _kind(one))), None)


class ResolvedTargets:
    """The check for connections that someone else opens: a proxy, or another HTTP client.

    It resolves the name itself, so what the other resolves a moment later can differ: this is
    weaker than the check at the socket.
    """

    def __init__(self, guard: NetworkGuard, clock: Callable[[], float] = time.monotonic) -> None:
        """``clock``: monotonic seconds; an answer counts for a minute."""
        self._guard = guard
        self._clock = clock
        self._known: dict[str, tuple[float, tuple[Failure, str] | None]] = {}

    def problem(self, url: str) -> tuple[Failure, str] | None:
        """Why the host of a normalized URL is not asked, or None. Waits for the resolver."""
        origin = url.partition("//")[0] + host_of(url)
        known = self._known.get(origin)
        if known is None or known[0] <= self._clock():
            found = self._resolved(host_of(url), 443 if url.startswith("https:") else 80)
            known = self._known[origin] = (self._clock() + _RESOLVED_FOR_S, found)
        return known[1]

    def _resolved(self, authority: str, default_port: int) -> tuple[Failure, str] | None:
        host = name_of(authority)
        port = int(authority[len(authority.rstrip("0123456789")) :]) if _has_port(authority) else 0
        try:
            found = socket.getaddrinfo(host, port or default_port, type=socket.SOCK_STREAM)
        except OSError as error:
            return Failure.DNS, f"{host} could not be resolved ({error})"
        for address in dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found):
            refusal = self._guard.refusal(address, host=host, port=port or default_port)
            if refusal is not None:
                return Failure.ADDRESS_REFUSED, refusal
        return None


def name_of(authority: str) -> str:
    """The host name or address in an authority, without port and brackets."""
    name = authority.rpartition(":")[0] if _has_port(authority) else authority
    return name.strip("[]")


def _has_port(authority: str) -> bool:
    return ":" in authority and not authority.endswith("]")


def _network(text: str) -> _Network:
    try:
        return ipaddress.ip_network(text.strip(), strict=False)
    except ValueError:
        raise ConfigurationError(
            f"{text!r} in allow_networks is no network.",
            hint="Write networks as 10.20.0.0/16 or fd00::/8.",
        ) from None


def _embedded(address: _Address) -> tuple[ipaddress.IPv4Address, ...]:
    """The IPv4 addresses that a connection to an IPv6 address ends at (mapped, 6to4, NAT64)."""
    if isinstance(address, ipaddress.IPv4Address):
        return ()
    if address in _NAT64:
        return (ipaddress.IPv4Address(int(address) & 0xFFFFFFFF),)
    found = (address.ipv4_mapped, address.sixtofour)
    return tuple(one for one in found if one is not None)


def _kind(address: _Address) -> str | None:
    """The word for what makes an address not public, or None for public unicast."""
    if isinstance(address, ipaddress.IPv6Address) and (address.ipv4_mapped or address in _NAT64):
        return None  # judged by the address inside
    for word, holds in (
        ("the unspecified address", address.is_unspecified),
        ("a loopback address", address.is_loopback),
        ("a multicast address", address.is_multicast),
    ):
        if holds:
            return word
    special = next((word for network, word in _SPECIAL if address in network), None)
    if special is None and address.is_link_local:
        special = "link-local"
    if special is None and address.is_reserved:
        special = "reserved"
    if special is None and address.is_private:
        special = "private"
    if special is None and address.version == 6 and address not in _GLOBAL_UNICAST_6:
        special = "reserved"
    return special and f"a {special} address"
