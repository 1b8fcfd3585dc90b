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
from typing import Final

from site_indexer.crawling.responses import Failure
from site_indexer.errors import ConfigurationError
from site_indexer.urls import host_of

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network

# The special-purpose registries of IANA (RFC 6890), written out: what the standard library calls
# private differs between its versions. Added: an address that only Azure's virtual machines see.
_SPECIAL: Final = tuple(
    (ipaddress.ip_network(network), word)
    for network, word in (
        ("0.0.0.0/32", "an unspecified"),
        ("0.0.0.0/8", "a private"),
        ("10.0.0.0/8", "a private"),
        ("100.64.0.0/10", "a shared (carrier or cloud internal)"),
        ("127.0.0.0/8", "a loopback"),
        ("168.63.129.16/32", "a cloud metadata"),
        ("169.254.169.254/32", "a cloud metadata (link-local)"),
        ("169.254.0.0/16", "a link-local"),
        ("172.16.0.0/12", "a private"),
        ("192.0.0.0/24", "a reserved"),
        ("192.0.2.0/24", "a documentation"),
        ("192.88.99.0/24", "a reserved"),
        ("192.168.0.0/16", "a private"),
        ("198.18.0.0/15", "a benchmarking"),
        ("198.51.100.0/24", "a documentation"),
        ("203.0.113.0/24", "a documentation"),
        ("224.0.0.0/4", "a multicast"),
        ("240.0.0.0/4", "a reserved"),
        ("::/128", "an unspecified"),
        ("::1/128", "a loopback"),
        ("2001::/23", "a reserved"),
        ("2001:db8::/32", "a documentation"),
        ("3fff::/20", "a documentation"),
        ("fc00::/7", "a private"),
        ("fe80::/10", "a link-local"),
        ("fec0::/10", "a private"),
        ("ff00::/8", "a multicast"),
    )
)
_GLOBAL_UNICAST_6: Final = ipaddress.ip_network("2000::/3")
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")
_RESOLVED_FOR_S: Final = 60.0


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
        inner = _embedded(parsed)
        if any(one in network for one in (parsed, inner) for network in self._allowed):
            return None
        return _kind(inner)


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

    def knows(self, url: str) -> bool:
        """Whether :meth:`problem` answers at once."""
        known = self._known.get(origin_of(url))
        return known is not None and known[0] > self._clock()

    def problem(self, url: str) -> tuple[Failure, str] | None:
        """Why the host of a normalized URL is not asked, or None. Waits for the resolver."""
        origin = origin_of(url)
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


def origin_of(url: str) -> str:
    """Scheme and authority of a normalized URL."""
    return url.partition("//")[0] + host_of(url)


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


def _embedded(address: _Address) -> _Address:
    """The IPv4 address behind an IPv6 one (mapped, NAT64, 6to4), or the address itself."""
    if isinstance(address, ipaddress.IPv4Address):
        return address
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _kind(address: _Address) -> str | None:
    """What makes an address not public, as ``a private address``; None for public unicast."""
    word = next((word for network, word in _SPECIAL if address in network), None)
    if word is None and address.version == 6 and address not in _GLOBAL_UNICAST_6:
        word = "a reserved"
    return word and f"{word} address"
