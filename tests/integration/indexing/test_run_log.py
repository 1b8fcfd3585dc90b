"""The index log of runs: what is in it, while and after they run."""

from __future__ import annotations

import datetime as dt
import logging
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from demo_site.faults import Fault
from site_indexer.errors import RunFailedError, ScriptError, StoreUnreachableError
from site_indexer.index_store import log_store
from site_indexer.index_store.log_entries import Level, LogEntry, LogRun
from site_indexer.index_store.log_store import LogStore
from site_indexer.index_store.names import STATE_INDEX, Target
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.tidying import tidy
from tests.integration.indexing.conftest import Workbench

SCRIPT = (
    "date Tue, 01 Jan 2013 10:00:00 GMT",
    "add {web}/en/ nofollow",
    "add {web}/nowhere/ nofollow",
    "add {web}/broken/ nofollow",
    "delete {web}/old/",
)


@pytest.fixture(autouse=True)
def _as_in_the_product(caplog: pytest.LogCaptureFixture) -> None:
    """The shell and Airflow tell at INFO."""
    caplog.set_level(logging.INFO, "site_indexer")


def log_of(workbench: Workbench, run_id: str, target: Target = Target.LIVE) -> list[LogEntry]:
    run = LogRun(workbench.site, "script", target.value, run_id)
    return list(LogStore(workbench.collaborators.client).all(run))


def status_of(workbench: Workbench, run_id: str) -> str:
    header = LogStore(workbench.collaborators.client).run(workbench.site, run_id)
    assert header is not None
    return header.status


def test_a_run_tells_of_each_page_and_step_and_ends_with_its_summary(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT)
    workbench.web.faults.set("/broken/", Fault(status=500))
    web = workbench.web.url
    request = workbench.request()
    result = workbench.run_request(request)
    entries = log_of(workbench, request.run_id)
    assert [entry.number for entry in entries] == list(range(1, len(entries) + 1))

    pages = {entry.url: entry for entry in entries if entry.url is not None}
    found = pages[f"{web}/en/"]
    assert (found.level, found.action, found.line) == (Level.INFO, "add", 2)
    assert (found.status, found.message) == (200, "indexed")
    assert found.bytes
    assert found.milliseconds is not None
    assert (pages[f"{web}/nowhere/"].level, pages[f"{web}/nowhere/"].status) == (Level.WARNING, 404)
    assert (pages[f"{web}/broken/"].level, pages[f"{web}/broken/"].status) == (Level.ERROR, 500)

    actions = [entry.action for entry in entries]
    order = ["read_script", "plan", "delete", "add", "review", "publish", "tidy", "result"]
    assert list(dict.fromkeys(actions)) == order
    assert any(f"Published {result.generation}" in entry.message for entry in entries)
    assert entries[-1].message.startswith("Summary: 3 pages crawled, 1 indexed, 0 unchanged, ")

    header = LogStore(workbench.collaborators.client).run(workbench.site, request.run_id)
    assert header is not None
    assert header.status == "published"
    assert {name: header.counts[name] for name in ("crawled", "indexed", "removed", "errors")} == {
        "crawled": 3,
        "indexed": 1,
        "removed": 0,
        "errors": 1,
    }
    assert header.errors == 1


def test_a_page_is_told_once(workbench: Workbench) -> None:
    request = workbench.request()
    result = workbench.run_request(request)
    told = [entry.url for entry in log_of(workbench, request.run_id) if entry.message == "indexed"]
    assert len(told) == len(set(told))
    assert len(told) >= result.counts["indexed"]


@pytest.mark.parametrize(
    ("lines", "options", "status"),
    [
        (SCRIPT[:1], {}, RunStatus.UNCHANGED),
        (SCRIPT, {"dry_run": True}, RunStatus.DRY_RUN),
    ],
)
def test_a_run_that_ends_early_says_so(
    workbench: Workbench, lines: tuple[str, ...], options: dict[str, bool], status: RunStatus
) -> None:
    workbench.use_script(*lines)
    if status is RunStatus.UNCHANGED:
        workbench.run()
    request = workbench.request(**options)
    workbench.run_request(request)
    assert status_of(workbench, request.run_id) == status.value
    assert log_of(workbench, request.run_id)


