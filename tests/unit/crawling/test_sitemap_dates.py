from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.sitemap_dates import SitemapDates
from site_indexer.masks.model import DocumentDates

URL = "https://h.test/a"
FEBRUARY = dt.datetime(2020, 2, 1, 12, tzinfo=dt.UTC)
MARCH = dt.datetime(2020, 3, 1, tzinfo=dt.timezone(dt.timedelta(hours=1)))
PAGE = PageFacts(Answer.PAGE)


def dates(*noted: dt.datetime, most: int = 10) -> SitemapDates:
    found = SitemapDates(most)
    for date in noted:
        found.note(URL, date)
    return found


def test_a_page_without_a_date_gets_the_latest() -> None:
    facts, document = dates(FEBRUARY, MARCH, FEBRUARY).complete(URL, PAGE, {"title": "a"})
    assert facts.dates == DocumentDates(own=MARCH)
    assert document == {"title": "a", "date": "2020-02-29T23:00:00Z", "date_source": "sitemap"}


def test_a_page_that_is_not_sent_is_judged_by_it() -> None:
    facts, document = dates(FEBRUARY).complete(URL, PAGE, None)
    assert (facts.dates.own, document) == (FEBRUARY, None)


@pytest.mark.parametrize(
    "facts",
    [
        PageFacts(Answer.PAGE, dates=DocumentDates(own=FEBRUARY)),
        PageFacts(Answer.PAGE, dates=DocumentDates(server=FEBRUARY)),
        PageFacts(Answer.GONE),
        PageFacts(Answer.REDIRECT),
        PageFacts(Answer.FAILED),
    ],
)
def test_nothing_else_does(facts: PageFacts) -> None:
    document = {"title": "a"}
    assert dates(MARCH).complete(URL, facts, document) == (facts, document)


def test_no_more_are_remembered_than_pages_can_wait() -> None:
    found = dates(FEBRUARY, most=1)
    found.note("https://h.test/b", FEBRUARY)
    found.note(URL, MARCH)
    assert found.complete("https://h.test/b", PAGE, None) == (PAGE, None)
    assert found.complete(URL, PAGE, None)[0].dates.own == MARCH
    assert found.complete(URL, PAGE, None) == (PAGE, None)
