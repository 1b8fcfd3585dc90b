from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from site_indexer.crawling.frontier import Entry
from site_indexer.crawling.looking_up import LookUp
from site_indexer.crawling.model import StoredPage


class SlowIndex:
    """Answers once it is let; knows no page."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()
        self.asked: list[int] = []

    def lookup(self, document_ids: Sequence[str]) -> Mapping[str, StoredPage]:
        self.asked.append(len(document_ids))
        assert self.may_answer.wait(30)
        if len(document_ids) == 3:
            raise ConnectionError("no index")
        return {}

    def document(self, document_id: str) -> dict[str, Any] | None:
        raise NotImplementedError

    def stands(self, url: str, block: int, written_by: Sequence[int]) -> bool:
        raise NotImplementedError


@pytest.fixture
def index() -> SlowIndex:
    return SlowIndex()


@pytest.fixture
def look_up(index: SlowIndex) -> Iterator[LookUp]:
    made = LookUp(index)
    yield made
    index.may_answer.set()
    made.close()


def entries(*urls: str) -> list[Entry]:
    return [Entry(f"https://h.test/{url}") for url in urls]


def test_nobody_waits_for_it_unless_asked_to(look_up: LookUp, index: SlowIndex) -> None:
    first, second = entries("a", "b"), entries("c")
    look_up.ask(first)
    look_up.ask(second)
    assert (look_up.found(wait=False), look_up.pending) == ([], 3)
    index.may_answer.set()
    found = look_up.found(wait=True)
    while look_up.pending:
        found += look_up.found(wait=True)
    assert found == [(entry, None) for entry in (*first, *second)]
    assert look_up.found(wait=True) == []


def test_what_it_raises_is_raised(look_up: LookUp, index: SlowIndex) -> None:
    index.may_answer.set()
    look_up.ask(entries("a", "b", "c"))
    with pytest.raises(ConnectionError):
        look_up.found(wait=True)


def test_what_is_asked_for_is_given_up_in_the_end(index: SlowIndex) -> None:
    look_up = LookUp(index)
    index.may_answer.set()
    for _ in range(5):
        look_up.ask(entries("a"))
    look_up.close()
    assert look_up.pending == 0
