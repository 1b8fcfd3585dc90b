from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.crawling.http_status import (
    failure_of_status,
    is_transient_status,
    retry_after_s,
)
from site_indexer.crawling.responses import Failure

NOW = dt.datetime(2026, 11, 30, 12, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize("status", [200, 203, 404, 410])
def test_pages_and_their_absence_are_judged(status: int) -> None:
    assert failure_of_status(status) is None


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (201, Failure.PROTOCOL),
        (204, Failure.PROTOCOL),
        (206, Failure.PROTOCOL),
        (300, Failure.PROTOCOL),
        (305, Failure.PROTOCOL),
        (400, Failure.CLIENT_ERROR),
        (401, Failure.FORBIDDEN),
        (403, Failure.FORBIDDEN),
        (418, Failure.CLIENT_ERROR),
        (429, Failure.RATE_LIMITED),
        (500, Failure.SERVER_ERROR),
        (599, Failure.SERVER_ERROR),
        (999, Failure.PROTOCOL),
    ],
)
def test_other_statuses_are_failures_that_name_the_status(status: int, failure: Failure) -> None:
    found = failure_of_status(status)
    assert found is not None
    assert found[0] is failure
    assert str(status) in found[1]


def test_not_modified_is_an_answer_to_validators_only() -> None:
    assert failure_of_status(304, conditional=True) is None
    assert failure_of_status(304) is not None


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_need_a_target(status: int) -> None:
    assert failure_of_status(status, located=True) is None
    assert failure_of_status(status) is not None


def test_what_can_pass_within_seconds() -> None:
    transient = {status for status in range(100, 700) if is_transient_status(status)}
    assert {408, 425, 429, 500, 502, 503, 504, 520} <= transient
    assert transient.isdisjoint({200, 301, 404, 403, 410, 501, 505, 511, 600})


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1.5", None),
        ("0", 0),
        (" 120 ", 120),
        ("9" * 5000, 999_999_999),
        ("Mon, 30 Nov 2026 12:00:30 GMT", 30),
        ("Mon, 30 Nov 2026 11:00:00 GMT", 0),
        ("²", None),
    ],
)
def test_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds
