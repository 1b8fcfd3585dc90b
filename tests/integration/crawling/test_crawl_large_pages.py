"""Large pages are read in a process of their own, and no more are asked for than fit there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from site_indexer.crawling import page_reading
from tests.integration.crawling.crawling_case import Case
from tests.integration.crawling.small_site import small_site


@pytest.fixture
def case() -> Iterator[Case]:
    with small_site() as site:
        yield Case(site)


def test_large_pages_wait_to_be_read_and_all_are(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reading, "_MOST_UNREAD_BYTES", 2**20)
    links = [f"/large/{n}" for n in range(20)]
    case.site.page("/", links=links)
    for path in links:
        case.site.page(path, f"{path} {'word ' * 2**18}")
    counts = case.run(concurrency=4)
    assert counts.fetched == 21
    assert case.stored() == sorted(["/", *links])
