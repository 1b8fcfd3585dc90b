"""The links of an HTML page (docs/spec/04-crawling.md, 4.7)."""

from __future__ import annotations

from dataclasses import dataclass

from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.page_nodes import Group, PageNodes


@dataclass(frozen=True, slots=True)
class Links:
    """Normalized links, each once, in the order of the page.

    ``all`` are all http(s) ones; ``followable`` those on the site's hosts that are not
    ``rel=nofollow`` wherever they stand.
    """

    all: tuple[str, ...]
    followable: tuple[str, ...]


def read_links(nodes: PageNodes, base: str, url: str, resolver: LinkResolver) -> Links:
    """The links of the page at ``url``; a link to a fragment of the page itself is none."""
    followed: dict[str, bool] = {}
    same_site: dict[str, bool] = {}
    resolve = resolver.on(base)
    for node in nodes[Group.LINK]:
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
