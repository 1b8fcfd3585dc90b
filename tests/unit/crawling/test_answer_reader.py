from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

from site_indexer.crawling.answer_reader import AnswerReader, page_request
from site_indexer.crawling.extracted import EXTRACTOR_VERSION
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import StoredPage
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.responses import Failure, Request, Response
from site_indexer.urls import SiteHosts, document_id
from tests.unit.crawling.pages import URL, extractor, response

NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)


def stored(**more: Any) -> StoredPage:
    values: dict[str, Any] = {
        "url": URL,
        "document_id": document_id(URL),
        "etag": '"1"',
        "last_modified": "Fri, 01 Mar 2024 10:00:00 GMT",
        "content_digest": "digest",
        "extractor_version": EXTRACTOR_VERSION,
        "links": ("https://h.test/b",),
        "nofollow": False,
        "date": NOW,
        "server_date": None,
        "aliases": ("https://h.test/old",),
        "fetched_at": NOW,
        **more,
    }
    return StoredPage(**values)


def reader(*sitemaps: str) -> AnswerReader:
    return AnswerReader("s", extractor(), LinkResolver(SiteHosts(["h.test"])), set(sitemaps))


def test_validators_are_those_of_a_document_of_todays_extractor() -> None:
    assert page_request(URL, stored()) == Request(
        URL, etag='"1"', last_modified="Fri, 01 Mar 2024 10:00:00 GMT"
    )
    assert page_request(URL, stored(extractor_version="0")) == Request(URL)
    assert page_request(URL, None) == Request(URL)
    assert page_request(URL, stored(), method="HEAD") == Request(URL, method="HEAD")


def test_a_page_is_changed_if_its_digest_is() -> None:
    facts, document = reader().read(response("<p>x"), None)
    assert (facts.answer, facts.changed, facts.stored) == (Answer.PAGE, True, False)
    assert document is not None
    same = stored(content_digest=document["content_digest"])
    facts, document = reader().read(response("<p>x"), same)
    assert (facts.changed, facts.stored, facts.aliases) == (False, True, same.aliases)
    assert document is not None
    assert document["aliases"] == list(same.aliases)


def test_what_is_odd_about_the_answer_is_told_with_the_page() -> None:
    odd = dataclasses.replace(response("<p>x"), warnings=("It is odd.",))
    facts, _ = reader().read(odd, None)
    assert facts.warnings == ("It is odd.",)


def test_a_page_that_led_to_many_and_leads_to_none_is_named() -> None:
    before = stored(links=tuple(f"https://h.test/{n}" for n in range(5)))

    def warnings(html: str, known: StoredPage | None = before) -> tuple[str, ...]:
        return reader().read(response(html), known)[0].warnings

    (warning,) = warnings("<p>We will be back soon.")
    assert warning.startswith(f"{URL} leads to no page any more; in the index it leads to 5. ")
    assert warnings("<p>x", None) == ()
    assert warnings("<p>x", stored()) == ()
    assert warnings("<a href=/b>b</a>") == ()
    assert warnings("<meta name=robots content=nofollow><p>x") == ()
    assert warnings("<meta http-equiv=refresh content='0; /b'><p>x") == ()


@pytest.mark.parametrize(
    ("status", "answer"), [(404, Answer.GONE), (410, Answer.GONE), (304, Answer.PAGE)]
)
def test_statuses(status: int, answer: Answer) -> None:
    facts, document = reader().read(response("", status=status), stored())
    assert (facts.answer, facts.status, document) == (answer, status, None)


def test_after_a_304_the_document_tells() -> None:
    facts, _ = reader().read(response("", status=304), stored(canonical="https://h.test/c"))
    assert facts.not_modified
    assert not facts.changed
    assert (facts.links, facts.canonical) == (("https://h.test/b",), "https://h.test/c")
    assert facts.dates.own == NOW
    facts, _ = reader().read(
        response("", ("x-robots-tag", "noindex, nofollow"), status=304), stored()
    )
    assert (facts.noindex, facts.links) == (True, ())
    facts, _ = reader().read(response("", status=304), stored(nofollow=True))
    assert facts.links == ()


