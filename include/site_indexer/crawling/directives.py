"""Robots directives of a page: robots meta tags and X-Robots-Tag headers.

Names and values in any case, tokens matched whole, tags for a named agent only where the agent is
this one, everything adds up (docs/spec/04-crawling.md, 4.6; robots meta as published by Google,
RFC 9309 leaves it open).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_OWN_AGENT = "siteindexer"
_ALL_AGENTS = "robots"
# Directives with a value are written ``name: value``, which looks like an agent's name in front.
_WITH_VALUE = frozenset(
    {"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"}
)
# A date behind unavailable_after may hold a comma and colons; an agent's name holds no space.
_AGENT = re.compile(r"[\w*./-]*")


@dataclass(frozen=True, slots=True)
class Directives:
    """What a page says of itself; ``source`` names the meta tag or header that said it."""

    noindex: bool = False
    nofollow: bool = False
    source: str | None = None

    def __or__(self, other: Directives) -> Directives:
        """Both together: the strictest counts."""
        if not (other.noindex or other.nofollow):
            return self
        source = ", ".join(dict.fromkeys(s for s in (self.source, other.source) if s))
        return Directives(
            self.noindex or other.noindex, self.nofollow or other.nofollow, source or None
        )


NO_DIRECTIVES = Directives()


def of_meta(name: str, content: str) -> Directives:
    """The directives of ``<meta name=... content=...>``; none if it is for another agent."""
    agent = name.strip().lower()
    if agent not in (_ALL_AGENTS, _OWN_AGENT):
        return NO_DIRECTIVES
    return _of_tokens(content.lower().split(","), f"meta {agent}")


def of_headers(values: Iterable[str]) -> Directives:
    """The directives of all X-Robots-Tag headers of an answer."""
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
    return _of_tokens(tokens, "X-Robots-Tag")


def _of_tokens(parts: Iterable[str], source: str) -> Directives:
    tokens = {part.strip() for part in parts}
    everything = "none" in tokens
    noindex = everything or "noindex" in tokens
    nofollow = everything or "nofollow" in tokens
    return Directives(noindex, nofollow, source) if noindex or nofollow else NO_DIRECTIVES
