"""The catalogue: enough pages, in four languages, each complete."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, date, datetime

import pytest

from demo_site.catalogue import LANGUAGES, Page, catalogue, instant, page_of
from site_indexer.urls import normalize

SITE = catalogue()
PAGES = list(SITE.pages.values())
# How much of a page's text must be in letters of its language's script.
LETTERS = {"zh": re.compile(r"[\u4e00-\u9fff]"), "ar": re.compile(r"[\u0600-\u06ff]")}


def test_there_are_enough_pages_in_every_language() -> None:
    counts = Counter(page.language for page in PAGES)
    assert set(counts) == set(LANGUAGES)
    assert sum(counts.values()) >= 120
    assert min(counts.values()) >= 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_every_page_is_complete(page: Page) -> None:
    assert page.title.strip() == page.title != ""
    assert len(page.description) > 5
    assert page.date.tzinfo is UTC
    assert page.body.count("<p>") + page.body.count("<ul>") + page.body.count("<pre>") > 0
    letters = LETTERS.get(page.language)
    if letters:
        assert len(letters.findall(page.body)) > 20


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.path)
def test_paths_are_normalized(page: Page) -> None:
    url = f"http://127.0.0.1:8300{page.path}"
    assert normalize(url) == url


def test_titles_are_unique_within_a_language() -> None:
    # But for the print version, which is the same page.
    titles = Counter(
        (page.language, page.title) for page in PAGES if not page.path.endswith("-print.html")
    )
    assert [title for title, count in titles.items() if count > 1] == []


def test_the_archive_spans_years_and_all_ways_to_state_a_date() -> None:
    years = {page.date.year for page in PAGES if page.section == "archive"}
    assert len(years) >= 12
    assert {page.statement.value for page in PAGES} == {
        "date",
        "last-modified",
        "article:modified_time",
        "json-ld",
        "none",
    }


def test_sections_in_the_navigation_are_pages() -> None:
    for edition in SITE.editions.values():
        assert edition.home in SITE.pages
        for section in edition.sections:
            assert SITE.pages[section.path].lists_section


def test_a_day_means_ten_in_the_morning_utc() -> None:
    assert instant(date(2020, 5, 4)) == datetime(2020, 5, 4, 10, tzinfo=UTC)


def test_a_page_whose_server_date_is_not_given_has_its_own() -> None:
    page = page_of(
        "en",
        {"path": "/x", "title": "X", "description": "X", "body": "", "date": date(2020, 5, 4)},
    )
    assert page.server_date == page.date
