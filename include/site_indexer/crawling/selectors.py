"""A site's own selectors: CSS, or XPath with a leading ``/`` (docs/spec/07-site-definition.md).

CSS runs on the parsed page. XPath needs lxml, which reads the page a second time, so only sites
that write XPath pay for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lxml import etree, html
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from site_indexer.crawling.extracted import UnreadableError
from site_indexer.crawling.page_nodes import outermost
from site_indexer.crawling.page_text import one_line, text_of_markup
from site_indexer.errors import ConfigurationError

_RAW_TEXT = ("script", "style", "noscript", "template", "iframe", "xmp", "plaintext")
_MOST_VALUES = 100
_NAME = re.compile(r"(?<![$@:\w\-'\".])[A-Za-z_][\w.-]*+(?![\w.(:-])")


class ParsedPage:
    """One page, parsed once for CSS and, if asked for, once more for XPath.

    ``markup`` is what XPath sees.
    """

    def __init__(self, tree: LexborHTMLParser, markup: str) -> None:
        self.tree = tree
        self._markup = markup

    @classmethod
    def of(cls, markup: str) -> ParsedPage:
        """The page with that markup."""
        return cls(LexborHTMLParser(markup), markup)

    @cached_property
    def document(self) -> etree._Element:
        """The lxml tree, without what holds no text."""
        parser = html.HTMLParser(huge_tree=True, no_network=True, encoding="utf-8")
        body = self._markup.encode("utf-8", "replace").strip()
        document = html.document_fromstring(body or b"<html/>", parser=parser)
        etree.strip_elements(document, *_RAW_TEXT, with_tail=False)
        return document


@dataclass(frozen=True, slots=True)
class Selector:
    """One selector, checked. ``attribute`` is the name in ``::attr(name)``; None takes text."""

    expression: str
    attribute: str | None = None

    @property
    def is_xpath(self) -> bool:
        """XPath is told from CSS by its leading slash."""
        return self.expression.startswith("/")

    def texts(self, page: ParsedPage) -> list[str]:
        """The text of every part of the page that fits, parts inside others left out."""
        if self.is_xpath:
            return [_xpath_text(value) for value in self._xpath(page)]
        nodes = outermost(page.tree.css(self.expression))
        return [text_of_markup(node.html or "") for node in nodes]

    def values(self, page: ParsedPage) -> list[str]:
        """What a field takes from the page: texts or attributes on one line, none empty."""
        if self.is_xpath:
            found: Iterable[str | None] = (_xpath_text(value) for value in self._xpath(page))
        elif self.attribute is not None:
            nodes = page.tree.css(self.expression)
            found = (node.attributes.get(self.attribute) for node in nodes)
        else:
            found = (text_of_markup(node.html or "") for node in page.tree.css(self.expression))
        return [value for text in found if (value := one_line(text))][:_MOST_VALUES]

    def _xpath(self, page: ParsedPage) -> list[Any]:
        try:
            result = page.document.xpath(self.expression)
        except etree.XPathError as error:
            # Only some pages may reach the part of it that is wrong.
            raise UnreadableError(
                f"The selector {self.expression} cannot be evaluated on this page ({error}).",
                hint="Mend it in the section extract of the site file.",
            ) from None
        return result if isinstance(result, list) else [result]


def selector(text: str, *, what: str) -> Selector:
    """Check and return a selector as a site definition writes it.

    ``what`` names the setting for the error. Raises
    :class:`~site_indexer.errors.ConfigurationError` for what is neither CSS nor XPath.
    """
    expression, attribute = _split(text.strip())
    try:
        if expression.startswith("/"):
            etree.XPath(expression)(_sample(expression))
        else:
            LexborHTMLParser("<p>").css(expression)
    except (SelectolaxError, etree.XPathError) as error:
        raise ConfigurationError(
            f"{what}: {text!r} is no selector ({error}).",
            hint="Write a CSS selector, or an XPath expression that starts with a slash.",
            selector=text,
        ) from None
    return Selector(expression, attribute)


def css_selector(text: str, *, what: str) -> str:
    """Check and return a selector that must be CSS; raises ConfigurationError as above."""
    if text.strip().startswith("/"):
        raise ConfigurationError(
            f"{what}: {text!r} is XPath, and only CSS selectors can be used here.",
            hint="Write a CSS selector, such as .cookie-banner.",
            selector=text,
        )
    return selector(text, what=what).expression


def _sample(expression: str) -> etree._Element:
    """A page with the elements that an XPath expression names, each in the one named before.

    Functions and variables that are unknown are noticed only where a step that asks for them is
    reached.
    """
    names = dict.fromkeys(("html", "body", *_NAME.findall(expression)))
    root = element = etree.Element("html")
    for name in list(names)[1:]:
        element = etree.SubElement(element, name)
        element.text = "text"
    return root


def _split(text: str) -> tuple[str, str | None]:
    if text.endswith("::text"):
        return text.removesuffix("::text"), None
    expression, mark, rest = text.partition("::attr(")
    return (expression, rest.rstrip(")").strip()) if mark and rest.endswith(")") else (text, None)


def _xpath_text(value: object) -> str:
    if isinstance(value, etree._Element):
        return text_of_markup(
            html.tostring(value, encoding="unicode", method="html", with_tail=False)
        )
    return str(value)
