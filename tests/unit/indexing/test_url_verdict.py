"""One sentence for all that may be known of a URL (docs/spec/08-shell.md, 8.6)."""

from __future__ import annotations

import dataclasses
import datetime as dt
from typing import Any

import pytest

from site_indexer.crawling.robots import RobotsAccess, RobotsVerdict
from site_indexer.index_store.generations import Generation
from site_indexer.index_store.names import Target
from site_indexer.index_store.removals import StandingRemoval
from site_indexer.indexing.script_opinion import Opinion
from site_indexer.indexing.url_evidence import Evidence, Retry, Visit
from site_indexer.indexing.url_verdict import verdict

URL = "https://h.test/a"
BEFORE = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
NOW = dt.datetime(2026, 1, 2, tzinfo=dt.UTC)
SHOWN = Generation(
    name="s.g-20260101t000000z",
    meta={"generation": "s.g-20260101t000000z", "run_id": "r", "watermark": BEFORE.isoformat()},
    aliases=("s.live",),
    current=(Target.LIVE,),
    open=True,
    sealed=True,
    disk_full=False,
    shards=1,
    created_at=BEFORE,
)
KNOWN = Evidence("s", Target.LIVE, URL, ("h.test",), is_on_site=True, generation=SHOWN)


def visit(outcome: str, action: str = "keep", **facts: Any) -> Visit:
    values = {"outcome": outcome, "line": 3, **facts}
    return Visit(NOW, action, "run-1", block_line=1, block_date=BEFORE, facts=values)


def known(**more: Any) -> Evidence:
    return dataclasses.replace(KNOWN, **more)


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (known(is_on_site=False), "none of the hosts of s (h.test)"),
        (known(generation=None), "Nothing has been published for s (live) yet"),
        (known(visits=(visit("duplicate", target="https://h.test/c"),)), "https://h.test/c as its"),
        (known(visits=(visit("unsupported"),)), "of a type that is not indexed"),
        (known(visits=(visit("indexed", "write"),)), "(run-1) read it for line 3"),
        (known(visits=(visit("indexed", rejected="it has no URL"),)), "be indexed: it has no URL"),
        (known(visits=(visit("redirect", status=301),)), "it led to what is no http or https URL"),
        (known(visits=(visit("failed", error=f"{URL}: late"),)), "could not be fetched: late."),
        (known(visits=(visit("failed", failure="timeout"),)), "could not be fetched: timeout."),
        (known(visits=(visit("gone", status=410),)), "answered 410"),
        (known(visits=(visit("of-another-version"),)), "a run noted of-another-version"),
        (known(opinion=Opinion(error="It is down.")), "is not known: It is down."),
        (known(opinion=Opinion()), "No rule of any block lets it in"),
        (known(robots=RobotsVerdict(RobotsAccess.REFUSED, "Disallow: /")), "(Disallow: /)"),
        (known(), "No run of the last 7 days has met it"),
    ],
)
def test_the_reason_why_a_url_is_not_in_the_index(evidence: Evidence, words: str) -> None:
    found = verdict(evidence)
    assert not found.in_index
    assert words in found.sentence
    assert found.sentence.endswith(".")
    assert found.advice


RETRY = Retry(since=BEFORE, until=NOW, tries=2, failure="timeout", line=3)


@pytest.mark.parametrize("document", [None, {"fetched_at": "2026-01-01T00:00:00.000Z"}])
def test_a_page_on_the_retry_list_needs_no_newer_block(document: dict[str, Any] | None) -> None:
    late = visit("failed", error="late")
    listed = verdict(known(document=document, visits=(late,), retry=RETRY))
    assert "on the retry list" in listed.advice
    assert "until 2026-01-02T00:00:00Z" in listed.advice
    assert "newer block" not in listed.advice
    unlisted = verdict(known(document=document, visits=(late,)))
    assert "retry list" not in unlisted.advice


def test_a_document_that_failed_last_may_be_old() -> None:
    document = {"fetched_at": "2026-01-01T00:00:00.000Z", "block_date": "2026-01-01T00:00:00Z"}
    whole = verdict(known(document=document))
    assert (whole.in_index, whole.advice) == (True, "")
    old = verdict(known(document=document, visits=(visit("failed", error="late"),)))
    assert old.in_index
    assert "may be old: late." in old.sentence


def test_a_removal_counts_unless_a_newer_visit_says_why_the_page_did_not_come_back() -> None:
    def removal(date: dt.datetime) -> StandingRemoval:
        return StandingRemoval(line=9, counts_as=date, recorded_at=date, mask="*-draft.html")

    gone = visit("gone", status=404)
    older = removal(BEFORE - dt.timedelta(days=1))
    assert "answered 404" in verdict(known(removals=(older,), visits=(gone,))).sentence
    newer = verdict(known(removals=(removal(NOW),), visits=(gone,)))
    assert "Line 9" in newer.sentence
    assert "(*-draft.html)" in newer.sentence
