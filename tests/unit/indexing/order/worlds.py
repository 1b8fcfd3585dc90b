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


def pages(links: st.SearchStrategy[tuple[str, ...]], in_six: int) -> st.SearchStrategy[Page]:
    """Pages, of which so many in six say noindex, and nofollow."""
    flags = st.sampled_from([False] * (6 - in_six) + [True] * in_six)
    return st.builds(
        Page,
        kind=st.just(Kind.PAGE),
        links=links,
        version=st.integers(1, 2),
        noindex=flags,
        nofollow=flags if in_six == 1 else st.just(False),
        own_date=DATES,
        server_date=DATES,
    )


PAGES = pages(LINKS, 1)
REDIRECTS = st.builds(
    Page,
    kind=st.sampled_from([Kind.MOVED, Kind.FOUND]),
    links=st.sampled_from(URLS).map(lambda url: (url,)),
)
FAILURES = st.sampled_from([Page(Kind.GONE), Page(Kind.FAILS)])
DENSE = st.one_of(PAGES, PAGES, PAGES, REDIRECTS, FAILURES)
# Where one link leads to a page, or none, it matters more whether that one is followed.
SPARSE = st.one_of(pages(st.sampled_from(URLS).map(lambda url: (url,)), 2), PAGES, REDIRECTS)
WEBSITES = st.one_of(
    st.fixed_dictionaries(dict.fromkeys(URLS, DENSE)),
    st.fixed_dictionaries(dict.fromkeys(URLS, SPARSE)),
)

STORED = st.dictionaries(
    st.sampled_from(URLS), st.builds(Page, links=LINKS, version=st.integers(0, 2)), max_size=4
)

FLAGS = st.sampled_from(["", "", "", " nofollow", " noindex", " nofollow noindex"])
MASK = st.sampled_from(MASKS)
URL = st.sampled_from(URLS)


def commands(
    url: st.SearchStrategy[str], mask: st.SearchStrategy[str], flags: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    """Lines of commands with such URLs and masks, and such flags on those that take them."""
    return st.one_of(
        st.builds("add {}{}".format, url, flags),
        st.builds("add {}{}".format, url, flags),
        st.builds("update {}{}".format, mask, flags),
        st.builds("update {}{}".format, mask, flags),
        st.builds("delete {}".format, url),
        st.builds("delete {} {}".format, url, url),
        st.builds("deletemask {}".format, mask),
    )


COMMANDS = commands(URL, MASK, FLAGS)
RULES = st.one_of(
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
GOES_ON = f"include {HOST}/"
FEW = st.sampled_from(URLS[:4])
ALIKE = commands(FEW, FEW | MASK, st.sampled_from([""] * 9 + [" nofollow"] * 3 + [" noindex"]))
LINES = st.one_of(COMMANDS, COMMANDS, RULES)
BLOCKS = st.lists(LINES, min_size=1, max_size=5)


def scripts(most: int) -> st.SearchStrategy[list[list[str]]]:
    """Blocks, up to so many: any, or such that judge alike but for one, perhaps."""
    return st.one_of(
        st.lists(BLOCKS, min_size=1, max_size=most),
        st.builds(
            _with_rules,
            st.lists(st.lists(ALIKE, min_size=1, max_size=3), min_size=2, max_size=most),
            (st.just([]) | st.lists(RULES, max_size=1)).map(lambda found: [*found, GOES_ON]),
            st.sampled_from([[], [], [], [0], [1], [2]]),
        ),
    )


def _with_rules(blocks: list[list[str]], rules: list[str], but_for: list[int]) -> list[list[str]]:
    return [block if number in but_for else [*block, *rules] for number, block in enumerate(blocks)]
