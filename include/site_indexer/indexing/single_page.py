"""Use case: look at one URL as a crawl would, without an index (the shell's ``fetch``)."""

from __future__ import annotations

import datetime as dt
import ipaddress
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from site_indexer.crawling.inspect import Inspector
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.network_guard import name_of
from site_indexer.crawling.robots_rules import MOST_BYTES
from site_indexer.crawling.single_fetch import Fetch, network_fetch, saved_fetch
from site_indexer.indexing.crawl_settings import single_settings, user_agent
from site_indexer.indexing.site_access import EnvironmentConnections, SiteAccess, site_access
from site_indexer.indexing.site_view import view_of
from site_indexer.masks import RuleList
from site_indexer.planning.rules import rules_of_site
from site_indexer.urls import host_of

if TYPE_CHECKING:  # loading what a definition is made of takes longer than a look without one
    from site_indexer.sites.definition import SiteDefinition

_LOCAL_NAME = "localhost"


@dataclass(frozen=True, slots=True)
class SavedAnswer:
    """An answer that stands in for the network; ``body`` is as it came, before decompression."""

    body: bytes
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 200


@dataclass(frozen=True, slots=True)
class Look:
    """One look at a normalized URL.

    ``definition``: the site whose hosts, rules and selectors count. ``timeout_s`` is that of each
    request, by default the site's. ``resolve`` are ``host:port:address``. ``answer`` and ``robots``
    (the bytes of a robots.txt) are used in place of the network; with an answer and no robots.txt
    there is none.
    """

    url: str
    now: dt.datetime
    definition: SiteDefinition | None = None
    timeout_s: float | None = None
    resolve: tuple[str, ...] = ()
    answer: SavedAnswer | None = None
    robots: bytes | None = None


def look_at(look: Look) -> dict[str, Any]:
    """What would be indexed of a URL, as docs/spec/08-shell.md describes ``fetch``.

    One try; Retry-After is not waited for. Raises UnansweredError where no answer comes, and
    ConfigurationError for a site whose selectors are none, or whose connection is not there.
    """
    settings = _settings(look)
    definition = look.definition
    with _fetches(look, settings) as (fetch, fetch_robots):
        return Inspector(
            settings,
            fetch=fetch,
            fetch_robots=fetch_robots,
            rules=None if definition is None else _rules(definition, look.now),
            stay_on_site=definition is not None,
            is_saved=look.answer is not None,
        ).inspect(look.url)


def _settings(look: Look) -> CrawlSettings:
    if look.definition is not None:
        asks = look.answer is None
        access = site_access(EnvironmentConnections(), look.definition) if asks else SiteAccess()
        return single_settings(look.definition, look.timeout_s, access=access)
    settings = CrawlSettings(
        site="", user_agent=user_agent(""), hosts=(host_of(look.url),), delay_s=0.0, retries=0
    )
    return settings if look.timeout_s is None else replace(settings, timeout_s=look.timeout_s)


def _rules(definition: SiteDefinition, now: dt.datetime) -> RuleList:
    return RuleList(rules_of_site(view_of(definition)), now=now, zone=definition.zone)


@contextmanager
def _fetches(look: Look, settings: CrawlSettings) -> Iterator[tuple[Fetch, Fetch]]:
    """What asks for pages, and what asks for robots.txt."""
    page = None if look.answer is None else _saved(look.answer, look, settings.max_bytes)
    robots = _saved_robots(look)
    if page is not None and robots is not None:
        yield page, robots
        return
    local = _local_hosts(look) if look.definition is None else ()
    with network_fetch(settings, resolve=look.resolve, local_hosts=local) as network:
        yield page or network, robots or network


def _saved_robots(look: Look) -> Fetch | None:
    if look.robots is not None:
        return _saved(SavedAnswer(look.robots[:MOST_BYTES]), look, MOST_BYTES)
    if look.answer is not None:
        return _saved(SavedAnswer(b"", status=404), look, MOST_BYTES)
    return None


def _saved(answer: SavedAnswer, look: Look, max_bytes: int) -> Fetch:
    return saved_fetch(
        body=answer.body,
        headers=answer.headers,
        status=answer.status,
        now=look.now,
        max_bytes=max_bytes,
    )


def _local_hosts(look: Look) -> tuple[str, ...]:
    """The host of the URL where a person typed an address, or this machine's name."""
    host = name_of(host_of(look.url))
    if host == _LOCAL_NAME:
        return (host,)
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ()
    return (host,)
