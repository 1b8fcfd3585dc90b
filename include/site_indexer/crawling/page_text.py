"""The text of a part of a page: blocks on lines of their own, words never glued, never split.

The parser writes the part out as well-formed markup, and a few expressions over that are quicker
than a walk over the nodes (docs/adr/0007-html-parser.md). Raw-text elements must be out of the
tree already: in them a ``<`` is no tag.
"""

from __future__ import annotations

import re

# Elements that stand inside a word or a sentence (HTML, 15.3.4): their tags separate nothing.
_INLINE = (
    "a|abbr|acronym|b|bdi|bdo|big|cite|code|data|del|dfn|em|font|i|ins|kbd|label|mark|nobr|q|rb"
    "|ruby|s|samp|small|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_REST_OF_TAG = r'[^">]*+(?:"[^"]*+"[^">]*+)*+>'
_INLINE_TAG = re.compile(rf"</?(?:{_INLINE})(?:>|\s{_REST_OF_TAG})|<!--.*?-->", re.S)
_REPLACED_TAG = re.compile(rf"<(?:img|input|button|/button)(?:>|\s{_REST_OF_TAG})")
_OTHER_TAG = re.compile(rf"<{_REST_OF_TAG}")
# What the parser writes for characters that markup needs; the ampersand must come last.
_ESCAPES = (("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&"))


def text_of_markup(markup: str) -> str:
    """The text of serialized markup: one line a block, single spaces, no white space around."""
    # Line ends of the source are spaces; from here on a line end means the end of a block.
    text = markup.replace("\n", " ").replace("\t", " ").replace("\r", " ")
    text = _INLINE_TAG.sub("", text)
    text = _REPLACED_TAG.sub(" ", text)
    text = _OTHER_TAG.sub("\n", text)
    if "&" in text:
        for escape, character in _ESCAPES:
            text = text.replace(escape, character)
    return tidy(text)


def tidy(text: str) -> str:
    """Single spaces and single line ends; soft hyphens and byte order marks are dropped."""
    text = text.replace("\u00ad", "").replace("\ufeff", "").replace("\u00a0", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


def one_line(text: str | None) -> str:
    """A text with all its white space as single spaces; "" for None."""
    return " ".join(text.replace("\u00ad", "").split()) if text else ""
