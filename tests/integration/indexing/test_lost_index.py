"""A watermark that outlives its index is an error that says what to do, not silence (6.5)."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from site_indexer.errors import LostIndexError
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunStatus
from site_indexer.indexing.watermark_setting import set_watermark
from tests.integration.indexing.conftest import Workbench, remove_indexes
from tests.integration.indexing.small_sites import adding, day, pages, script_of, serve


class ElsewhereWatermarks:
    """Watermarks that are kept where losing OpenSearch's data does not reach, as Airflow's are."""

    outlives_index = True

    def __init__(self) -> None:
        self.kept: dict[tuple[str, Target], dt.datetime] = {}

    def get(self, site: str, target: Target) -> dt.datetime | None:
        return self.kept.get((site, target))

    def set(self, site: str, target: Target, value: dt.datetime) -> None:
        self.kept[site, target] = value

    def clear(self, site: str, target: Target) -> None:
        self.kept.pop((site, target), None)

    def place(self, site: str, target: Target) -> str:
        return f"Variable of {site}"


@pytest.fixture
def bench(workbench: Workbench) -> Workbench:
    """A site of six pages whose watermark is kept elsewhere."""
    workbench.collaborators = replace(workbench.collaborators, watermarks=ElsewhereWatermarks())
    serve(workbench, range(8))
    workbench.use_script(*script_of(adding(range(6))))
    return workbench


def lose(bench: Workbench) -> None:
    """Lose what OpenSearch holds of the site, as a lost volume does."""
    remove_indexes(bench.collaborators, bench.site)
    client = bench.collaborators.client
    # The search that it begins with must not meet what has just been deleted.
    client.indices.refresh(index="site-indexer.state")
    query = {"query": {"bool": {"filter": [{"term": {"site": bench.site}}]}}}
    client.delete_by_query(index="site-indexer.state", body=query, params={"refresh": "true"})


def test_a_lost_index_is_told_by_every_run_until_clear_date(bench: Workbench) -> None:
    bench.run()
    lose(bench)
    for _ in range(2):
        with pytest.raises(LostIndexError, match=f"Variable of {bench.site}") as caught:
            bench.run()
        assert "Clear date" in caught.value.hint
    assert bench.watermark() == day(0)
    assert bench.run(clear_date=True).status is RunStatus.PUBLISHED
    assert pages(bench) == set(range(6))
    assert bench.run().status is RunStatus.UNCHANGED


def test_also_where_the_script_has_something_new(bench: Workbench) -> None:
    bench.run()
    lose(bench)
    bench.use_script(*script_of(adding(range(6)), adding([6])))
    with pytest.raises(LostIndexError):
        bench.run()
    with pytest.raises(LostIndexError):
        bench.run(target=Target.STAGED)


def test_a_date_that_was_set_on_purpose_before_the_first_run_counts(bench: Workbench) -> None:
    set_watermark(bench.collaborators, bench.site, Target.LIVE, day(0))
    assert bench.run().status is RunStatus.UNCHANGED
    bench.use_script(*script_of(adding(range(6)), adding([6])))
    assert bench.run().status is RunStatus.PUBLISHED
    assert pages(bench) == {6}


def test_a_site_whose_runs_have_changed_nothing_so_far_is_not_lost(bench: Workbench) -> None:
    bench.use_script(*script_of(["delete {web}/p/0"]))
    assert bench.run().status is RunStatus.UNCHANGED
    assert bench.watermark() == day(0)
    assert bench.run().status is RunStatus.UNCHANGED
