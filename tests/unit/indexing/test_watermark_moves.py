"""Where a run leaves the watermark (docs/spec/06-watermark.md, *Moving it*)."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.indexing.watermark_moves import next_watermark

EARLY, MIDDLE, LATE = (dt.datetime(2026, month, 1, tzinfo=dt.UTC) for month in (1, 2, 3))
DATES = st.none() | st.sampled_from([EARLY, MIDDLE, LATE])


def moved(
    held: dt.datetime | None,
    current: dt.datetime | None,
    new: dt.datetime | None,
    *,
    fresh_start: bool = False,
) -> dt.datetime | None:
    return next_watermark(held=held, current=current, new=new, fresh_start=fresh_start)


def test_a_run_moves_the_watermark_it_found_forward() -> None:
    assert moved(EARLY, EARLY, LATE) == LATE
    assert moved(None, None, EARLY) == EARLY


def test_a_window_or_a_run_without_blocks_leaves_it_alone() -> None:
    assert moved(EARLY, EARLY, None) is None


def test_another_run_that_went_further_meanwhile_is_not_undone() -> None:
    assert moved(EARLY, LATE, MIDDLE) is None
    assert moved(EARLY, MIDDLE, LATE) == LATE
    assert moved(None, MIDDLE, LATE) == LATE


def test_a_person_who_cleared_it_or_set_it_back_meanwhile_wins() -> None:
    assert moved(EARLY, None, LATE) is None
    assert moved(MIDDLE, EARLY, LATE) is None


def test_after_clear_date_it_may_go_back() -> None:
    assert moved(LATE, LATE, EARLY, fresh_start=True) == EARLY
    assert moved(LATE, LATE, EARLY) is None


@given(held=DATES, current=DATES, new=DATES)
def test_without_clear_date_it_never_goes_back(
    held: dt.datetime | None, current: dt.datetime | None, new: dt.datetime | None
) -> None:
    result = moved(held, current, new)
    assert result is None or current is None or result > current
