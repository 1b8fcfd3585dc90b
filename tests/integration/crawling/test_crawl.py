"""Crawls of small sites over real HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.integration.crawling.crawling_case import Case
from tests.integration.crawling.small_site import small_site


@pytest.fixture
def case() -> Iterator[Case]:
    with small_site() as site:
        yield Case(site)


def test_links_are_followed_from_page_to_page(case: Case) -> None:
    case.site.page("/", links=["/a", "/b#part", "https://elsewhere.test/"])
    case.site.page("/a", links=["/", "c"])
    case.site.page("/b")
    case.site.page("/c", links=["/missing"])

    counts = case.run()

    assert case.stored() == ["/", "/a", "/b", "/c"]
    assert (counts.fetched, counts.indexed, counts.errors) == (5, 4, 0)
    assert case.outcome("/missing") == "gone"
    assert case.sink.flushed
