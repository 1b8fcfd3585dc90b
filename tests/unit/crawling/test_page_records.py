from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from site_indexer.crawling.frontier import Entry
from site_indexer.crawling.judging import judge
from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction, StoredPage
from site_indexer.crawling.page_facts import NO_DATES, Answer, PageFacts
from site_indexer.crawling.page_records import (
    is_told_by_record,
    needs_document,
    record_of,
    restored_facts,
    settled_record,
)
from site_indexer.crawling.responses import Failure
from site_indexer.crawling.settling import Settled
from site_indexer.index_script.model import Action
from site_indexer.masks import Rule, RuleAction, RuleList, RuleOrigin, compile_mask
from site_indexer.masks.model import DocumentDates
from site_indexer.urls import document_id
from site_indexer.urls.kinds import MaskKind

URL = "https://h.test/a"
NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
OWN = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
_MASK = compile_mask("https://h.test/", MaskKind.PREFIX)
RULES = {
    0: RuleList(
        [Rule(RuleAction.INCLUDE, _MASK, RuleOrigin.SITE, "include https://h.test/")],
        now=NOW,
        zone=dt.UTC,
    )
}


def stored(**more: Any) -> StoredPage:
    values: dict[str, Any] = {
        "url": URL,
        "document_id": document_id(URL),
        "etag": None,
        "last_modified": None,
        "content_digest": "old",
        "extractor_version": "1",
        "links": ("https://h.test/b",),
        "nofollow": False,
        "date": OWN,
        "server_date": None,
        "aliases": ("https://h.test/old",),
        "fetched_at": NOW,
        **more,
    }
    return StoredPage(**values)


def written(facts: PageFacts, document: dict[str, Any] | None = None) -> PageRecord:
    entry = Entry(URL)
    entry.reaches[0] = Reach(block=0, depth=0, line=2, cause=Action.ADD, named=True)
    judged = judge(URL, facts, entry.reaches.values(), RULES)
    return record_of(entry, facts, judged, document if needs_document(facts) else None)


def document(**more: Any) -> dict[str, Any]:
    return {"url": URL, "content_digest": "new", "date": "2024-01-01T00:00:00Z", **more}


FACTS = [
    PageFacts(Answer.PAGE, status=200, links=("https://h.test/b",), changed=True),
    PageFacts(Answer.PAGE, status=200, changed=True, canonical="https://h.test/c"),
    PageFacts(Answer.PAGE, status=200, noindex=True),
    PageFacts(Answer.REFRESH, status=200, target="https://h.test/n", changed=True),
    PageFacts(Answer.REDIRECT, status=301, target="https://h.test/n", permanent=True),
    PageFacts(Answer.REDIRECT, status=302, target="https://h.test/n"),
    PageFacts(Answer.GONE, status=410),
    PageFacts(Answer.FAILED, status=503, failure=Failure.SERVER_ERROR, error="503"),
    PageFacts(Answer.UNSUPPORTED, status=200),
]


@pytest.mark.parametrize("facts", FACTS, ids=lambda facts: facts.answer.value)
def test_what_a_record_holds_is_what_was_found_out(facts: PageFacts) -> None:
    facts = dataclasses.replace(
        facts, fetched_at=NOW, bytes=3, elapsed_ms=4, dates=DocumentDates(own=OWN)
    )
    canonical = {"canonical": facts.canonical} if facts.canonical else {}
    record = written(facts, document(**canonical))
    again = restored_facts(record, None)
    assert again is not None
    assert again == facts


def test_an_unchanged_page_has_dates_and_canonical_of_its_document() -> None:
    facts = PageFacts(
        Answer.PAGE,
        status=304,
        fetched_at=NOW,
        not_modified=True,
        stored=True,
        links=("https://h.test/b",),
        dates=DocumentDates(own=OWN),
        aliases=("https://h.test/old",),
        canonical="https://h.test/c",
    )
    record = written(facts)
    assert record.target == "https://h.test/c"
    assert restored_facts(record, stored(canonical="https://h.test/c")) == facts


def test_links_of_a_page_that_is_as_it_was_are_those_of_its_document() -> None:
    facts = PageFacts(
        Answer.PAGE, status=304, fetched_at=NOW, not_modified=True, stored=True, links=("x",)
    )
    record = dataclasses.replace(written(facts), links=())
    assert record.links_as_stored
    again = restored_facts(record, stored(links=("https://h.test/b",)))
    assert again is not None
    assert again.links == ("https://h.test/b",)
    assert restored_facts(record, None) is None, "without the document they are not known"


