"""From the links of pages to normalized URLs, each distinct one parsed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from site_indexer.errors import UrlError
from site_indexer.urls import SiteHosts, normalizer_on

# Bounds the memory of a large crawl; a dropped entry costs one more normalization.
_MOST_REMEMBERED = 100_000
_CUT = "".join(map(chr, range(0x21)))  # what browsers cut around a link


class Target(NamedTuple):
    """Where a link leads: a normalized URL, and whether it is on one of the site's hosts."""

    url: str
    same_site: bool


_Known = dict[str, Target | None]


class LinkResolver:
    """Normalizes links, and tells which are on the site's own hosts.

    The same few links stand on every page of a site, so what a link came to is remembered: by
    itself where it holds scheme and host, by the origin of its base where it starts with a slash,
    by the page where it is a query or a fragment only, else by the folder of the page.
    """

    __slots__ = ("_hosts", "_known", "_remembered")

    def __init__(self, hosts: SiteHosts) -> None:
        self._hosts = hosts
        self._known: dict[str, _Known] = {}
        self._remembered = 0

    def resolve(self, href: str, base: str) -> str | None:
        """The normalized URL of a link on a page with that base URL; None if it is no http(s) URL.

        ``base`` is absolute. Malformed links are None too: one of them must not cost its page.
        """
        target = self.on(base)(href)
        return None if target is None else target.url

    def is_same_site(self, url: str) -> bool:
        """Whether a normalized URL is on one of the site's hosts."""
        return self._hosts.contains(url)

    def on(self, base: str) -> Callable[[str], Target | None]:
        """What :meth:`resolve` does, for all links of one page, with what it leads to."""
        if self._remembered >= _MOST_REMEMBERED:
            self._known.clear()
            self._remembered = 0
        path = base.partition("?")[0].partition("#")[0]
        slash = path.find("/", 8)
        anywhere = self._known_in("")
        on_origin = self._known_in(path[:slash] if slash > 0 else path)
        in_folder = self._known_in(path[: path.rfind("/") + 1] if slash > 0 else path)
        on_page: _Known = {}
        normalized = normalizer_on(base)

        def resolve(href: str) -> Target | None:
            href = href.strip(_CUT)
            if "#" in href:
                # A fragment is no part of what is fetched; white space before it would be cut.
                bare = href.partition("#")[0]
                href = href if bare[-1:] in _CUT and bare else bare
            first = href[:1]
            if first == "/":
                known = on_origin
            elif href.startswith(("http://", "https://")):
                known = anywhere
            else:
                known = on_page if first in _ON_PAGE else in_folder
            try:
                return known[href]
            except KeyError:
                target = known[href] = self._target(href, normalized)
                self._remembered += 1
                return target

        return resolve

    def _known_in(self, scope: str) -> _Known:
        return self._known.setdefault(scope, {})

    def _target(self, href: str, normalized: Callable[[str], str]) -> Target | None:
        try:
            url = normalized(href)
        except UrlError:
            return None
        return Target(url, self._hosts.contains(url))


_ON_PAGE = ("", "?", "#")
