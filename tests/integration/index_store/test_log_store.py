"""The index log in OpenSearch: one order for all writers, pages, search, retention."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from site_indexer.index_store import log_retention
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.instants import iso
from site_indexer.index_store.log_entries import Level, LogEntry, LogRun
from site_indexer.index_store.log_index import LOG_VERSION, ensure_log
from site_indexer.index_store.log_retention import KEPT_LONGER, KEPT_RUNS, prune_logs
from site_indexer.index_store.log_store import Ending, LogStore
from site_indexer.index_store.names import LOG_INDEX

AT = dt.datetime(2026, 11, 30, 12, tzinfo=dt.UTC)


@pytest.fixture
def store(client: StoreClient) -> LogStore:
    ensure_log(client)
    return LogStore(client)


@pytest.fixture
def run() -> LogRun:
    return LogRun(f"site-{secrets.token_hex(4)}", "script", "live", "run-1")


def entries(count: int, level: Level = Level.INFO, words: str = "entry") -> list[LogEntry]:
    return [LogEntry(AT, level, "add", f"{words} {number}") for number in range(count)]


def numbers(found: Sequence[LogEntry]) -> list[int]:
    return [each.number for each in found]


def test_writers_at_the_same_time_share_one_order_without_gaps(
    store: LogStore, run: LogRun
) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: store.append(run, entries(7, words=f"writer {n}")), range(8)))
    assert numbers(list(store.all(run))) == list(range(1, 57))
    [header] = store.runs(run.site)
    assert (header.entries, header.status, header.run) == (56, "running", run)


def test_pages_go_forward_and_backward_and_from_any_line(store: LogStore, run: LogRun) -> None:
    store.append(run, entries(10))
    store.append(LogRun(run.site, "script", "live", "run-2"), entries(3))
    assert numbers(store.page(run, count=4).entries) == [1, 2, 3, 4]
    assert numbers(store.page(run, start=5, count=4).entries) == [5, 6, 7, 8]
    assert numbers(store.page(run, start=9, count=4).entries) == [9, 10]
    assert numbers(store.page(run, start=11, count=4).entries) == []
    assert numbers(store.last_page(run, count=4).entries) == [7, 8, 9, 10]
    assert numbers(store.last_page(run, before=7, count=4).entries) == [3, 4, 5, 6]
    assert store.page(run, start=9, count=4).total == store.last_page(run, count=1).total == 10


def test_what_is_written_is_there_for_the_next_reader(store: LogStore, run: LogRun) -> None:
    for count in (1, 2, 3):
        store.append(run, entries(1))
        assert store.page(run).total == count


def test_errors_only(store: LogStore, run: LogRun) -> None:
    store.append(run, [*entries(3), *entries(2, Level.ERROR), *entries(1, Level.WARNING)])
    page = store.page(run, errors_only=True)
    assert (numbers(page.entries), page.total) == ([4, 5], 2)
    assert numbers(list(store.all(run, errors_only=True))) == [4, 5]
    [header] = store.runs(run.site)
    assert (header.errors, header.warnings) == (2, 1)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("mountain", [1]),
        ("MOUNTAIN.html", [1]),
        ("/en/mountain.html", [1]),
        ("mountain.en", []),
        ("en answer", [2]),
        ("answer mountain", []),
        ("503", []),
    ],
)
def test_entries_are_found_by_the_words_of_messages_and_urls(
    store: LogStore, run: LogRun, words: str, found: list[int]
) -> None:
    urls = ("https://www.example.com/en/mountain.html", "https://www.example.com/en/")
    store.append(
        run,
        [
            LogEntry(AT, Level.INFO, "add", "indexed", url=urls[0]),
            LogEntry(AT, Level.ERROR, "add", "no answer in time", url=urls[1], status=503),
        ],
    )
    assert numbers(store.page(run, words=words).entries) == found


def test_a_run_says_how_it_ended_and_its_header_keeps_the_summary(
    store: LogStore, run: LogRun
) -> None:
    store.append(run, entries(1))
    store.append(run, [], Ending("failed", {"errors": 3}, if_running=True))
    store.append(run, [], Ending("published", {"indexed": 5}))
    store.append(run, [], Ending("failed", {}, if_running=True))
    header = store.run(run.site, run.run_id)
    assert header is not None
    assert (header.status, header.entries) == ("published", 1)
    assert header.counts == {"errors": 3, "indexed": 5}


def test_runs_of_a_site_by_target_newest_first(store: LogStore, run: LogRun) -> None:
    staged = LogRun(run.site, "script", "staged", "run-2")
    newest = LogRun(run.site, "script", "live", "run-3")
    for each in (run, staged, newest):
        store.append(each, entries(1))
    assert [header.run for header in store.runs(run.site)] == [newest, staged, run]
    assert [header.run for header in store.runs(run.site, target="live")] == [newest, run]
    assert [header.run for header in store.runs(run.site, count=1)] == [newest]
    assert store.run(run.site, "run-9") is None


def test_old_logs_go_with_all_their_entries_and_nothing_else(store: LogStore, run: LogRun) -> None:
    runs = [LogRun(run.site, "script", "live", f"run-{n}") for n in range(KEPT_RUNS + 2)]
    other = LogRun(run.site, "script", "staged", "run-0")
    for each in (other, *runs):
        store.append(each, entries(2), Ending("unchanged", {}))
    store.runs(run.site)
    now = dt.datetime.now(dt.UTC)
    assert prune_logs(store, runs[-1], now, wait=True) == 2
    assert len(store.runs(run.site, target="live", count=100)) == KEPT_RUNS
    assert {header.run for header in store.runs(run.site, count=100)} == {other, *runs[2:]}
    for gone in runs[:2]:
        assert list(store.all(gone)) == []
    assert all(store.page(kept).total == 2 for kept in (other, *runs[2:]))
    assert prune_logs(store, runs[-1], now, wait=True) == 0


def test_runs_of_long_ago_go_however_many_there_are_since(
    store: LogStore, run: LogRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A site that publishes often has more runs in 30 days than pruning looks at from the top."""
    monkeypatch.setattr(log_retention, "AT_ONCE", 3)
    runs = [LogRun(run.site, "script", "live", f"run-{n}") for n in range(KEPT_RUNS + 10)]
    for each in runs:
        store.append(each, entries(2), Ending("published", {}))
    now = dt.datetime.now(dt.UTC)
    for each in runs[:5]:
        long_ago = {"started_at": iso(now - KEPT_LONGER), "written_at": iso(now - KEPT_LONGER)}
        store.client.update(index=LOG_INDEX, id=each.key, body={"doc": long_ago})
    store.runs(run.site)
    later = now + dt.timedelta(seconds=1)
    assert prune_logs(store, runs[-1], later, wait=True) == 3
    assert prune_logs(store, runs[-1], later, wait=True) == 2
    assert prune_logs(store, runs[-1], later, wait=True) == 0
    assert {header.run for header in store.runs(run.site, count=100)} == set(runs[5:])


