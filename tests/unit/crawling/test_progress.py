from __future__ import annotations

import logging

import pytest

from site_indexer.crawling.progress import Progress, ProgressReporter


def test_the_log_is_told_every_ten_seconds(caplog: pytest.LogCaptureFixture) -> None:
    times = iter((0.0, 5.0, 10.0, 19.0, 25.0))
    reporter = ProgressReporter(lambda: next(times), None)
    with caplog.at_level(logging.INFO, "site_indexer.crawling"):
        for done in (10, 20, 40, 50):
            reporter.report(done, 7, {"timeout": 2} if done > 20 else {})
    assert [record.getMessage() for record in caplog.records] == [
        "20 pages done (2.0 a second), 7 queued, errors: none",
        "50 pages done (2.0 a second), 7 queued, errors: 2 timeout",
    ]


def test_a_listener_is_told_several_times_a_second_but_not_each_time() -> None:
    times = iter((0.0, 0.1, 0.5, 0.6, 2.0))
    seen: list[Progress] = []
    reporter = ProgressReporter(lambda: next(times), seen.append)
    for done in (1, 2, 3, 20):
        reporter.report(done, 7, {})
    assert seen == [Progress(2, 7, 4.0, {}), Progress(20, 7, 10.0, {})]
