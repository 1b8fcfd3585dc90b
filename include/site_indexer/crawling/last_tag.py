"""Where the last tag of a page ends.

An expression for tags (``<b[^>]*+>``) searches on to the end of the page from each ``<`` that no
``>`` follows: with many of them for hours. Before the last ``>`` each finds its end, so that each
character is looked at once.
"""

from __future__ import annotations


def end_of_last_tag(html: str) -> int:
    """The place behind the last ``>``, 0 if there is none: tags are looked for before it only."""
    return html.rfind(">") + 1
