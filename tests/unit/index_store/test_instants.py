from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.index_store.instants import from_ms, iso, parse, to_ms

moments = st.datetimes(
    min_value=dt.datetime(1, 1, 2),  # noqa: DTZ001
    max_value=dt.datetime(9999, 12, 30),  # noqa: DTZ001
    timezones=st.just(dt.UTC) | st.just(dt.timezone(dt.timedelta(hours=5, minutes=30))),
)


def test_the_stored_form() -> None:
    assert iso(dt.datetime(2004, 1, 2, 0, 5, 53, tzinfo=dt.UTC)) == "2004-01-02T00:05:53.000Z"
    assert iso(dt.datetime(33, 1, 2, tzinfo=dt.UTC)) == "0033-01-02T00:00:00.000Z"


@given(moments)
def test_milliseconds_survive(moment: dt.datetime) -> None:
    stored = parse(iso(moment))
    assert stored.tzinfo is dt.UTC
    assert stored <= moment < stored + dt.timedelta(milliseconds=1)
    assert iso(stored) == iso(moment)
    assert from_ms(to_ms(moment)) == stored


@given(moments, moments)
def test_the_stored_form_sorts_as_the_instants_do(one: dt.datetime, other: dt.datetime) -> None:
    assert (parse(iso(one)) < parse(iso(other))) is (iso(one) < iso(other))


def test_anything_else_is_refused() -> None:
    with pytest.raises(ValueError, match="Invalid"):
        parse("yesterday")
