"""One robots.txt, read for one crawler (docs/spec/04-crawling.md, 4.3 Robots; RFC 9309).

Protego parses and matches. Before it sees the file, what it reads wrongly is put right: a BOM
hides the first line from it, a product token with a version matches nobody, a token that merely
begins ours matches us, Unicode's line separators end a line, and a line with an unknown name ends
a list of user agents.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from protego import Protego

from site_indexer.errors import UrlError
from site_indexer.urls import normalize

ROBOTS_PRODUCT: Final = "SiteIndexer"
MOST_BYTES: Final = 500 * 1024  # RFC 9309 2.5: at least that much is parsed
_LONGEST_DELAY_S = 86_400.0

_LINE_END = re.compile(r"\r\n|\r|\n")
# What str.splitlines, and so Protego, takes for line ends beside those of the RFC.
_NO_LINE_END = re.compile("[\x00\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_USER_AGENT = re.compile(r"\s*user[ -]?agent\s*[:\s]\s*(?P<value>.*)", re.IGNORECASE)
_PRODUCT = re.compile(r"[A-Za-z_-]+")
_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z _-]*+)\s*+:")
_RULE_FIELD = re.compile(
    r"allow|dis+al+[oa]w|diasllow|(crawl|request|visit)[ -](delay|rate|time)|site-?maps?",
    re.IGNORECASE,
)
_DISALLOW = re.compile(r"\s*(?:dis+al+[oa]w|diasllow)\s*[:\s]\s*(?P<path>\S.*)", re.IGNORECASE)
_ALLOW = re.compile(r"\s*allow\s*[:\s]\s*(?P<path>\S.*)", re.IGNORECASE)
_OTHERS = "another-crawler"


@dataclass(frozen=True, slots=True)
class _Rule:
    """One line of the group that counts; ``probe`` refuses exactly what the line's path matches."""

    text: str
    length: int
    probe: Protego


class RobotsRules:
    """What a robots.txt says to ``SiteIndexer``; made by :meth:`parse`."""

    def __init__(self, text: str, url: str) -> None:
        self._lines = tuple(_mended(text))
        self._parsed = Protego.parse("\n".join(self._lines))
        self._url = url

    @classmethod
    def parse(cls, body: bytes, url: str) -> RobotsRules:
        """Read the bytes of a robots.txt fetched from ``url``; anything can be read.

        Only the first 500 KiB count, without the line that is cut there.
        """
        if len(body) > MOST_BYTES:
            body = re.split(rb"[\r\n][^\r\n]*\Z", body[:MOST_BYTES], maxsplit=1)[0]
        return cls(_decoded(body), url)

    def allows(self, url: str) -> bool:
        """Whether the normalized ``url`` may be fetched."""
        return bool(self._parsed.can_fetch(url, ROBOTS_PRODUCT))

    def rule_for(self, url: str) -> str | None:
        """The line that decides about ``url``, as ``Disallow: /private``; None if none matches."""
        wanted = "Allow" if self.allows(url) else "Disallow"
        matching = (rule.text for rule in self._rules if not rule.probe.can_fetch(url, "*"))
        return next((text for text in matching if text.startswith(wanted)), None)

    @cached_property
    def crawl_delay(self) -> float | None:
        """The seconds to leave between requests (Crawl-delay or Request-rate), or None."""
        delay = self._parsed.crawl_delay(ROBOTS_PRODUCT)
        rate = self._parsed.request_rate(ROBOTS_PRODUCT)
        stated = [] if delay is None else [delay]
        if rate is not None:
            stated.append(rate.seconds / rate.requests)
        return min(max(stated), _LONGEST_DELAY_S) if stated else None

    @cached_property
    def sitemaps(self) -> tuple[str, ...]:
        """The sitemaps it names, normalized, each once, in order; relative ones are joined."""
        found: dict[str, None] = {}
        for text in self._parsed.sitemaps:
            try:
                found[normalize(text, base=self._url)] = None
            except UrlError:
                continue
        return tuple(found)

    @cached_property
    def _rules(self) -> tuple[_Rule, ...]:
        """The rules of the group that counts, the one that wins first (RFC 9309 2.2.2)."""
        rules = [*self._rules_of(_ALLOW, "Allow"), *self._rules_of(_DISALLOW, "Disallow")]
        return tuple(sorted(rules, key=lambda rule: -rule.length))

    def _rules_of(self, form: re.Pattern[str], name: str) -> Iterator[_Rule]:
        for line in self._group():
            match = form.match(line)
            if match is not None:
                path = match["path"].strip()
                yield _Rule(
                    text=f"{name}: {path}",
                    length=len(path),
                    probe=Protego.parse(f"User-agent: *\nDisallow: {path}"),
                )

    def _group(self) -> Iterator[str]:
        """The rule lines for this crawler's own token or, without one, for all crawlers."""
        agents = {ROBOTS_PRODUCT} if self._names(ROBOTS_PRODUCT) else {"*"}
        current: set[str] = set()
        naming = False
        for line in self._lines:
            match = _USER_AGENT.match(line)
            if match is None:
                naming = False
                if current & agents:
                    yield line
                continue
            current = (current if naming else set()) | {match["value"]}
            naming = True

    def _names(self, product: str) -> bool:
        return f"User-agent: {product}" in self._lines


def _decoded(body: bytes) -> str:
    """The text, UTF-8 as RFC 9309 has it; bytes that are not are percent-encoded one by one.

    A path in another charset then equals the URL that a browser makes of such a link.
    """
    if body.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return body.decode("utf-16", "replace")
    text = body.decode("utf-8", "surrogateescape")
    return re.sub("[\udc80-\udcff]", lambda byte: f"%{ord(byte[0]) - 0xDC00:02X}", text)


def _mended(text: str) -> Iterator[str]:
    """The lines that count, in a form that Protego reads as RFC 9309 says."""
    for written in _LINE_END.split(_NO_LINE_END.sub("", text)):
        line = written.replace("\ufeff", "").partition("#")[0].strip()
        if not line:
            continue
        agent = _USER_AGENT.fullmatch(line)
        if agent is not None:
            yield f"User-agent: {_product(agent['value'].strip())}"
            continue
        field = _FIELD.match(line)
        if field is None or _RULE_FIELD.fullmatch(field["name"].rstrip()):
            yield line


def _product(value: str) -> str:
    """Our own token, ``*``, or the name of anyone else.

    The token is compared whole, in any case, without what follows it (a version).
    """
    if value == "*":
        return value
    match = _PRODUCT.match(value)
    ours = match is not None and match[0].lower() == ROBOTS_PRODUCT.lower()
    return ROBOTS_PRODUCT if ours else _OTHERS
