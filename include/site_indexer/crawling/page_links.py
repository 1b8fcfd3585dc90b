"""The links of an HTML page (docs/spec/04-crawling.md, 4.7)."""

from __future__ import annotations

from collections.abc import Sequence

from selectolax.lexbor import LexborNode

from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_text import one_line, text_of_markup
from site_indexer.values import value_object

_LONGEST_TEXT = 100


@value_object
class Links:
    """Normalized links, each once, in the order of the page.

    ``all`` are all http(s) ones; ``followable`` those on the site's hosts that are not
    ``rel=nofollow`` wherever they stand.
    """

    all: tuple[str, ...]
    followable: tuple[str, ...]


def read_links(nodes: Sequence[LexborNode], base: str, url: str, resolver: LinkResolver) -> Links:
    """The links of the page at ``url``; a link to a fragment of the page itself is none.

    ``nodes`` are the elements that may be links, in the order of the page.
    """
    followed: dict[str, bool] = {}
    same_site: dict[str, bool] = {}
    resolve = resolver.on(base)
    for node in nodes:
        attributes = node.attributes
        href = attributes.get("href") if node.tag != "frame" else attributes.get("src")
        target = resolve(href) if href is not None else None
        if href is None or target is None or (target.url == url and "#" in href):
            continue
        rel = attributes.get("rel")
        follow = not rel or "nofollow" not in rel.lower().split()
        followed[target.url] = followed.get(target.url, False) or follow
        same_site[target.url] = target.same_site
    return Links(
        tuple(followed),
        tuple(target for target, follow in followed.items() if follow and same_site[target]),
    )


def anchor_texts(
    nodes: Sequence[LexborNode], base: str, url: str, resolver: LinkResolver
) -> dict[str, str]:
    """The text of each link of :func:`read_links`, by URL in the same order; "" for none.

    On one line, of up to 100 characters; where a link has no text, that of its images. Of several
    links to a URL the first with a text counts. For people who look at a page: a crawl does not
    ask, as each takes some time.
    """
    texts: dict[str, str] = {}
    around_others = _around_others(nodes)
    for node in nodes:
        for target in read_links([node], base, url, resolver).all:
            text = texts.get(target)
            # That of a link which was never closed would be half of the page.
            texts[target] = text or ("" if node.mem_id in around_others else _anchor_text(node))
    return texts


def _around_others(nodes: Sequence[LexborNode]) -> set[int]:
    """The ``mem_id``s of all elements that one of the nodes stands in."""
    around: set[int] = set()
    for node in nodes:
        parent = node.parent
        while parent is not None and parent.mem_id not in around:
            around.add(parent.mem_id)
            parent = parent.parent
    return around


def _anchor_text(node: LexborNode) -> str:
    alternatives = (each.attributes.get("alt") for each in (node, *node.css("img")))
    text = one_line(text_of_markup(node.html or "")) or one_line(
        " ".join(filter(None, alternatives))
    )
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 3].rstrip()}..."
