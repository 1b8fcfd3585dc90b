"""The tags of a page, and how many there are of each name: whether it needs a closer look.

The closer looks are dear, and nearly no page needs one (``deep_nesting``, ``costly_markup``,
``costly_formatting``): together they took four times as long as parsing a page of 100 KB.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache

from site_indexer.crawling.last_tag import end_of_last_tag

# A parser finds no tag that this leaves out. What this takes for one tag ends at the first ">", and
# there, or behind it, ends whatever the parser has taken it for: a tag, a comment, a script.
_TAG = re.compile(r"<(/?[a-zA-Z][^\s/>]*+)[^>]*+>")


@lru_cache(maxsize=1)
def tag_names(html: str) -> list[str]:
    """The names of all tags in order, as they are written: ``div``, ``/div``.

    Some may be none, as they stand in comments and scripts. Looked for once for all that ask about
    one page.
    """
    found: list[str] = _TAG.findall(html, 0, end_of_last_tag(html))
    return found


@lru_cache(maxsize=1)
def tag_counts(html: str) -> Counter[str]:
    """How many tags there are of each name, in lower case."""
    counts: Counter[str] = Counter()
    for name, count in Counter(tag_names(html)).items():
        counts[name.lower()] += count
    return counts
