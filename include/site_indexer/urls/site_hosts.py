"""Which URLs belong to a site (docs/spec/02-urls-and-masks.md, 2.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from site_indexer.errors import UrlError
from site_indexer.urls.normalization import host_of, normalize, shown

_FULL_URL = re.compile(r"https?://", re.IGNORECASE)
_HOST_AND_PORT = re.compile(r"(?P<host>\[[^\]]*\]|[^\s:/?#@\\\[\]]+)(?::(?P<port>[0-9]*))?")
_DEFAULT_PORTS = frozenset({"", "80", "443"})


class SiteHosts:
    """The hosts of one site, each with its port.

    A host without a port, or with 80 or 443, stands for the default ports of http and https alike:
    a site that moves from http to https stays one site.
    """

    __slots__ = ("_names",)

    def __init__(self, hosts: Iterable[str]) -> None:
        """Take hosts as ``host``, ``host:port`` or whole URLs; raises UrlError for others."""
        self._names = frozenset(_name(host) for host in hosts)

    @property
    def names(self) -> tuple[str, ...]:
        """The hosts, sorted: ``host``, or ``host:port`` for a port that is no default."""
        return tuple(sorted(self._names))

    def contains(self, normalized_url: str) -> bool:
        """Whether a normalized URL is on one of these hosts."""
        return host_of(normalized_url) in self._names


def _name(host: str) -> str:
    if _FULL_URL.match(host.strip()):
        return host_of(normalize(host))
    match = _HOST_AND_PORT.fullmatch(host.strip())
    if match is None:
        raise UrlError(
            f"{shown(host)} is no host.",
            hint="Write a host name, with its port if it has one: www.example.com:8080.",
            host=host,
        )
    port = (match["port"] or "").lstrip("0")
    suffix = "" if port in _DEFAULT_PORTS else f":{port}"
    return host_of(normalize(f"https://{match['host']}{suffix}/"))
