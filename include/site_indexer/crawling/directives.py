"""Robots directives of a page: robots meta tags and X-Robots-Tag headers.

Names and values in any case, tokens matched whole, tags for a named agent only where the agent is
this one, everything adds up (docs/spec/04-crawling.md, 4.6; robots meta as published by Google,
RFC 9309 leaves it open).
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from site_indexer.crawling.http_dates import parse_page_date
from site_indexer.values import value_object

_OWN_AGENT = "siteindexer"
_ALL_AGENTS = "robots"
_UNAVAILABLE_AFTER = "unavailable_after"
# Commas stand in dates too, three of them in "Sunday, November 6, 1994, 08:49".
_MOST_COMMAS = 3
_LONGEST_SHOWN = 60
# Directives with a value are written ``name: value``, which looks like an agent's name in front.
_WITH_VALUE = frozenset(
    {_UNAVAILABLE_AFTER, "max-snippet", "max-image-preview", "max-video-preview"}
)
# A date behind unavailable_after may hold commas and colons; an agent's name holds no space, and
# is no beginning of a time.
_AGENT = re.compile(r"(?![0-9][0-9t-]*\Z)[\w*./-]*")


@dataclass(frozen=True, slots=True)
class Expiry:
    """From when on (aware UTC) a page is as one that says noindex, and what said so."""

    moment: dt.datetime
    source: str


@value_object
class Directives:
    """What a page says of itself; ``source`` names the meta tag or header that said it.

    ``expiry`` is its ``unavailable_after``, ``unreadable`` a value of it that is no date.
    """

    noindex: bool = False
    nofollow: bool = False
    source: str | None = None
    expiry: Expiry | None = None
    unreadable: str | None = None

    def __or__(self, other: Directives) -> Directives:
        """Both together: the strictest counts."""
        if other is NO_DIRECTIVES:
            return self
        dates = [each.expiry for each in (self, other) if each.expiry is not None]
        return Directives(
            self.noindex or other.noindex,
            self.nofollow or other.nofollow,
            _both(self.source, other.source),
            min(dates, key=lambda date: date.moment, default=None),
            self.unreadable or other.unreadable,
        )

    def at(self, moment: dt.datetime) -> Directives:
        """What holds at that time (aware): noindex, if it is past the page's own date."""
        if self.expiry is None or moment < self.expiry.moment:
            return self
        stated = f"{_UNAVAILABLE_AFTER} {self.expiry.moment.isoformat().replace('+00:00', 'Z')}"
        source = _both(self.source, f"{self.expiry.source}: {stated}")
        return dataclasses.replace(self, noindex=True, source=source)

    def warnings(self, url: str) -> tuple[str, ...]:
        """What is to be said of the page with that URL."""
        if self.unreadable is None:
            return ()
        return (
            f"{url} says {_UNAVAILABLE_AFTER}: {self.unreadable[:_LONGEST_SHOWN]!r}, which is no"
            " date with a known zone; it is ignored.",
        )


NO_DIRECTIVES = Directives()


def of_meta(name: str, content: str, zone: dt.tzinfo = dt.UTC) -> Directives:
    """The directives of ``<meta name=... content=...>``; none if it is for another agent.

    ``zone`` is that of dates without one.
    """
    agent = name.strip().lower()
    if agent not in (_ALL_AGENTS, _OWN_AGENT):
        return NO_DIRECTIVES
    return _of_tokens(content.lower().split(","), f"meta {agent}", zone)


def of_headers(values: Iterable[str]) -> Directives:
    """The directives of all X-Robots-Tag headers of an answer; dates without a zone are UTC."""
    result = NO_DIRECTIVES
    for value in values:
        result |= _of_header(value)
    return result


def _of_header(value: str) -> Directives:
    """One header. An agent's name in front of a token holds for the tokens behind it too."""
    tokens: list[str] = []
    applies = True
    for part in value.lower().split(","):
        before, colon, after = part.partition(":")
        agent = before.strip()
        if colon and agent not in _WITH_VALUE and _AGENT.fullmatch(agent):
            applies = agent in ("", "*", _ALL_AGENTS, _OWN_AGENT)
            part = after  # noqa: PLW2901 - what is left of the part
        if applies:
            tokens.append(part)
    return _of_tokens(tokens, "X-Robots-Tag", dt.UTC)


def _of_tokens(parts: Sequence[str], source: str, zone: dt.tzinfo) -> Directives:
    tokens = {part.strip() for part in parts}
    everything = "none" in tokens
    noindex = everything or "noindex" in tokens
    nofollow = everything or "nofollow" in tokens
    said = Directives(noindex, nofollow, source) if noindex or nofollow else NO_DIRECTIVES
    for index, part in enumerate(parts):
        name, _, value = part.partition(":")
        if name.strip() == _UNAVAILABLE_AFTER:
            date = _date(value, parts[index + 1 : index + 1 + _MOST_COMMAS], zone)
            said |= Directives(
                expiry=None if date is None else Expiry(date, source),
                unreadable=value.strip() if date is None else None,
            )
    return said


def _date(value: str, following: Sequence[str], zone: dt.tzinfo) -> dt.datetime | None:
    """The date of a value that may have been cut at its commas; the longest that is one counts."""
    for count in range(len(following), -1, -1):
        date = parse_page_date(",".join((value, *following[:count])), zone)
        if date is not None:
            return date
    return None


def _both(source: str | None, other: str | None) -> str | None:
    return ", ".join(dict.fromkeys(filter(None, (source, other)))) or None
