"""Durations, sizes and shares (docs/spec/07-site-definition.md, 7.2)."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.sites.scalars import parse_duration, parse_share, parse_size


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