def test_a_page_that_now_says_nofollow_has_no_links_of_its_document() -> None:
    facts = PageFacts(
        Answer.PAGE, status=304, fetched_at=NOW, not_modified=True, nofollow=True, stored=True
    )
    again = restored_facts(written(facts), stored(links=("https://h.test/b",)))
    assert again is not None
    assert again.links == ()


def test_dates_are_those_that_were_found_and_not_those_of_the_document() -> None:
    """What has no page has none, and a page that is not written may have others."""
    gone = PageFacts(Answer.GONE, status=404, fetched_at=NOW, stored=True)
    again = restored_facts(written(gone), stored(aliases=()))
    assert again is not None
    assert again.dates is NO_DATES
    other = PageFacts(
        Answer.PAGE,
        status=200,
        fetched_at=NOW,
        stored=True,
        dates=DocumentDates(server=NOW),
        aliases=("https://h.test/old",),
    )
    assert restored_facts(written(other), stored()) == other


def test_a_settled_duplicate_is_restored_with_the_canonical_that_it_names() -> None:
    facts = PageFacts(
        Answer.PAGE, status=200, fetched_at=NOW, changed=True, canonical="https://h.test/c"
    )
    record = written(facts, document(canonical="https://h.test/c"))
    entry = Entry(URL)
    duplicate = Settled(Outcome.DUPLICATE, RecordAction.REMOVE, target="https://h.test/loop")
    again = restored_facts(settled_record(entry, record, duplicate, record.document), None)
    assert again is not None
    assert (again.canonical, again.changed) == ("https://h.test/c", True)


def test_a_redirect_without_an_end_is_restored_as_a_redirect() -> None:
    facts = PageFacts(Answer.REDIRECT, status=301, fetched_at=NOW, target=URL, permanent=True)
    record = written(facts)
    entry = Entry(URL)
    loop = Settled(Outcome.FAILED, RecordAction.KEEP, URL, failure=Failure.REDIRECT_LOOP)
    failed = settled_record(entry, record, loop, None)
    assert failed.failure == "redirect-loop"
    assert failed.error == f"{URL} redirects in a loop that holds no page."
    again = restored_facts(failed, None)
    assert again is not None
    assert (again.answer, again.target) == (Answer.REDIRECT, URL)


def test_what_was_not_fetched_is_looked_at_again() -> None:
    for answer in (Answer.REFUSED, Answer.LEFT_OUT):
        assert restored_facts(written(PageFacts(answer, fetched_at=NOW)), None) is None


def test_within_a_crawl_a_refusal_holds() -> None:
    facts = PageFacts(Answer.REFUSED, fetched_at=NOW, error="robots.txt forbids it.")
    assert restored_facts(written(facts), None, of_this_crawl=True) == facts


@given(
    st.sampled_from(list(Answer)),
    st.sampled_from(list(Outcome)),
    st.fixed_dictionaries(
        {name: st.booleans() for name in ("noindex", "stored", "changed", "not_modified")}
    ),
)
def test_what_a_record_is_said_to_tell_it_tells(
    answer: Answer, outcome: Outcome, flags: dict[str, Any]
) -> None:
    # A 304 is of a page in the index; one that is not there has changed.
    assume(flags["changed"] or flags["stored"])
    assume(not flags["not_modified"] or (flags["stored"] and not flags["changed"]))
    # What a block lets in of a page that says noindex has that outcome.
    assume(answer is not Answer.PAGE or flags["noindex"] is (outcome is Outcome.NOINDEX))
    facts = PageFacts(answer, fetched_at=NOW, **flags)
    if not is_told_by_record(facts, outcome):
        return
    record = dataclasses.replace(written(facts, document()), outcome=outcome)
    again = restored_facts(
        record, stored(aliases=(), links=()) if facts.stored else None, of_this_crawl=True
    )
    assert again is not None
    # Without a document nothing asks whether one would be another.
    changed = facts.changed and not facts.noindex
    expected = dataclasses.replace(facts, changed=changed)
    if answer is not Answer.PAGE:
        expected = dataclasses.replace(expected, noindex=False, changed=False)
    assert again == expected


@given(st.booleans(), st.booleans(), st.sampled_from(["old", "new"]))
def test_changed_is_told_by_digests(has_document: bool, is_stored: bool, digest: str) -> None:
    facts = PageFacts(Answer.PAGE, status=200, fetched_at=NOW, changed=True)
    record = written(facts, document(content_digest=digest))
    if not has_document:
        record = dataclasses.replace(record, document=None, outcome=Outcome.UNCHANGED)
    again = restored_facts(record, stored() if is_stored else None)
    assert again is not None
    assert again.changed is (has_document and (not is_stored or digest == "new"))


def test_a_record_needs_a_time() -> None:
    with pytest.raises(ValueError, match="no time"):
        written(PageFacts(Answer.GONE, status=404))
