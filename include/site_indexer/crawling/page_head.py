"""What the head of an HTML page states: title, metadata, robots, canonical, refresh, dates.

Docs: docs/spec/04-crawling.md, 4.6. Where several elements say the same thing the first that says
anything counts, but for robots directives, which add up.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from selectolax.lexbor import LexborNode

from site_indexer.crawling import directives
from site_indexer.crawling.directives import NO_DIRECTIVES, Directives
from site_indexer.crawling.extracted import Refresh
from site_indexer.crawling.http_dates import parse_page_date
from site_indexer.crawling.json_ld import date_modified
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_nodes import Group, PageNodes
from site_indexer.crawling.page_text import one_line
from site_indexer.values import value_object

# HTML, 4.2.5.3 (shared declarative refresh steps): the word url and the quotes may be missing.
_REFRESH = re.compile(
    r"\s*(\d+(?:\.[\d.]*)?|\.\d+)(?:\s*[;,]\s*+|\s++)(?:url\s*=\s*)?+(?:\"([^\"]*)|'([^']*)|(.+))",
    re.IGNORECASE | re.DOTALL,
)
_LINK_HEADER = re.compile(
    r"<([^<>]*+)>"
    r"((?:\s*+;\s*+[\w*-]++\s*+(?:=\s*+(?:\"[^\"]*+\"|[^\",;\s]*+))?+)*+)"
)
_REL_CANONICAL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\",;\s]*))", re.IGNORECASE)
# In this order, as the first that can be read counts.
DATE_NAMES = (
    "date",
    "last-modified",
    "article:modified_time",
    "og:updated_time",
    "dcterms.modified",
    "dc.date.modified",
    "dcterms.date",
    "dc.date",
)
_DATES = frozenset(DATE_NAMES)
JSON_LD_SOURCE = "json-ld:dateModified"
_JSON_LD = "application/ld+json"


@dataclass(slots=True)
class _Statements:
    """What was found so far, unresolved."""

    title: str = ""
    base: str | None = None
    canonicals: list[str] = field(default_factory=list)
    refresh: str | None = None
    named: dict[str, str] = field(default_factory=dict)
    json_ld: list[str] = field(default_factory=list)
    zone: dt.tzinfo = dt.UTC
    directives: Directives = NO_DIRECTIVES


@value_object
class Head:
    """What the head states; URLs are normalized, ``base`` is what links are relative to.

    ``language`` is what meta elements state, "" if none does.
    """

    title: str
    description: str
    language: str
    base: str
    canonical: str | None
    refresh: Refresh | None
    date: dt.datetime | None
    date_source: str | None
    directives: Directives
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HeadReader:
    """Reads heads. ``zone`` is that of dates without one."""

    resolver: LinkResolver
    zone: dt.tzinfo

    def read(self, nodes: PageNodes, url: str, headers: Mapping[str, Iterable[str]]) -> Head:
        """The head of the page with these elements, that came from ``url``.

        ``headers`` are those that may state the same as elements do (``link``, ``refresh``,
        ``x-robots-tag``), by lower-case name.
        """
        found = _Statements(zone=self.zone)
        for node in nodes[Group.STATEMENT]:
            _READERS[node.tag or ""](node, found)
        found.json_ld = [
            node.text()
            for node in nodes[Group.CODE]
            if (node.attributes.get("type") or "").strip().lower() == _JSON_LD
        ]
        base = (found.base is not None and self.resolver.resolve(found.base, url)) or url
        warnings: list[str] = []
        date, source = self._date(found)
        return Head(
            title=found.title or one_line(found.named.get("og:title")),
            description=one_line(
                found.named.get("description") or found.named.get("og:description")
            ),
            language=found.named.get("content-language", ""),
            base=base,
            canonical=self._canonical(found, headers.get("link", ()), url, base, warnings),
            refresh=self._refresh(found, headers.get("refresh", ()), url, base),
            date=date,
            date_source=source,
            directives=found.directives | directives.of_headers(headers.get("x-robots-tag", ())),
            warnings=tuple(warnings),
        )

    def _canonical(
        self,
        found: _Statements,
        link_headers: Iterable[str],
        url: str,
        base: str,
        warnings: list[str],
    ) -> str | None:
        """The one page, maybe itself, that the page names as its original."""
        stated = [self.resolver.resolve(href, base) for href in found.canonicals]
        stated += [self.resolver.resolve(href, url) for href in _header_canonicals(link_headers)]
        named = {target for target in stated if target is not None}
        if len(named) > 1:
            warnings.append(
                f"{url} names {len(named)} different canonical pages, so none of them counts."
            )
            return None
        return next(iter(named), None)

    def _refresh(
        self, found: _Statements, headers: Iterable[str], url: str, base: str
    ) -> Refresh | None:
        text = next(iter(headers), None) or found.refresh
        match = _REFRESH.match(text) if text else None
        if match is None:
            return None
        href = next(filter(None, match.groups()[1:]), "").strip()
        target = self.resolver.resolve(href, base) if href else None
        if target is None or target == url:
            return None  # a page that reloads itself goes nowhere
        return Refresh(target, float(re.sub(r"(\.\d*)\..*", r"\1", match[1]) or 0))

    def _date(self, found: _Statements) -> tuple[dt.datetime | None, str | None]:
        named = found.named
        for name in DATE_NAMES if not _DATES.isdisjoint(named) else ():
            date = parse_page_date(named[name], self.zone) if name in named else None
            if date is not None:
                return date, f"meta:{name}"
        for text in found.json_ld:
            stated = date_modified(text)
            date = parse_page_date(stated, self.zone) if stated else None
            if date is not None:
                return date, JSON_LD_SOURCE
        return None, None


def _read_title(node: LexborNode, found: _Statements) -> None:
    # Drawings have titles too; the page's stands in its head.
    parent = node.parent
    if not found.title and parent is not None and parent.tag in ("head", "body"):
        found.title = one_line(node.text())


def _read_base(node: LexborNode, found: _Statements) -> None:
    if found.base is None:
        found.base = node.attributes.get("href")


def _read_link(node: LexborNode, found: _Statements) -> None:
    # Only in the head: what users of a site may write into its body names no canonical.
    attributes = node.attributes
    if "canonical" in (attributes.get("rel") or "").lower().split() and _is_in_head(node):
        found.canonicals.append(attributes.get("href") or "")


def _read_meta(node: LexborNode, found: _Statements) -> None:
    attributes = node.attributes
    content = attributes.get("content")
    if content is None:
        return
    equivalent = (attributes.get("http-equiv") or "").strip().lower()
    if equivalent == "refresh":
        # In a noscript element it is for readers without scripts, and not for browsers.
        if found.refresh is None and not _is_in(node, "noscript"):
            found.refresh = content
        return
    for name in (attributes.get("name"), attributes.get("property"), equivalent):
        if name:
            _read_named(name.strip().lower(), content, found)


def _read_named(name: str, content: str, found: _Statements) -> None:
    if content.strip():
        found.named.setdefault(name, content)
    found.directives |= directives.of_meta(name, content, found.zone)


def _is_in_head(node: LexborNode) -> bool:
    return _is_in(node, "head")


def _is_in(node: LexborNode, tag: str) -> bool:
    """Whether an element's parent has that tag; metadata stands no deeper."""
    return node.parent is not None and node.parent.tag == tag


def _header_canonicals(values: Iterable[str]) -> list[str]:
    """The targets of Link headers with ``rel=canonical`` (RFC 8288, RFC 6596)."""
    return [
        target
        for value in values
        for target, parameters in _LINK_HEADER.findall(value)
        for quoted, bare in _REL_CANONICAL.findall(parameters)[:1]
        if "canonical" in (quoted or bare).lower().split()
    ]


_READERS = {
    "title": _read_title,
    "base": _read_base,
    "link": _read_link,
    "meta": _read_meta,
}
