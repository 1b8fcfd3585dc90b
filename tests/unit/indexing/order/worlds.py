"""Random websites, scripts and indexes that are small enough for everything to meet."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from hypothesis import strategies as st

from site_indexer.index_script.model import Action, Command
from site_indexer.urls import MaskKind, SiteHosts
from tests.unit.indexing.order.small_site import HOST, START, Kind, Page

URLS = tuple(f"{HOST}/{name}" for name in ("a", "ab", "a/x", "b", "b/x", "c"))
MASKS = (
    *(f"{HOST}/", f"{HOST}/a", f"{HOST}/a/", f"{HOST}/b", f"{HOST}/c"),
    *("*x", "*/a*", "*b*", "*", "regexp b$", "regexp /[ab]/", "regexp c"),
)
DAY = dt.timedelta(days=1)
DATES = st.sampled_from([None, None, START - 400 * DAY, START - 10 * DAY, START - DAY])


HOSTS = SiteHosts([HOST])


@dataclass(frozen=True)
class Site:
    """A site as planning sees it."""

    id: str = "small"
    hosts: SiteHosts = HOSTS
    entry_points: tuple[str, ...] = ()
    masks: tuple[Command, ...] = ()
    zone: dt.tzinfo = dt.UTC


BARE = Site()
SITES = st.sampled_from(
    [
        BARE,
        Site(entry_points=(f"{HOST}/",)),
        Site(
            entry_points=(f"{HOST}/a",),
            masks=(Command(1, Action.EXCLUDE, mask="*/b/x", mask_kind=MaskKind.WILDCARD),),
        ),
    ]
)

LINKS = st.lists(st.sampled_from(URLS), max_size=3).map(tuple)
PAGES = st.builds(
    Page,
    kind=st.just(Kind.PAGE),
    links=LINKS,
    version=st.integers(1, 2),
    noindex=st.sampled_from([False] * 5 + [True]),
    nofollow=st.sampled_from([False] * 5 + [True]),
    own_date=DATES,
    server_date=DATES,
)
REDIRECTS = st.builds(
    Page,
    kind=st.sampled_from([Kind.MOVED, Kind.FOUND]),
    links=st.sampled_from(URLS).map(lambda url: (url,)),
)
FAILURES = st.sampled_from([Page(Kind.GONE), Page(Kind.FAILS)])
WEBSITES = st.fixed_dictionaries(
    {url: st.one_of(PAGES, PAGES, PAGES, REDIRECTS, FAILURES) for url in URLS}
)

STORED = st.dictionaries(
    st.sampled_from(URLS), st.builds(Page, links=LINKS, version=st.integers(0, 2)), max_size=4
)

FLAGS = st.sampled_from(["", "", "", " nofollow", " noindex", " nofollow noindex"])
MASK = st.sampled_from(MASKS)
URL = st.sampled_from(URLS)
LINES = st.one_of(
    st.builds("add {}{}".format, URL, FLAGS),
    st.builds("add {}{}".format, URL, FLAGS),
    st.builds("update {}{}".format, MASK, FLAGS),
    st.builds("update {}{}".format, MASK, FLAGS),
    st.builds("delete {}".format, URL),
    st.builds("delete {} {}".format, URL, URL),
    st.builds("deletemask {}".format, MASK),
    st.builds("exclude {}".format, MASK),
    st.builds("include {}{}".format, MASK, FLAGS),
    st.builds(
        "{} {}{}".format,
        st.sampled_from(["exclude-days 5", "exclude-date 2024-06-10"]),
        MASK,
        st.sampled_from(["", " server-date"]),
    ),
    st.builds(
        "{} {}{}{}".format,
        st.sampled_from(["include-days 5", "include-date 2024-06-10"]),
        MASK,
        FLAGS,
        st.sampled_from(["", " server-date"]),
    ),
)
BLOCKS = st.lists(LINES, min_size=1, max_size=5)
