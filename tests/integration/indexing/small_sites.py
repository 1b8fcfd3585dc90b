"""Sites of a few pages of their own, for tests that care for numbers of documents."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from demo_site.faults import Fault
from site_indexer.index_store.names import Target
from tests.integration.indexing.conftest import Workbench

FIRST_DAY = dt.datetime(2026, 1, 1, 10, tzinfo=dt.UTC)


def day(number: int) -> dt.datetime:
    """The date of block ``number``; the first is 0."""
    return FIRST_DAY + dt.timedelta(days=number)


def script_of(*blocks: Sequence[str]) -> list[str]:
    """The lines of a script with these blocks, one a day."""
    lines: list[str] = []
    for number, block in enumerate(blocks):
        lines += [f"date {day(number):%a, %d %b %Y %H:%M:%S} GMT", *block, ""]
    return lines


def serve(workbench: Workbench, numbers: Iterable[int], *, status: int = 200) -> None:
    """Let the site have these small pages, or answer for them with another status."""
    for number in numbers:
        body = f"<html><title>Page {number}</title><main>Text of page {number}.</main></html>"
        workbench.web.faults.set(
            f"/p/{number}",
            Fault(status, body.encode(), (("Content-Type", "text/html; charset=utf-8"),)),
        )


def adding(numbers: Iterable[int]) -> list[str]:
    """The lines that add them."""
    return [f"add {{web}}/p/{number} nofollow" for number in numbers]


def pages(workbench: Workbench, target: Target = Target.LIVE) -> set[int]:
    """The numbers of the pages that searchers see."""
    found = (url.rpartition("/p/")[2] for url in workbench.documents(target))
    return {int(number) for number in found}
