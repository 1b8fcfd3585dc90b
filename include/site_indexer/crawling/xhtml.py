"""XHTML sent as XML: rewritten as HTML, so that one extractor reads both.

An HTML parser takes ``<script/>`` for a start tag and swallows the page; so what is well-formed
XML is parsed as XML, without entities or DTDs being loaded, and written out as HTML. What is not
well-formed is read as HTML, where a browser would show an error.
"""

from __future__ import annotations

import html.entities
import re

from lxml import etree

from site_indexer.crawling.costly_markup import MAX_TAGS

_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]*);")
_XML_OWN = frozenset({"amp", "lt", "gt", "quot", "apos"})
_DECLARATION = "<?xml"
_XHTML = "{http://www.w3.org/1999/xhtml}"


def html_of_xhtml(markup: str) -> str:
    """The HTML form of XHTML markup; what has too many tags to be held twice stays as it is."""
    if markup.count("<") > MAX_TAGS:
        return markup
    text = _ENTITY.sub(_numbered, _without_declaration(markup))
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True, encoding="utf-8"
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return markup
    for element in root.iter(f"{_XHTML}*"):
        element.tag = element.tag.removeprefix(_XHTML)
    etree.cleanup_namespaces(root)
    return etree.tostring(root, encoding="unicode", method="html")


def _without_declaration(markup: str) -> str:
    """The markup without its XML declaration, and the white space before it."""
    start = markup.find(_DECLARATION)
    end = markup.find(">", start)
    if start < 0 or end < 0 or markup[end - 1] != "?":
        return markup
    return markup[:start].rstrip() + markup[end + 1 :]


def _numbered(match: re.Match[str]) -> str:
    """A named character of HTML as numbers: XML without its DTD knows five names."""
    if match[1] in _XML_OWN:
        return match[0]
    characters = html.entities.html5.get(f"{match[1]};")
    return "".join(f"&#{ord(c)};" for c in characters) if characters else match[0]
