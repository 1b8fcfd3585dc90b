"""Reading an HTML page: few passes over one parsed tree (docs/spec/04-crawling.md, 4.6).

Parsed by lexbor as browsers parse, so that nothing is lost to a limit of depth or size
(docs/adr/0007-html-parser.md).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.deep_nesting import MAX_DEPTH, flattened
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_head import HeadReader
from site_indexer.crawling.page_links import read_links
from site_indexer.crawling.page_nodes import Group, PageNodes, is_inside, outermost
from site_indexer.crawling.page_source import PageSource
from site_indexer.crawling.page_text import one_line, text_of_markup
from site_indexer.crawling.selectors import ParsedPage, Selector

_MAIN = 'main,[role="main" i]'
_FURNITURE = 'footer,[role="contentinfo" i]'
_MOST_HEADINGS = 200


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
        self._leave_out = ",".join(rules.leave_out)

    def read(self, markup: str, source: PageSource) -> ExtractedPage:
        """The page with that markup, already decoded."""
        url = source.url
        markup, was_flattened = flattened(markup)
        tree = LexborHTMLParser(markup)
        nodes = PageNodes(tree)
        head = self._head.read(nodes, url, source.headers)
        links = read_links(nodes, head.base, url, self._rules.resolver)
        fields = self._fields(ParsedPage(tree, markup))
        left_out = self._left_out(tree, nodes)
        headings = tuple(_headings(nodes, left_out))
        _make_readable(nodes, left_out)
        return ExtractedPage(
            title=head.title or (headings[0] if headings else ""),
            description=head.description,
            headings=headings,
            text=self._text(tree),
            language=self._language(tree, head.language, source.headers["content-language"]),
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
            warnings=(*source.warnings, *head.warnings, *_depth_warnings(url, was_flattened)),
        )

    def _fields(self, page: ParsedPage) -> dict[str, str | list[str]]:
        fields: dict[str, str | list[str]] = {}
        for name, selector in (self._rules.fields or {}).items():
            values = selector.values(page)
            if values:
                fields[name] = values[0] if len(values) == 1 else values
        return fields

    def _left_out(self, tree: LexborHTMLParser, nodes: PageNodes) -> list[LexborNode]:
        """The outermost elements whose text is not the page's."""
        left_out = [*nodes[Group.SCRIPT], *nodes[Group.NO_TEXT]]
        if self._leave_out:
            known = {node.mem_id for node in left_out}
            left_out += [n for n in tree.css(self._leave_out) if n.mem_id not in known]
        return outermost(left_out)

    def _text(self, tree: LexborHTMLParser) -> str:
        page = ParsedPage(tree)
        for selector in self._rules.content:
            texts = [text for text in selector.texts(page) if text]
            if texts:
                return "\n".join(texts)
        return _found_text(tree)

    def _language(self, tree: LexborHTMLParser, of_meta: str, of_header: Iterable[str]) -> str:
        attributes = tree.root.attributes if tree.root is not None else {}
        for stated in (
            attributes.get("lang"),
            attributes.get("xml:lang"),
            of_meta,
            ",".join(of_header),
        ):
            language = primary_language(stated)
            if language:
                return language
        return self._rules.default_language


def primary_language(tag: str | None) -> str:
    """The primary subtag of a language tag in lower case (BCP 47), "" for none or for several."""
    primary = (tag or "").strip().replace("_", "-").partition("-")[0].lower()
    return primary if primary.isalpha() and 2 <= len(primary) <= 8 else ""


def _depth_warnings(url: str, was_flattened: bool) -> tuple[str, ...]:
    if not was_flattened:
        return ()
    return (
        f"{url} nests elements deeper than {MAX_DEPTH}: what is below stays as text and links,"
        " without its structure.",
    )


def _make_readable(nodes: PageNodes, left_out: list[LexborNode]) -> None:
    """Leave in the tree only what holds text, in a form in which each "<" is a tag."""
    ids = {node.mem_id for node in left_out}
    for node in nodes[Group.AS_WRITTEN]:
        if node.mem_id not in ids and not is_inside(node, ids):
            node.replace_with(node.text())
    for node in left_out:
        node.decompose()


def _found_text(tree: LexborHTMLParser) -> str:
    """The main part's text, or else the body's without its furniture, or else all there is."""
    text = _text_of(_main_part(tree))
    if text:
        return text
    whole = _text_of(tree.body)
    furniture = outermost(tree.css(_FURNITURE))
    if not furniture:
        return whole
    for node in furniture:
        node.decompose()
    return _text_of(tree.body) or whole


def _main_part(tree: LexborHTMLParser) -> LexborNode | None:
    main = tree.css_first(_MAIN)
    if main is not None:
        return main
    articles = outermost(tree.css("article"))
    return articles[0] if len(articles) == 1 else None


def _text_of(node: LexborNode | None) -> str:
    return text_of_markup(node.html or "") if node is not None else ""


def _headings(nodes: PageNodes, left_out: list[LexborNode]) -> Iterable[str]:
    ids = {node.mem_id for node in left_out}
    for node in nodes[Group.HEADING][:_MOST_HEADINGS]:
        text = "" if node.mem_id in ids or is_inside(node, ids) else one_line(node.text())
        if text:
            yield text
