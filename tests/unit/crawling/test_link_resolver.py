from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.errors import UrlError
from site_indexer.urls import SiteHosts, normalize

pieces = st.sampled_from(
    [*"/?#a.:; \t\n\\é", "//", "b.html", "..", "http:", "https://", "h.test", "x.test:8080", "%7E"]
)
hrefs = st.lists(pieces, max_size=6).map("".join)
bases = st.sampled_from(
    ["https://h.test/", "https://h.test/a/b/c.html?x=/y/z", "http://h.test:81/a", "http://h.test/?"]
)


@given(st.lists(st.tuples(hrefs, bases), max_size=12))
def test_what_is_remembered_is_what_normalizing_gives(links: list[tuple[str, str]]) -> None:
    resolver = LinkResolver(SiteHosts(["h.test"]))
    for href, base in links + links:
        try:
            expected: str | None = normalize(href, base)
        except UrlError:
            expected = None
        assert resolver.resolve(href, base) == expected


def test_same_site_is_told_by_host_and_port() -> None:
    resolver = LinkResolver(SiteHosts(["h.test", "other.test:8080"]))
    assert resolver.is_same_site("https://h.test/x")
    assert resolver.is_same_site("http://other.test:8080/")
    assert not resolver.is_same_site("http://other.test/")
    assert not resolver.is_same_site("https://sub.h.test/")