def test_the_newest_runs_stay_however_long_ago_they_were(
    store: LogStore, run: LogRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_retention, "AT_ONCE", 3)
    runs = [LogRun(run.site, "script", "live", f"run-{n}") for n in range(KEPT_RUNS + 4)]
    for each in runs:
        store.append(each, entries(1), Ending("published", {}))
    store.runs(run.site)
    far = dt.datetime.now(dt.UTC) + 2 * KEPT_LONGER
    counts = [prune_logs(store, runs[-1], far, wait=True) for _ in range(3)]
    assert sum(counts) == 4
    assert {header.run for header in store.runs(run.site, count=100)} == set(runs[4:])


def test_a_log_that_an_older_version_has_made_is_begun_anew(client: StoreClient) -> None:
    ensure_log(client)
    client.indices.put_mapping(index=LOG_INDEX, body={"_meta": {"version": LOG_VERSION - 1}})
    ensure_log(client)
    found = client.indices.get_mapping(index=LOG_INDEX)[LOG_INDEX]["mappings"]
    assert found["_meta"] == {"version": LOG_VERSION}
    ensure_log(client)


def test_without_an_index_there_is_nothing_to_read(
    client: StoreClient, run: LogRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("site_indexer.index_store.log_store.LOG_INDEX", "site-indexer.not-there")
    store = LogStore(client)
    assert store.runs(run.site) == []
    assert store.page(run).total == 0
    assert list(store.all(run)) == []