@pytest.mark.parametrize(
    ("markup", "headers"),
    [
        ('<meta name="robots" content="unavailable_after: {}"><p>x', ()),
        ("<p>x", (("x-robots-tag", "unavailable_after: {}"),)),
    ],
    ids=["meta", "header"],
)
def test_a_page_goes_from_the_date_on_that_it_states(
    markup: str, headers: tuple[tuple[str, str], ...]
) -> None:
    def read(date: str) -> tuple[PageFacts, dict[str, Any] | None]:
        stated = tuple((name, value.format(date)) for name, value in headers)
        return reader().read(response(markup.format(date), *stated, ("etag", '"1"')), None)

    facts, _ = read("01 Jun 2024 00:00:00 GMT")
    assert facts.noindex
    facts, document = read("01 Jun 2024 00:00:01 GMT")
    assert document is not None
    # With an ETag it would be answered by 304, which would not tell that the day has come.
    assert (facts.noindex, "etag" in document, "last_modified" in document) == (False, False, False)
    facts, document = read("some day")
    assert document is not None
    assert (facts.noindex, document["etag"], len(facts.warnings)) == (False, '"1"', 1)


def test_a_date_in_the_header_of_a_304_counts() -> None:
    for date, noindex, warnings in (("31 May 2024", True, 0), ("x", False, 1)):
        header = ("x-robots-tag", f"unavailable_after: {date}")
        facts, _ = reader().read(response("", header, status=304), stored())
        assert (facts.noindex, len(facts.warnings)) == (noindex, warnings)


@pytest.mark.parametrize(
    ("status", "permanent"), [(301, True), (308, True), (302, False), (303, False), (307, False)]
)
def test_redirects(status: int, permanent: bool) -> None:
    there = dataclasses.replace(response("", status=status), location="https://h.test/x#y")
    facts, _ = reader().read(there, None)
    assert (facts.answer, facts.target) == (Answer.REDIRECT, "https://h.test/x")
    assert facts.permanent is permanent


def test_failures_are_handed_on() -> None:
    failed = Response(Request(URL), None, (), b"", NOW, 1, failure=Failure.TIMEOUT, error="late")
    facts, document = reader().read(failed, stored())
    assert (facts.answer, facts.failure, facts.error) == (Answer.FAILED, Failure.TIMEOUT, "late")
    assert document is None
    facts, _ = reader().read(response(b"%PDF", content_type="application/pdf"), None)
    assert (facts.answer, facts.failure) == (Answer.FAILED, Failure.UNREADABLE)


def test_a_sitemap_is_no_document() -> None:
    plain = response("https://h.test/a", content_type="text/plain")
    assert reader(URL).read(plain, None)[0].answer is Answer.UNSUPPORTED
    assert reader().read(plain, None)[0].answer is Answer.PAGE


def test_a_refresh_redirects_if_it_is_quick_and_the_page_may_be_indexed() -> None:
    page = "<meta http-equiv=refresh content='{}; url=/x'><meta name=robots content={}><a href=/y>y"
    quick, _ = reader().read(response(page.format(10, "all")), None)
    assert (quick.answer, quick.target) == (Answer.REFRESH, "https://h.test/x")
    slow, _ = reader().read(response(page.format(11, "all")), None)
    assert (slow.answer, slow.links) == (Answer.PAGE, ("https://h.test/y", "https://h.test/x"))
    noindex, _ = reader().read(response(page.format(0, "noindex")), None)
    assert (noindex.answer, noindex.noindex) == (Answer.PAGE, True)
    assert noindex.links == ("https://h.test/y", "https://h.test/x")
    nofollow, _ = reader().read(response(page.format(11, "nofollow")), None)
    assert nofollow.links == ()
