"""Reading an HTML page: few passes over one parsed tree (docs/spec/04-crawling.md, 4.6).

Parsed by lexbor as browsers parse, so that nothing is lost to a limit of depth or size
(docs/adr/0007-html-parser.md).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from site_indexer.crawling.costly_formatting import without_costly_formatting
from site_indexer.crawling.costly_markup import thinned
from site_indexer.crawling.deep_nesting import MAX_DEPTH, flattened
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.language_tags import primary_language
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_account import Account, account_of
from site_indexer.crawling.page_content import ContentReader
from site_indexer.crawling.page_head import HeadReader
from site_indexer.crawling.page_language import language_of
from site_indexer.crawling.page_links import anchor_texts, read_links
from site_indexer.crawling.page_nodes import Group, PageNodes
from site_indexer.crawling.page_source import PageSource
from site_indexer.crawling.selectors import ParsedPage, Selector


@dataclass(frozen=True, slots=True)
class HtmlRules:
    """What a site says about its own pages, checked."""

    resolver: LinkResolver
    zone: dt.tzinfo
    default_language: str
    content: tuple[Selector, ...] = ()
    leave_out: tuple[str, ...] = ()
    fields: Mapping[str, Selector] | None = None


class HtmlReader:
    """Reads HTML pages of one site."""

    def __init__(self, rules: HtmlRules) -> None:
        self._rules = rules
        self._head = HeadReader(rules.resolver, rules.zone)
        self._content = ContentReader(rules.content, rules.leave_out)

    def read(self, markup: str, source: PageSource) -> ExtractedPage:
        """The page with that markup, already decoded."""
        url = source.url
        markup, thinnings = thinned(markup)
        markup, is_reduced = without_costly_formatting(markup)
        markup, was_flattened = flattened(markup)
        tree = LexborHTMLParser(markup)
        nodes = PageNodes(tree)
        head = self._head.read(nodes, url, source.headers)
        links = read_links(nodes[Group.LINK], head.base, url, self._rules.resolver)
        fields = self._fields(ParsedPage(tree, markup))
        stated = _stated_language(tree, head.language, source.headers["content-language"])
        content = self._content.read(tree, nodes, markup, head.title)
        title = head.title or next(iter(content.headings), "")
        return ExtractedPage(
            title=title,
            description=head.description,
            headings=content.headings,
            text=content.text,
            language=language_of(stated, title, content.text, self._rules.default_language),
            canonical=head.canonical,
            refresh=head.refresh,
            date=head.date,
            date_source=head.date_source,
            links=links.all,
            followable=links.followable,
            directives=head.directives,
            fields=fields,
            content_type=source.content_type,
            charset=source.charset,
            charset_source=source.charset_source,
            warnings=(
                *source.warnings,
                *head.warnings,
                *(f"{url} {words}" for words in thinnings),
                *_formatting_warnings(url, is_reduced),
                *_depth_warnings(url, was_flattened),
            ),
        )

    def account(self, markup: str, page: ExtractedPage) -> Account:
        """What became of the words of a page that was read, with its markup, already decoded."""
        markup = flattened(thinned(markup)[0])[0]
        return account_of(markup, page.title, page.text, self._content)

    def anchor_texts(self, markup: str, source: PageSource) -> dict[str, str]:
        """The texts of a page's links, by URL in their order; see :func:`anchor_texts`."""
        markup = flattened(without_costly_formatting(thinned(markup)[0])[0])[0]
        nodes = PageNodes(LexborHTMLParser(markup))
        base = self._head.read(nodes, source.url, source.headers).base
        return anchor_texts(nodes[Group.LINK], base, source.url, self._rules.resolver)

    def _fields(self, page: ParsedPage) -> dict[str, str | list[str]]:
        fields: dict[str, str | list[str]] = {}
        for name, selector in (self._rules.fields or {}).items():
            values = selector.values(page)
            if values:
                fields[name] = values[0] if len(values) == 1 else values
        return fields


def _stated_language(tree: LexborHTMLParser, of_meta: str, of_header: Iterable[str]) -> str:
    attributes = tree.root.attributes if tree.root is not None else {}
    stated = (attributes.get("lang"), attributes.get("xml:lang"), of_meta, ",".join(of_header))
    return next(filter(None, map(primary_language, stated)), "")


def _formatting_warnings(url: str, is_reduced: bool) -> tuple[str, ...]:
    if not is_reduced:
        return ()
    return (
        f"{url} leaves so many formatting elements open that they would fill the memory: their tags"
        " are reduced; text and links stay.",
    )


def _depth_warnings(url: str, was_flattened: bool) -> tuple[str, ...]:
    if not was_flattened:
        return ()
    return (
        f"{url} nests elements deeper than {MAX_DEPTH}: what is below stays as text and links,"
        " without its structure.",
    )
