"""What the index log says of a page."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.index_script.model import Action
from site_indexer.index_store.log_entries import Level
from site_indexer.indexing.page_entries import page_entries

AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


def record(outcome: Outcome, **more: Any) -> PageRecord:
    usual: dict[str, Any] = {
        "url": "https://www.example.com/a",
        "document_id": "a",
        "fetched_at": AT,
        "outcome": outcome,
        "action": RecordAction.KEEP,
        "block": 0,
        "line": 7,
        "cause": Action.ADD,
        "named": False,
        "reaches": (
            Reach(block=0, depth=0, line=7, cause=Action.ADD, named=True, rule="exclude *.zip"),
        ),
        "status": 200,
        "bytes": 1234,
        "elapsed_ms": 56,
    }
    return PageRecord(**{**usual, **more})


def test_an_entry_has_all_that_is_known_of_the_page() -> None:
    [entry] = page_entries(record(Outcome.INDEXED, action=RecordAction.WRITE))
    assert (entry.time, entry.level, entry.action, entry.line) == (AT, Level.INFO, "add", 7)
    assert (entry.url, entry.status) == ("https://www.example.com/a", 200)
    assert (entry.message, entry.bytes, entry.milliseconds) == ("indexed", 1234, 56)


@pytest.mark.parametrize("outcome", list(Outcome))
def test_each_outcome_has_words(outcome: Outcome) -> None:
    [entry] = page_entries(record(outcome, target="https://www.example.com/b"))
    assert len(entry.message) >= 4


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"outcome": Outcome.EXCLUDED}, "skipped by rule: exclude *.zip"),
        ({"outcome": Outcome.EXCLUDED, "reaches": ()}, "skipped by rule: none matches"),
        ({"outcome": Outcome.GONE, "action": RecordAction.REMOVE}, "gone; its document goes"),
        ({"outcome": Outcome.FAILED, "error": "no answer"}, "no answer"),
        ({"outcome": Outcome.UNCHANGED, "not_modified": True}, "unchanged (not modified)"),
        (
            {"outcome": Outcome.REDIRECT, "permanent": True, "target": "https://e.com/"},
            "redirects for good to https://e.com/",
        ),
    ],
)
def test_the_message_says_what_became_of_it(facts: dict[str, Any], message: str) -> None:
    [entry] = page_entries(record(**facts))
    assert entry.message == message


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.REFUSED])
def test_only_what_a_command_names_is_an_error(outcome: Outcome) -> None:
    [named] = page_entries(record(outcome, named=True))
    [linked] = page_entries(record(outcome))
    assert named.level is Level.ERROR
    assert linked.level is not Level.ERROR


def test_warnings_of_a_page_go_before_what_became_of_it() -> None:
    entries = list(page_entries(record(Outcome.INDEXED, warnings=("odd charset",))))
    assert [entry.message for entry in entries] == ["odd charset", "indexed"]
    assert [entry.level for entry in entries] == [Level.WARNING, Level.INFO]


def test_what_the_end_of_the_crawl_makes_of_it_is_told_without_its_bytes_again() -> None:
    again = record(Outcome.DUPLICATE, target="https://e.com/", warnings=("odd charset",))
    [entry] = page_entries(again, again=True)
    assert entry.message.startswith("in the end: the same document as https://e.com/")
    assert entry.bytes is None
