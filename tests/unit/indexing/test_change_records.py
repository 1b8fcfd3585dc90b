"""Page records survive the way into the change set and back."""

from __future__ import annotations

import dataclasses
import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.model import Outcome, PageRecord, Reach, RecordAction
from site_indexer.index_script.model import Action
from site_indexer.indexing.change_records import EPOCH, to_change_record, to_page_record
from site_indexer.planning.model import PlannedBlock

NOW = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)
BLOCKS = [
    PlannedBlock(number=n, line=n + 1, date=NOW, counts_as=NOW, rules=(), digest="d")
    for n in range(3)
]
TEXTS = st.text(max_size=20)
REACHES = st.builds(
    Reach,
    block=st.integers(0, 2),
    depth=st.integers(0, 20),
    line=st.integers(1, 99),
    cause=st.sampled_from([Action.ADD, Action.UPDATE]),
    named=st.booleans(),
    nofollow=st.booleans(),
    noindex=st.booleans(),
    found_on=st.none() | TEXTS,
    verdict=TEXTS,
    rule=st.none() | TEXTS,
)
RECORDS = st.builds(
    PageRecord,
    url=TEXTS,
    document_id=TEXTS,
    fetched_at=st.integers(0, 4_000_000_000_000).map(
        lambda ms: dt.datetime.fromtimestamp(ms // 1000, dt.UTC).replace(
            microsecond=ms % 1000 * 1000
        )
    ),
    outcome=st.sampled_from(Outcome),
    action=st.sampled_from(RecordAction),
    block=st.integers(0, 2),
    line=st.integers(1, 99),
    cause=st.sampled_from([Action.ADD, Action.UPDATE]),
    named=st.booleans(),
    reaches=st.lists(REACHES, max_size=3).map(tuple),
    status=st.none() | st.integers(100, 599),
    target=st.none() | TEXTS,
    permanent=st.booleans(),
    document=st.none() | st.just({"url": "https://h/", "title": "T"}),
    links=st.lists(TEXTS, max_size=3).map(tuple),
    failure=st.none() | TEXTS,
    error=st.none() | TEXTS,
    bytes=st.integers(0, 10**9),
    elapsed_ms=st.integers(0, 10**6),
    warnings=st.lists(TEXTS, max_size=2).map(tuple),
    not_modified=st.booleans(),
    links_as_stored=st.just(False),
)


@given(RECORDS)
def test_a_page_record_comes_back_as_it_was(record: PageRecord) -> None:
    assert to_page_record(to_change_record(record, BLOCKS)) == record


@given(RECORDS)
def test_links_are_kept_once(record: PageRecord) -> None:
    document = {"url": record.url, "links": list(record.links)}
    record = dataclasses.replace(record, document=document)
    change = to_change_record(record, BLOCKS)
    assert "links" not in change.facts
    assert to_page_record(change) == record
    other = dataclasses.replace(record, links=(*record.links, "https://h/other"))
    assert to_page_record(to_change_record(other, BLOCKS)) == other


@given(RECORDS)
def test_links_of_the_stored_document_are_not_repeated(record: PageRecord) -> None:
    record = dataclasses.replace(record, links_as_stored=True)
    change = to_change_record(record, BLOCKS)
    assert "links" not in change.facts
    assert to_page_record(change) == dataclasses.replace(record, links=())


@given(RECORDS)
def test_its_version_is_the_fetch_time_and_its_date_the_blocks(record: PageRecord) -> None:
    change = to_change_record(record, BLOCKS)
    assert EPOCH + dt.timedelta(milliseconds=change.version_ms) == record.fetched_at
    assert change.counts_as == NOW
