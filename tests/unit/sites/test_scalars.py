"""Durations, sizes and shares (docs/spec/07-site-definition.md, 7.2)."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.sites.scalars import (
    duration_text,
    parse_duration,
    parse_share,
    parse_size,
    share_text,
)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("200ms", 0.2), ("90s", 90), ("15m", 900), ("1.5h", 5400), ("3d", 259_200), ("0s", 0)],
)
def test_durations_are_a_number_and_a_unit(text: str, seconds: float) -> None:
    assert parse_duration(text) == dt.timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "90", "90 s", "s", "-5m", "5w", "1h30m"])
def test_other_texts_are_no_duration_and_the_error_shows_the_form(text: str) -> None:
    with pytest.raises(ValueError, match="expected a duration such as"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("value", "size"), [("10MiB", 10 * 2**20), ("512KiB", 512 * 1024), (4096, 4096), ("7B", 7)]
)
def test_sizes_are_bytes_or_binary_units(value: object, size: int) -> None:
    assert parse_size(value) == size


@pytest.mark.parametrize("value", ["10MB", "ten", "", True, "1.5MiB"])
def test_other_values_are_no_size(value: object) -> None:
    with pytest.raises(ValueError, match="expected a size such as"):
        parse_size(value)


def test_shares_are_percentages() -> None:
    assert parse_share("20%") == 0.2
    assert parse_share("0%") == 0
    assert parse_share("12.5%") == 0.125


@pytest.mark.parametrize("value", ["20", "101%", "-1%", "%", 20])
def test_other_values_are_no_share(value: object) -> None:
    with pytest.raises(ValueError, match="expected a share"):
        parse_share(value)


@pytest.mark.parametrize("text", ["0s", "200ms", "1s", "90s", "15m", "6h", "3d", "1500ms"])
def test_durations_are_written_as_a_site_file_has_them(text: str) -> None:
    assert duration_text(parse_duration(text)) == text


@given(st.integers(0, 10**9))
def test_a_duration_that_is_written_reads_as_itself(milliseconds: int) -> None:
    value = dt.timedelta(milliseconds=milliseconds)
    assert parse_duration(duration_text(value)) == value


@given(st.integers(0, 1000))
def test_a_share_that_is_written_reads_as_itself(thousandths: int) -> None:
    assert parse_share(share_text(thousandths / 1000)) == pytest.approx(thousandths / 1000)
