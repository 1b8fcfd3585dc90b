"""From the links of pages to normalized URLs, each distinct one parsed once."""

from __future__ import annotations

from site_indexer.errors import UrlError
from site_indexer.urls import SiteHosts, host_of, normalize

# Bounds the memory of a large crawl; a dropped entry costs one more normalization.
_MOST_REMEMBERED = 200_000
_CUT = "".join(map(chr, range(0x21)))  # what browsers cut around a link


class LinkResolver:
    """Normalizes links, and tells which are on the site's own hosts.

    The same few links stand on every page of a site, so what a link came to is remembered: by
    itself where it holds scheme and host, by its host where it starts with one slash, else by the
    folder of the page.
    """

    __slots__ = ("_hosts", "_known", "_same_site")

    def __init__(self, hosts: SiteHosts) -> None:
        self._hosts = hosts
        self._known: dict[tuple[str, str], str | None] = {}
        self._same_site: dict[str, bool] = {}

    def resolve(self, href: str, base: str) -> str | None:
        """The normalized URL of a link on a page with that base URL; None if it is no http(s) URL.

        ``base`` is absolute. Malformed links are None too: one of them must not cost its page.
        """
        href = href.strip(_CUT)
        key = (_scope(href, base), href)
        try:
            return self._known[key]
        except KeyError:
            pass
        if len(self._known) >= _MOST_REMEMBERED:
            self._known.clear()
        try:
            url: str | None = normalize(href, base)
        except UrlError:
            url = None
        self._known[key] = url
        return url

    def is_same_site(self, url: str) -> bool:
        """Whether a normalized URL is on one of the site's hosts."""
        host = host_of(url)
        known = self._same_site.get(host)
        if known is None:
            if len(self._same_site) >= _MOST_REMEMBERED:
                self._same_site.clear()
            known = self._same_site[host] = self._hosts.contains(url)
        return known


def _scope(href: str, base: str) -> str:
    """The part of the base that a link's meaning depends on."""
    if href.startswith(("http://", "https://")):
        return ""
    if href.startswith("/"):
        return base[: base.find("/", 8)] if base.find("/", 8) > 0 else base
    if href.startswith(("?", "#")) or not href:
        return base
    path = base.partition("?")[0].partition("#")[0]
    return path[: path.rfind("/") + 1]
