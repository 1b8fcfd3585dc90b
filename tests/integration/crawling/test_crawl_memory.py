"""What a crawl keeps of a URL that is done, whatever it answered: ADR 10."""

from __future__ import annotations

import dataclasses
import datetime as dt
import logging
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from site_indexer.crawling.model import CrawlCounts, StoredPage
from site_indexer.masks.rule_list import RuleList
from site_indexer.urls import document_id
from tests.integration.crawling.crawling_case import Case, rule, rules
from tests.integration.crawling.ports import MemoryIndex
from tests.integration.crawling.small_site import small_site

OUTCOMES = {
    "/plain": "indexed",
    "/gone": "gone",
    "/busy": "failed",
    "/odd": "unsupported",
    "/private": "refused",
    "/hidden": "noindex",
    "/old": "excluded",
    "/followed": "not-written",
}

NEVER = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


@pytest.fixture
def case() -> Iterator[Case]:
    with small_site() as site:
        site.page("/", links=OUTCOMES)
        # Another block comes here once all is done, and from farther away.
        site.page("/late", links=["/later"])
        site.page("/later", links=["/latest"])
        site.page("/latest", links=OUTCOMES)
        site.page("/plain")
        site.gone("/gone")
        site.page("/busy", status=503)
        site.file("/odd", b"\0\1\2", "application/octet-stream")
        site.file("/robots.txt", b"User-agent: *\nDisallow: /private", "text/plain")
        site.page("/hidden", head='<meta name="robots" content="noindex">')
        site.page("/old", head='<meta name="date" content="2019-01-01">')
        site.page("/followed", links=["/plain"])
        yield Case(site, keep_whole=0)


def by(case: Case) -> Mapping[int, RuleList]:
    """The first block leaves old pages out, and does not write one; the second lets all in."""
    url = case.site.url
    all_of_it = rule("include", f"{url}/")
    return {
        0: rules(
            rule("exclude", f"{url}/old", date=dt.date(2020, 1, 1)),
            rule("include", f"{url}/followed", noindex=True),
            all_of_it,
        ),
        1: rules(all_of_it),
    }


def test_nothing_but_what_is_the_same_for_many_is_kept(case: Case) -> None:
    counts = case.run(by=by(case))
    assert list(case.frontier) == []
    assert {path: case.outcome(path) for path in OUTCOMES} == OUTCOMES
    assert (counts.indexed, counts.errors, counts.refused, counts.unsupported) == (2, 1, 1, 1)
    assert (counts.excluded, counts.removed) == (1, 0)


def test_documents_that_go_are_counted(case: Case) -> None:
    case.site.page("/gone")
    case.run(by=by(case))
    assert "/gone" in case.stored()
    case.site.gone("/gone")
    counts = case.run(by=by(case))
    assert (counts.removed, list(case.frontier)) == (1, [])
    assert "/gone" not in case.stored()


def test_a_page_whose_document_its_noindex_takes_stays_whole(case: Case) -> None:
    """A turn that comes later would list it if it still had a document."""
    case.site.page("/hidden")
    case.run(by=by(case))
    case.site.page("/hidden", head='<meta name="robots" content="noindex">')
    case.run(by=by(case))
    assert [entry.url for entry in case.frontier] == [f"{case.site.url}/hidden"]


@pytest.mark.parametrize("flags", [{}, {"nofollow": True}, {"noindex": True}])
def test_what_reaches_them_later_gives_the_same_as_if_all_were_kept(
    case: Case, flags: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    def crawled(keep_whole: int) -> tuple[CrawlCounts, dict[str, Any], list[str], list[str]]:
        case.keep_whole = keep_whole
        case.index.documents.clear()
        caplog.clear()
        named = [case.seed(path, block=1, line=9, **flags) for path in ("/plain", "/private")]
        with caplog.at_level(logging.INFO, "site_indexer.crawling"):
            counts = case.run(case.seed("/"), case.seed("/late", block=1), *named, by=by(case))
        records = {
            each.url: dataclasses.replace(each, document=None, fetched_at=NEVER, elapsed_ms=0)
            for each in case.sink.records.values()
        }
        told = sorted(each.getMessage() for each in caplog.records)
        return dataclasses.replace(counts, seconds=0.0), records, sorted(case.site.asked), told

    assert crawled(0) == crawled(20_000)
    assert case.outcome("/old") == "indexed"
    assert case.outcome("/followed") == "indexed"


def test_a_page_that_loses_its_document_meanwhile_is_asked_for_again(case: Case) -> None:
    """Of an unchanged page the links are in its document only, and another page names it."""
    url = case.site.url
    case.site.page("/", links=["/plain"])
    case.site.page("/plain", links=["/copy"])
    case.run()
    assert case.stored() == ["/", "/plain"]

    case.site.page("/copy", head=f'<link rel="canonical" href="{url}/plain">')
    case.index = LosingIndex(case.index.documents, losing=document_id(f"{url}/plain"))
    by_rules = {0: rules(rule("include", f"{url}/copy", noindex=True), rule("include", f"{url}/"))}
    case.run(by=by_rules)
    assert [line for line in case.site.asked if "/plain" in line] == [
        "GET /plain 304",
        "GET /plain 200",
    ]
    assert case.outcome("/plain") == "indexed"


class LosingIndex(MemoryIndex):
    """Loses a document once it was looked up."""

    def __init__(self, documents: Mapping[str, Any], *, losing: str) -> None:
        super().__init__(dict(documents))
        self._losing = losing

    def lookup(self, document_ids: Sequence[str]) -> Mapping[str, StoredPage]:
        found = super().lookup(document_ids)
        if self._losing in found:
            self.documents.pop(self._losing, None)
        return found