def test_a_dry_run_writes_nothing_but_its_log(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT)
    client = workbench.collaborators.client
    client.indices.refresh(index=STATE_INDEX, params={"ignore_unavailable": "true"})
    before = client.count(index=f"{STATE_INDEX}*")["count"]
    request = workbench.request(dry_run=True)
    workbench.run_request(request)
    client.indices.refresh(index=STATE_INDEX, params={"ignore_unavailable": "true"})
    assert client.indices.get_alias(index=f"{workbench.site}.*") == {}
    assert client.count(index=f"{STATE_INDEX}*")["count"] == before
    assert any(f"add {workbench.web.url}/en/" in e.message or "/en/" in e.message
               for e in log_of(workbench, request.run_id))  # fmt: skip


def test_tidying_up_after_a_dry_run_removes_nothing(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT)
    workbench.run()
    client = workbench.collaborators.client
    later = dt.datetime.now(dt.UTC) + dt.timedelta(days=30)
    there = set(client.indices.get_alias(index=f"{workbench.site}.*"))
    request = workbench.request(dry_run=True, now=later)
    assert tidy(workbench.collaborators, request) == {"removed": []}
    assert set(client.indices.get_alias(index=f"{workbench.site}.*")) == there
    assert status_of(workbench, request.run_id) == "failed"
    assert tidy(workbench.collaborators, workbench.request(now=later))["removed"]


def test_an_error_in_the_script_is_in_the_log_with_its_line(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT, "ad {web}/en/")
    request = workbench.request()
    with pytest.raises(ScriptError):
        workbench.run_request(request)
    errors = [e for e in log_of(workbench, request.run_id) if e.level is Level.ERROR]
    assert errors[0].line == len(SCRIPT) + 1
    assert status_of(workbench, request.run_id) == "failed"
    [last] = errors[1:]
    assert "errors in new blocks" in last.message or "error" in last.message


def test_a_run_that_was_killed_is_a_failed_one_once_it_is_tidied(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT)
    request = workbench.request()
    workbench.prepare(request)
    assert status_of(workbench, request.run_id) == "running"
    tidy(workbench.collaborators, request)
    assert status_of(workbench, request.run_id) == "failed"


def test_the_log_is_read_while_it_is_written(workbench: Workbench) -> None:
    stalled = "/en/collections/"
    workbench.web.faults.set(stalled, Fault(stall=True))
    request = workbench.request()
    enough = threading.Event()

    def read() -> int:
        count = 0
        while count < 50 and not enough.is_set():
            count = sum(entry.url is not None for entry in log_of(workbench, request.run_id))
        workbench.web.faults.clear()
        return count

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        try:
            workbench.run_request(request)
        finally:
            enough.set()
        assert reader.result() >= 50


def test_runs_at_the_same_time_in_one_process_have_logs_of_their_own(workbench: Workbench) -> None:
    workbench.use_script(*SCRIPT)
    benches = [workbench, workbench.twin()]
    requests = [bench.request() for bench in benches]
    with ThreadPoolExecutor(2) as pool:
        list(
            pool.map(lambda pair: pair[0].run_request(pair[1]), zip(benches, requests, strict=True))
        )
    for bench, request, other in zip(benches, requests, benches[::-1], strict=True):
        text = "\n".join(entry.message for entry in log_of(bench, request.run_id))
        assert f"{bench.site}.live" in text
        assert f"{other.site}.live" not in text


def _refuse(*arguments: object) -> None:
    raise StoreUnreachableError("OpenSearch does not answer.")


@pytest.mark.parametrize("place", ["_reserve", "append"])
def test_a_log_that_cannot_be_written_leaves_the_run_as_it_is(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    refuse: Callable[..., None] = _refuse
    monkeypatch.setattr(log_store.LogStore, place, refuse)
    workbench.use_script(*SCRIPT)
    assert workbench.run().status is RunStatus.PUBLISHED


def test_a_run_without_a_log_index_goes_on_without_a_log(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("site_indexer.indexing.recording.ensure_log", _refuse)
    workbench.use_script(*SCRIPT)
    assert workbench.run().status is RunStatus.PUBLISHED
    assert "This run has no index log" in caplog.text


def test_a_failed_step_is_one_error_and_points_to_the_log(
    workbench: Workbench, caplog: pytest.LogCaptureFixture
) -> None:
    lines = [f"add {{web}}/broken/{n} nofollow" for n in range(6)]
    for n in range(6):
        workbench.web.faults.set(f"/broken/{n}", Fault(status=500))
    workbench.use_script(SCRIPT[0], *lines)
    request = workbench.request()
    with caplog.at_level("INFO"), pytest.raises(RunFailedError) as failed:
        workbench.run_request(request)
    entries = log_of(workbench, request.run_id)
    assert [e.action for e in entries if e.message == str(failed.value)] == ["review"]
    assert f"site-indexer log {workbench.site} --run {request.run_id} --errors-only" in caplog.text
