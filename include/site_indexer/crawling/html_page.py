"""Reading an HTML page: few passes over one parsed tree (docs/spec/04-crawling.md, 4.6).

Parsed by lexbor as browsers parse, so that nothing is lost to a limit of depth or size
(docs/adr/0007-html-parser.md).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_indexer.crawling.deep_nesting import MAX_DEPTH, flattened
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_head import HeadReader
from site_indexer.crawling.page_links import Links, read_links
from site_indexer.crawling.page_text import one_line, text_of_markup
from site_indexer.crawling.selectors import ParsedPage, Selector, outermost

# What holds no text for readers. xmp and plaintext hold text in which a "<" is no tag.
_NOT_TEXT = (
    "script,style,noscript,template,iframe,noembed,noframes,svg,canvas,audio,video,object,nav"
    ',[role="navigation" i],[hidden]:not([hidden="until-found" i])'
)
_AS_WRITTEN = "xmp,plaintext"
_MAIN = 'main,[role="main" i]'
_FURNITURE = 'footer,[role="contentinfo" i]'
_HEADINGS = "h1,h2,h3,h4,h5,h6"
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
        self._not_text = ",".join((_NOT_TEXT, *rules.leave_out))

    def read(self, markup: str, url: str, headers: Mapping[str, Sequence[str]]) -> ExtractedPage:
        """The page that came from the normalized ``url``, already decoded.

        ``headers`` as :meth:`HeadReader.read` takes them, and ``content-language``.
        """
        markup, was_flattened = flattened(markup)
        tree = LexborHTMLParser(markup)
        head = self._head.read(tree, url, headers)
        links: Links = read_links(tree, head.base, url, self._rules.resolver)
        warnings = list(head.warnings)
        if was_flattened:
            warnings.append(
                f"{url} nests elements deeper than {MAX_DEPTH}: what is below stays as text"
                " and links, without its structure."
            )
        page = ParsedPage(tree, markup)
        fields = self._fields(page)
        self._leave_out(tree)
        headings = tuple(_headings(tree))
        return ExtractedPage(
            title=head.title or (headings[0] if headings else ""),
            description=head.description,
            headings=headings,
            text=self._text(page),
            language=self._language(tree, head.language, headers.get("content-language", ())),
            canonical=head.canonical,
            refresh=head.refresh,
            date=head.date,
            date_source=head.date_source,
            links=links.all,
            followable=links.followable,
            directives=head.directives,
            fields=fields,
            warnings=tuple(warnings),
        )

    def _fields(self, page: ParsedPage) -> dict[str, str | list[str]]:
        fields: dict[str, str | list[str]] = {}
        for name, selector in (self._rules.fields or {}).items():
            values = selector.values(page)
            if values:
                fields[name] = values[0] if len(values) == 1 else values
        return fields

    def _leave_out(self, tree: LexborHTMLParser) -> None:
        for node in tree.css(_AS_WRITTEN):
            node.replace_with(node.text())
        _remove(tree.css(self._not_text))

    def _text(self, page: ParsedPage) -> str:
        for selector in self._rules.content:
            texts = [text for text in selector.texts(page) if text]
            if texts:
                return "\n".join(texts)
        return _found_text(page.tree)

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


def _found_text(tree: LexborHTMLParser) -> str:
    """The main part's text, or else the body's without its furniture, or else all there is."""
    article = tree.css_first(_MAIN)
    if article is None:
        articles = outermost(tree.css("article"))
        article = articles[0] if len(articles) == 1 else None
    text = _text_of(article)
    if text:
        return text
    whole = _text_of(tree.body)
    furniture = tree.css(_FURNITURE)
    if not furniture:
        return whole
    _remove(furniture)
    return _text_of(tree.body) or whole


def _text_of(node: LexborNode | None) -> str:
    return text_of_markup(node.html or "") if node is not None else ""


def _headings(tree: LexborHTMLParser) -> Iterable[str]:
    for node in tree.css(_HEADINGS)[:_MOST_HEADINGS]:
        text = one_line(node.text())
        if text:
            yield text


def _remove(nodes: list[LexborNode]) -> None:
    # A node inside a removed one is freed with it and must not be touched again.
    for node in outermost(nodes):
        node.decompose()
