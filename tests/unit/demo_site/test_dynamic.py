"""Pages made from a query."""

from __future__ import annotations

import re

import pytest

from demo_site.catalogue import catalogue
from demo_site.website import Website

BASE = "http://127.0.0.1:8300"
SITE = Website(catalogue(), BASE)


def text(target: str) -> str:
    answer = SITE.answer(target)
    assert answer.status == 200, target
    return answer.body.decode()


def canonical(target: str) -> str:
    match = re.search(r'<link rel="canonical" href="([^"]*)">', text(target))
    assert match
    return match[1].removeprefix(BASE).replace("&amp;", "&")


@pytest.mark.parametrize(
    ("target", "names"),
    [
        ("/catalog", "/catalog"),
        ("/catalog?sort=year", "/catalog"),
        ("/catalog?item=12", "/catalog?item=12"),
        ("/catalog?item=12&view=full", "/catalog?item=12&view=full"),
        ("/catalog?view=full&item=12", "/catalog?item=12&view=full"),
        ("/catalog?item=12&view=print", "/catalog?item=12"),
        ("/en/calendar", "/en/calendar"),
        ("/en/calendar?month=2024-12", "/en/calendar?month=2024-12"),
    ],
)
def test_canonical_of_a_dynamic_page(target: str, names: str) -> None:
    assert canonical(target) == names


def test_the_list_can_be_sorted() -> None:
    def order(target: str) -> list[str]:
        return re.findall(r"<td>(\d{4})</td>", text(target))

    assert order("/catalog?sort=year") == sorted(order("/catalog"))
    assert order("/catalog?sort=name") != order("/catalog?sort=year")


def test_the_full_record_says_more() -> None:
    assert "knitting needle" in text("/catalog?item=12&view=full")
    assert "knitting needle" not in text("/catalog?item=12")


@pytest.mark.parametrize(
    "target",
    [
        "/catalog?item=13",
        "/catalog?item=x",
        "/catalog?item=%C2%B2",
        "/en/calendar?month=1492-10",
        "/en/calendar?month=soon",
        "/en/calendar?month=2024-13",
    ],
)
def test_what_there_is_not(target: str) -> None:
    assert SITE.answer(target).status == 404


def test_the_search_finds_and_escapes_and_is_not_for_robots() -> None:
    answer = SITE.answer("/search?q=limpets")
    assert ("X-Robots-Tag", "noindex, nofollow") in answer.headers
    assert "/en/visit/school-groups.html" in answer.body.decode()
    assert "&lt;b&gt;" in text("/search?q=%3Cb%3E")
    assert "0 pages found" in text("/search")


@pytest.mark.parametrize(
    ("month", "before", "after"),
    [("2025-01", "2024-12", "2025-02"), ("2025-12", "2025-11", "2026-01")],
)
def test_the_calendar_leads_on(month: str, before: str, after: str) -> None:
    links = re.findall(r"month=(\d{4}-\d\d)\">Month", text(f"/en/calendar?month={month}"))
    assert links == [before, after]
