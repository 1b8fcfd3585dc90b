"""Runs that end in their first task tidy up as others do (05-index-lifecycle.md, 5.13)."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.index_store.log_store import LogStore
from site_indexer.indexing import inspection
from site_indexer.indexing.holding import put_on_hold
from site_indexer.indexing.model import RunStatus
from tests.integration.indexing.conftest import NOW, Workbench
from tests.integration.indexing.small_sites import adding, script_of, serve


def open_generations(workbench: Workbench) -> list[str]:
    listed = inspection.generations(workbench.collaborators, workbench.site)
    return [each["generation"] for each in listed if each["open"]]


def status_in_log(workbench: Workbench) -> str:
    newest, *_ = LogStore(workbench.collaborators.client).runs(workbench.site)
    return newest.status


@pytest.fixture
def later(workbench: Workbench) -> dt.datetime:
    """Two hours after two runs have published."""
    serve(workbench, range(2))
    for count in (1, 2):
        workbench.use_script(*script_of(*[adding([number]) for number in range(count)]))
        workbench.run()
    assert len(open_generations(workbench)) >= 2
    return dt.datetime.now(dt.UTC) + dt.timedelta(hours=2)


def test_a_run_that_finds_nothing_new_closes_what_was_shown_before(
    workbench: Workbench, later: dt.datetime
) -> None:
    assert workbench.run(now=later).status is RunStatus.UNCHANGED
    assert open_generations(workbench) == [workbench.generation()]
    assert status_in_log(workbench) == "unchanged"


def test_so_does_one_that_ends_since_the_site_is_on_hold(
    workbench: Workbench, later: dt.datetime
) -> None:
    put_on_hold(workbench.collaborators, workbench.site, by="Ada", now=NOW)
    assert workbench.run(now=later).status is RunStatus.HELD
    assert open_generations(workbench) == [workbench.generation()]
    assert status_in_log(workbench) == "held"


def test_a_dry_run_closes_nothing(workbench: Workbench, later: dt.datetime) -> None:
    before = open_generations(workbench)
    assert workbench.run(now=later, dry_run=True).status is RunStatus.DRY_RUN
    assert open_generations(workbench) == before
