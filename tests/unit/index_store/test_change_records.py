from __future__ import annotations

import datetime as dt
from dataclasses import replace

import orjson
import pytest

from site_indexer.index_store.change_records import (
    ChangeRecord,
    RemovalRecord,
    page_items,
    removal_item,
    to_page,
    to_removal,
)
from site_indexer.urls.kinds import MaskKind

DATE = dt.datetime(2026, 5, 1, 9, 8, 7, tzinfo=dt.UTC)
URL = "https://www.example.com/a"
RECORD = ChangeRecord(
    document_id="a1",
    url=URL,
    version_ms=1_777_626_487_123,
    action="write",
    block=3,
    counts_as=DATE,
    document={"url": URL, "title": "A", "text": "…"},
    facts={"outcome": "indexed", "links": [URL]},
)


def lines_of(record: ChangeRecord) -> tuple[dict[str, object], dict[str, object]]:
    item = page_items(record).change
    assert item.lines.endswith(b"\n")
    head, source = item.lines.splitlines()
    return orjson.loads(head), orjson.loads(source)


def test_a_page_is_written_as_of_its_fetch() -> None:
    head, source = lines_of(RECORD)
    assert head == {
        "index": {"_id": "a1", "version": 1_777_626_487_123, "version_type": "external_gte"}
    }
    assert source["document"] == {
        "url": URL,
        "host": "www.example.com",
        "url_words": "a",
        "title": {"general": "A"},
        "text": {"general": "…"},
        "tier": "full",
        "fetched_at": "2026-05-01T09:08:07.123Z",
        "block_date": "2026-05-01T09:08:07.000Z",
    }
    assert source["outcome"] == "indexed"


def test_it_reads_back() -> None:
    _, source = lines_of(RECORD)
    back = to_page("a1", source)
    assert replace(back, document=None) == replace(RECORD, document=None)
    assert RECORD.document is not None
    assert back.document is not None
    assert RECORD.document.items() <= back.document.items()


def test_it_can_be_written_again_in_another_language() -> None:
    back = to_page("a1", lines_of(RECORD)[1])
    assert back.document is not None
    _, source = lines_of(replace(back, document={**back.document, "language": "de"}))
    document = source["document"]
    assert isinstance(document, dict)
    assert (document["title"], document["text"]) == ({"de": "A"}, {"de": "…"})


def test_what_robots_wrote_has_no_block_date_and_keeps_its_tier() -> None:
    document = {"url": URL, "tier": "supplemental", "block_date": "2040-01-01T00:00:00Z"}
    _, source = lines_of(replace(RECORD, block=None, counts_as=None, document=document))
    stored = source["document"]
    assert isinstance(stored, dict)
    assert stored["tier"] == "supplemental"
    assert "block_date" not in stored
    assert to_page("a1", source).counts_as is None


def test_a_document_that_can_never_be_indexed_is_left_out_with_the_reason() -> None:
    record = replace(RECORD, document={"url": URL, "colour": "red"})
    assert "colour" in (page_items(record).rejected or "")
    _, source = lines_of(record)
    assert (source["action"], source["document"]) == ("keep", None)
    facts = source["facts"]
    assert isinstance(facts, dict)
    assert "colour" in facts["rejected"]
    assert facts["links"] == [URL]


def test_half_a_surrogate_pair_costs_no_page() -> None:
    record = replace(RECORD, document={"url": URL, "text": "a\ud800b"})
    _, source = lines_of(record)
    stored = source["document"]
    assert isinstance(stored, dict)
    assert stored["text"] == {"general": "a?b"}


def test_a_write_needs_a_document_and_nothing_else_does() -> None:
    assert page_items(replace(RECORD, document=None)).rejected == "it has no document"
    assert page_items(replace(RECORD, document=None, action="keep")).rejected is None


@pytest.mark.parametrize(
    "removal",
    [
        RemovalRecord(7, 2, DATE, url=URL, matched=1),
        RemovalRecord(8, 2, DATE, mask="*.pdf", mask_kind=MaskKind.WILDCARD),
        RemovalRecord(9, 2, DATE, mask="", mask_kind=MaskKind.REGEXP),
    ],
)
def test_removals_read_back(removal: RemovalRecord) -> None:
    item = removal_item(removal)
    assert to_removal(orjson.loads(item.lines.splitlines()[1])) == removal


def test_a_removal_has_an_id_of_its_own() -> None:
    removals = [
        RemovalRecord(7, 2, DATE, url=URL),
        RemovalRecord(7, 2, DATE, mask=URL, mask_kind=MaskKind.PREFIX),
        RemovalRecord(7, 3, DATE, url=URL),
        RemovalRecord(7, 2, DATE + dt.timedelta(seconds=1), url=URL),
    ]
    ids = {removal_item(each).document_id for each in removals}
    assert len(ids) == len(removals)
    assert all(each.startswith("removal-") for each in ids)
