"""Pages nested so deeply that parsing them would take minutes.

An HTML parser asks, at many a start tag, which elements are open: its time grows with the square
of the depth (100,000 nested ``div`` elements: 30 s). Browsers stop nesting at 512. Here the tags of
containers below a much larger depth are dropped before parsing, and their text and links stay.
"""

from __future__ import annotations

import operator
import re
from itertools import accumulate

from site_indexer.crawling.last_tag import end_of_last_tag
from site_indexer.crawling.tag_counts import tag_counts, tag_names

# With fewer containers a page costs little however they are nested; one with fewer tags, or
# shorter than so many of the shortest, cannot have as many.
_MOST_TAGS_UNCHECKED = 4_000
_MOST_CHARACTERS_UNCHECKED = 3 * _MOST_TAGS_UNCHECKED
MAX_DEPTH = 2_000
# Containers, which pages nest; elements whose end tag may be missing would be counted wrongly.
_CONTAINERS = (
    "address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure"
    "|footer|form|h1|h2|h3|h4|h5|h6|header|hgroup|listing|main|menu|nav|ol|pre|search|section|span"
    "|summary|table|tbody|ul|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u"
)
_NAMES = _CONTAINERS.split("|")
_STEPS = {**dict.fromkeys(_NAMES, 1), **{f"/{name}": -1 for name in _NAMES}}
_CONTAINER_TAG = re.compile(rf"<(/?)(?:{_CONTAINERS})(?=[\s/>])[^>]*+>", re.IGNORECASE)


def flattened(html: str) -> tuple[str, bool]:
    """The markup with containers nested deeper than ``MAX_DEPTH`` opened up, and whether any was.

    A dropped tag leaves a space, so that words are not glued.
    """
    if len(html) < _MOST_CHARACTERS_UNCHECKED or html.count("<") < _MOST_TAGS_UNCHECKED:
        return html, False
    tags = tag_counts(html)
    if sum(tags[name] for name in _NAMES) < _MOST_TAGS_UNCHECKED or _depth(html) <= MAX_DEPTH:
        return html, False
    depth = 0

    def keep_or_drop(match: re.Match[str]) -> str:
        nonlocal depth
        if match[1]:
            drop = depth > MAX_DEPTH
            depth = max(0, depth - 1)
        else:
            depth += 1
            drop = depth > MAX_DEPTH
        return " " if drop else match[0]

    end = end_of_last_tag(html)
    return _CONTAINER_TAG.sub(keep_or_drop, html[:end]) + html[end:], True


def _depth(html: str) -> int:
    """How deep containers are nested; end tags of what is not open count for nothing."""
    names = tag_names(html)
    step_of = {name: _STEPS.get(name.lower(), 0) for name in set(names)}
    levels = list(accumulate(map(step_of.__getitem__, names), initial=0))
    depth: int = max(map(operator.sub, levels, accumulate(levels, min)))
    return depth
