from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.documents import (
    build_document,
    parsed_instant,
    to_milliseconds,
    to_seconds,
    with_aliases,
)
from site_indexer.crawling.extracted import ExtractedPage
from site_indexer.index_store.mappings import DOCUMENT_PROPERTIES
from tests.unit.crawling.pages import URL, response

SERVER = dt.datetime(2024, 3, 1, 10, tzinfo=dt.UTC)


def document(page: ExtractedPage, server_date: dt.datetime | None = None) -> dict[str, object]:
    return build_document(
        site="s",
        response=response("<p>x", ("etag", '"1"')),
        page=page,
        content_digest="d",
        links=["https://h.test/b"],
        server_date=server_date,
        aliases=["https://h.test/old"],
    )


def test_the_date_is_the_pages_own_or_else_the_servers() -> None:
    own = ExtractedPage(date=dt.datetime(2024, 2, 1, tzinfo=dt.UTC), date_source="meta:date")
    found = document(own, SERVER)
    assert (found["date"], found["date_source"]) == ("2024-02-01T00:00:00Z", "meta:date")
    assert found["server_date"] == "2024-03-01T10:00:00Z"
    found = document(ExtractedPage(), SERVER)
    assert (found["date"], found["date_source"]) == ("2024-03-01T10:00:00Z", "server")


def test_fields_without_a_value_are_left_out() -> None:
    found = document(ExtractedPage(canonical=URL))
    assert {"date", "date_source", "server_date", "canonical", "charset"}.isdisjoint(found)
    assert found["etag"] == '"1"'


def test_the_index_knows_every_field() -> None:
    page = ExtractedPage(
        canonical="https://h.test/c", charset="utf-8", date=SERVER, date_source="meta:date"
    )
    assert document(page, SERVER).keys() <= DOCUMENT_PROPERTIES.keys()


def test_aliases_are_replaced() -> None:
    before = {"url": URL, "aliases": ["a"]}
    assert with_aliases(before, ("b", "c")) == {"url": URL, "aliases": ["b", "c"]}
    assert before["aliases"] == ["a"]


@given(st.datetimes(timezones=st.timezones()))
def test_instants_are_read_back(moment: dt.datetime) -> None:
    utc = moment.astimezone(dt.UTC) if dt.MINYEAR < moment.year < dt.MAXYEAR else SERVER
    assert parsed_instant(to_seconds(utc)) == utc.replace(microsecond=0)
    exact = parsed_instant(to_milliseconds(utc))
    assert exact is not None
    assert abs(utc - exact) < dt.timedelta(milliseconds=1)


def test_what_is_no_instant_is_none() -> None:
    for text in (None, "", "soon", 3):
        assert parsed_instant(text) is None
