"""The robots.txt of every origin that a crawl meets (docs/spec/04-crawling.md, 4.3 Robots).

A state machine without I/O: the crawl asks what to fetch, hands in what came, and asks for
verdicts. RFC 9309 2.3 says which answers mean what.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from site_indexer.crawling.responses import Request, Response
from site_indexer.crawling.robots_rules import MOST_BYTES, ROBOTS_PRODUCT, RobotsRules
from site_indexer.values import value_object

__all__ = ["ROBOTS_PRODUCT", "RobotsAccess", "RobotsCache", "RobotsRules", "RobotsVerdict"]

_MOST_REDIRECTS = 5


class RobotsAccess(StrEnum):
    """What robots.txt says about fetching a URL."""

    ALLOWED = "allowed"
    REFUSED = "refused"
    WAIT = "wait"  # it answers an error or not at all: nothing is fetched from there in this run
    UNKNOWN = "unknown"  # not fetched yet: ask RobotsCache.needs


@value_object
class RobotsVerdict:
    """``rule`` is the line that decides, or a sentence where there is no file to decide.

    ``sitemaps`` and ``crawl_delay`` (seconds) are those of the whole file.
    """

    access: RobotsAccess
    rule: str | None = None
    sitemaps: tuple[str, ...] = ()
    crawl_delay: float | None = None

    @property
    def allowed(self) -> bool:
        """Whether the URL may be fetched now."""
        return self.access is RobotsAccess.ALLOWED


@dataclass(slots=True)
class _Origin:
    """What is known of one origin; settled once ``rules`` or ``access`` is set."""

    next_url: str | None
    redirects: int = 0
    rules: RobotsRules | None = None
    access: RobotsAccess = RobotsAccess.UNKNOWN
    reason: str | None = None


class RobotsCache:
    """The robots.txt of each origin (scheme, host and port), each fetched once in a run.

    Wherever a method takes ``url``, any normalized URL of the origin will do.
    """

    def __init__(self) -> None:
        self._origins: dict[str, _Origin] = {}

    def needs(self, url: str) -> Request | None:
        """The request to make next for the robots.txt that governs ``url``, or None.

        Each request is given once: None also while it is under way, and once all is known. After
        :meth:`store` of a redirect there is another.
        """
        origin = self._origins.get(_origin_of(url))
        if origin is None:
            origin = self._origins[_origin_of(url)] = _Origin(f"{_origin_of(url)}/robots.txt")
        target, origin.next_url = origin.next_url, None
        return None if target is None else Request(target, cut_at=MOST_BYTES)

    def store(self, url: str, response: Response) -> None:
        """Take what came for the request that :meth:`needs` gave for the same origin."""
        origin = self._origins.setdefault(_origin_of(url), _Origin(None))
        status = response.status
        if response.location is not None and response.failure is None:
            self._redirect(origin, response.location)
        elif status in (200, 203) and response.failure is None:
            origin.rules = RobotsRules.parse(response.body, response.request.url)
            origin.access = RobotsAccess.ALLOWED
        elif status == 204 or (status is not None and 400 <= status < 500 and status != 429):
            origin.access = RobotsAccess.ALLOWED
            origin.reason = f"robots.txt answered {status}: no limits"
        else:
            origin.access = RobotsAccess.WAIT
            origin.reason = f"robots.txt could not be read: {response.error or status}"

    def verdict(self, url: str) -> RobotsVerdict:
        """What holds for the normalized ``url``."""
        origin = self._origins.get(_origin_of(url))
        if origin is None:
            return RobotsVerdict(RobotsAccess.UNKNOWN)
        rules = origin.rules
        if rules is None:
            return RobotsVerdict(origin.access, origin.reason)
        if rules.allows(url):
            return RobotsVerdict(RobotsAccess.ALLOWED, None, rules.sitemaps, rules.crawl_delay)
        return RobotsVerdict(
            RobotsAccess.REFUSED, rules.rule_for(url), rules.sitemaps, rules.crawl_delay
        )

    def _redirect(self, origin: _Origin, target: str) -> None:
        origin.redirects += 1
        if origin.redirects > _MOST_REDIRECTS:
            origin.access = RobotsAccess.ALLOWED
            origin.reason = f"robots.txt redirects more than {_MOST_REDIRECTS} times: no limits"
        else:
            origin.next_url = target


def _origin_of(url: str) -> str:
    """``scheme://authority`` of a normalized URL, or of such an origin itself."""
    scheme, _, rest = url.partition("//")
    return f"{scheme}//{rest.partition('/')[0]}"
