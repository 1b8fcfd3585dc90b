"""Markup that keeps a parser busy for minutes, though few people would ever see the difference.

An HTML parser looks for each attribute among those that its element has, and at each ``option`` at
the elements that are open: its time grows with the square of their number (2 MB of attributes in
one tag: 20 minutes, in which nothing else is crawled). What is beyond large limits is dropped
before parsing.
"""

from __future__ import annotations

import re

from site_indexer.crawling.last_tag import end_of_last_tag
from site_indexer.crawling.tag_counts import tag_counts

# In a shorter page there is no room for so much that it takes longer than a second or two.
_MOST_CHARACTERS_UNCHECKED = 60_000
_MOST_TAGS_UNCHECKED = 10_000
# A crowded tag is long, unless signs in its attributes make it look like several; only of large
# pages, which are few, each tag is looked at.
_LONGEST_TAG_UNCHECKED = 20_000
_MOST_CHARACTERS_WITHOUT_LONG_TAG = 200_000
MAX_ATTRIBUTES = 500
MAX_OPTIONS = 10_000
MAX_ROOTS = 100
MAX_TAGS = 300_000

# Possessive throughout, and a "<" inside names and values counts as an attribute more: so no
# character is looked at from more than MAX_ATTRIBUTES places, wherever a tag may begin. What is
# dropped never holds the end of a script or of a comment, whose words may look like attributes.
_NAME = r"<[a-zA-Z](?:[^\s/><]++|<(?![a-zA-Z]))*+(?=[\s/])"
_SEPARATOR = r"""(?>[\s/]++|(?<=["'])|(?=<))"""
_ATTRIBUTE = (
    r"""(?:<(?!/)[^\s/>=<]*+|[^\s/>=<]++)"""
    r"""(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'><][^\s><]*+)?+)?+"""
)
_NO_COMMENT_END = r"(?!(?<=--)>)"
_CROWDED_TAG = re.compile(
    rf"({_NAME}(?:{_SEPARATOR}{_ATTRIBUTE}){{{MAX_ATTRIBUTES}}}+)"
    rf"(?:{_SEPARATOR}{_ATTRIBUTE}{_NO_COMMENT_END})++"
)
# Their end tags may be missing, so it cannot be counted how deep they are.
_OPTIONS = "option|optgroup|rb|rp|rt|rtc"
_OPTION_TAG = re.compile(rf"</?(?:{_OPTIONS})(?=[\s/>])[^>]*+>", re.IGNORECASE)
# Without those whose content is no markup: it would become text if its end were missing.
_TAG = re.compile(
    r"</?(?!(?:script|style|textarea|title|template|noscript|iframe|xmp|noembed|noframes)[\s/>])"
    r"[a-zA-Z][^>]*+>",
    re.IGNORECASE,
)
# However often they stand in a page, all their attributes become those of one element.
_ROOTS = "html|body"
_ROOT_TAG = re.compile(rf"(<(?:{_ROOTS}))(?=[\s/>])[^>]*+>", re.IGNORECASE)


def thinned(html: str) -> tuple[str, tuple[str, ...]]:
    """The markup without what would be too much, and a sentence about each kind that was dropped.

    Text and links stay; a dropped tag leaves a space, so that words are not glued.
    """
    if len(html) < _MOST_CHARACTERS_UNCHECKED:
        return html, ()
    warnings: list[str] = []
    crowded = 0
    if _may_be_crowded(html):
        html, crowded = _CROWDED_TAG.subn(r"\1", html)
    if crowded:
        warnings.append(f"has tags with more than {MAX_ATTRIBUTES} attributes: others are dropped.")
    if html.count("<") >= _MOST_TAGS_UNCHECKED:
        html, options = _beyond(_OPTION_TAG, _OPTIONS, " ", 2 * MAX_OPTIONS, html)
        if options:
            warnings.append(f"has more than {MAX_OPTIONS} options: others are taken for text.")
        html, tags = _beyond(_TAG, None, " ", MAX_TAGS, html)
        if tags:
            warnings.append(
                f"has more than {MAX_TAGS} tags: of what is behind them the text stays, and {tags}"
                " tags, links among them, are dropped."
            )
        html, roots = _beyond(_ROOT_TAG, _ROOTS, r"\1>", MAX_ROOTS, html)
        if roots:
            warnings.append(f"has more than {MAX_ROOTS} html and body tags: others are left out.")
    return html, tuple(warnings)


def _may_be_crowded(html: str) -> bool:
    return (
        len(html) >= _MOST_CHARACTERS_WITHOUT_LONG_TAG
        or max(map(len, html.split(">"))) >= _LONGEST_TAG_UNCHECKED
    )


def _beyond(
    tag: re.Pattern[str], names: str | None, replacement: str, most: int, html: str
) -> tuple[str, int]:
    """Replace the tags behind the first ``most``; also returns how many those are.

    ``tag`` is an expression for tags of these ``names``, None for all.
    """
    counts = tag_counts(html)
    if names is None:
        found = counts.total()
    else:
        found = sum(counts[name] + counts[f"/{name}"] for name in names.split("|"))
    if found < most:
        return html, 0
    end = end_of_last_tag(html)
    for number, match in enumerate(tag.finditer(html, 0, end), 1):
        if number == most:
            tail, count = tag.subn(replacement, html[match.end() : end])
            return html[: match.end()] + tail + html[end:], count
    return html, 0
