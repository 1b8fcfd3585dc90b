from __future__ import annotations

import pytest

from site_indexer.crawling.limits import Limits, trap_of
from site_indexer.crawling.model import CrawlSettings


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def limits(clock: Clock) -> Limits:
    settings = CrawlSettings(
        site="s", user_agent="a", hosts=("h.test",), max_pages=10, max_minutes=2, max_depth=3
    )
    return Limits(settings, clock)


def test_pages() -> None:
    found = limits(Clock())
    found.pages_before = 4
    assert [found.budget(submitted) for submitted in (0, 5, 6, 9)] == [6, 1, 0, 0]
    assert found.sentence(0, 0) is None
    assert found.sentence(7, 0) == "max_pages (10) is reached: 7 known URLs are not fetched"


def test_minutes() -> None:
    clock = Clock()
    found = limits(clock)
    clock.now += 119
    assert found.budget(0) == 10
    clock.now += 1
    assert found.budget(0) == 0
    assert found.sentence(7, 0) == "max_minutes (2) is reached: 7 known URLs are not fetched"


def test_depth_is_named_beside_the_others() -> None:
    assert limits(Clock()).sentence(1, 2) == (
        "max_pages (10) is reached: 1 known URLs are not fetched;"
        " max_depth (3) is reached: 2 URLs further down are not fetched"
    )


def test_links_that_were_not_kept_are_named() -> None:
    found = limits(Clock())
    assert found.most_queued == 10_040
    assert (found.sentence(0, 0, 7) or "").startswith("more than 10040 URLs wait: 7 links")


@pytest.mark.parametrize(
    ("paths", "trap"),
    [
        (["calendar/2024/01", "calendar/2024/02", "a", "calendar/2025"], ("calendar/", 3)),
        (["list?sid=1", "list?sid=2", "b"], ("list?", 2)),
        (["?day=1", "?day=2", "b"], ("?", 2)),
        (["a", "b", "c"], None),
        (["x/x/x/", "x/x/x/x/"], ("x/", 2)),
        ([], None),
    ],
)
def test_where_most_of_what_was_left_begins(paths: list[str], trap: tuple[str, int] | None) -> None:
    wanted = trap and (f"https://h.test/{trap[0]}", trap[1])
    assert trap_of(f"https://h.test/{path}" for path in paths) == wanted
