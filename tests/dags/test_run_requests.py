from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

from site_indexer.errors import RunFailedError, UsageError
from site_indexer.index_store.names import Target
from site_indexer.orchestration.run_options import RunOptions
from site_indexer.orchestration.run_requests import (
    REQUEST_KEY,
    find_request,
    keep_request,
    make_request,
    take_request,
)
from site_indexer.planning.model import Window
from site_indexer.sites.definition import SiteDefinition

START = dt.datetime(2026, 11, 24, 6, 0, 1, 250_000, tzinfo=dt.UTC)
TICK = dt.datetime(2026, 11, 24, 1, 30, tzinfo=dt.UTC)


def a_run(**fields: Any) -> Any:
    usual: dict[str, Any] = {
        "run_id": "manual__1",
        "run_type": "manual",
        "start_date": START,
        "run_after": TICK,
        "clear_number": 0,
        "logical_date": None,
        "conf": None,
    }
    return SimpleNamespace(**{**usual, **fields})


class XComs:
    """The XComs of one run."""

    def __init__(self) -> None:
        self.kept: dict[str, Any] = {}

    def xcom_push(self, key: str, value: Any) -> None:
        self.kept[key] = value

    def xcom_pull(self, task_ids: str, key: str) -> Any:
        return self.kept.get(key)


def context(xcoms: XComs) -> Any:
    return {"ti": xcoms}


@pytest.mark.parametrize("kind", ["manual", "scheduled", "asset_triggered"])
def test_a_run_changes_live_by_the_watermark(kind: str, definition: SiteDefinition) -> None:
    request = make_request(definition, a_run(run_type=kind, logical_date=TICK), RunOptions())
    assert request.target is Target.LIVE
    assert request.window is None
    assert (request.site, request.run_id, request.now) == (definition.id, "manual__1", START)


def test_a_run_that_was_asked_for_staged_changes_staged(definition: SiteDefinition) -> None:
    options = RunOptions(target=Target.STAGED, clear_date=True, dry_run=True)
    request = make_request(definition, a_run(clear_number=2), options)
    assert request.target is Target.STAGED
    assert (request.clear_date, request.dry_run, request.clear_number) == (True, True, 2)


def test_a_backfill_stages_the_blocks_since_the_tick_before(definition: SiteDefinition) -> None:
    run = a_run(run_type="backfill", run_id="scheduled__1", logical_date=TICK)
    request = make_request(definition, run, RunOptions())
    assert request.target is Target.STAGED
    assert request.window == Window(from_=TICK - dt.timedelta(hours=6), to=TICK)


def test_a_backfill_changes_live_if_it_says_so(definition: SiteDefinition) -> None:
    run = a_run(run_type="backfill", logical_date=TICK)
    assert make_request(definition, run, RunOptions(target=Target.LIVE)).target is Target.LIVE


def test_windows_that_follow_each_other_meet_also_when_clocks_change(
    make_definition: Callable[..., SiteDefinition],
) -> None:
    definition = make_definition(schedule={"every": "48m", "base_time": "00:00"})
    tick = dt.datetime(2026, 3, 29, 12, 12, tzinfo=dt.UTC)
    while tick > dt.datetime(2026, 3, 28, 12, tzinfo=dt.UTC):
        run = a_run(run_type="backfill", logical_date=tick)
        window = make_request(definition, run, RunOptions()).window
        assert window is not None
        assert window.from_ < window.to == tick
        tick = window.from_


def test_a_backfill_has_no_use_for_clear_date(definition: SiteDefinition) -> None:
    run = a_run(run_type="backfill", logical_date=TICK)
    with pytest.raises(UsageError, match="clear_date"):
        make_request(definition, run, RunOptions(clear_date=True))


def test_a_backfill_has_windows_of_its_own(definition: SiteDefinition) -> None:
    run = a_run(run_type="backfill", logical_date=TICK)
    with pytest.raises(UsageError, match="'from' and 'to'"):
        make_request(definition, run, RunOptions(window=Window(from_=TICK, to=START)))


def test_a_run_by_hand_takes_the_window_of_the_form_on_live(definition: SiteDefinition) -> None:
    window = Window(from_=TICK, to=START)
    request = make_request(definition, a_run(), RunOptions(window=window))
    assert (request.window, request.target) == (window, Target.LIVE)


def test_a_site_without_a_schedule_cannot_be_backfilled(
    make_definition: Callable[..., SiteDefinition],
) -> None:
    run = a_run(run_type="backfill", logical_date=TICK)
    with pytest.raises(UsageError, match="no schedule"):
        make_request(make_definition(schedule=None), run, RunOptions())


@pytest.mark.parametrize("kind", [{}, {"run_type": "backfill", "logical_date": TICK}])
def test_a_request_that_was_kept_is_the_request(
    kind: Mapping[str, Any], definition: SiteDefinition
) -> None:
    request = make_request(definition, a_run(**kind), RunOptions())
    xcoms = XComs()
    keep_request(context(xcoms), request)
    assert take_request(context(xcoms)) == request
    assert isinstance(xcoms.kept[REQUEST_KEY]["now"], str)


def test_without_a_request_a_task_says_what_to_clear() -> None:
    assert find_request(context(XComs())) is None
    with pytest.raises(RunFailedError, match="Clear read_script"):
        take_request(context(XComs()))
