"""Publishing updates the asset of a site's live index, and only publishing does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from airflow.models.asset import AssetEvent, AssetModel
from airflow.utils.session import create_session
from sqlalchemy import select

from site_indexer.indexing.model import RunStatus
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.definition import SiteDefinition

pytestmark = pytest.mark.airflow


def events_of(site: str) -> list[Any]:
    chosen = (
        select(AssetEvent)
        .join(AssetModel, AssetModel.id == AssetEvent.asset_id)
        .where(AssetModel.uri == f"x-site-indexer://{site}/live")
    )
    with create_session() as session:
        return list(session.scalars(chosen))


def test_a_publish_of_live_updates_it_with_the_generation(
    definition: SiteDefinition, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    run = run_dag(build_script_dag(definition, fakes))
    [event] = events_of(definition.id)
    assert event.extra["generation"] == "shop.g-20261124t060000z"
    assert event.extra["run_id"] == run.run_id
    assert event.source_task_id == "publish"


def test_a_publish_of_staged_does_not(
    definition: SiteDefinition, fakes: Any, run_dag: Callable[..., Any]
) -> None:
    assert run_dag(build_script_dag(definition, fakes), {"target": "staged"}).state == "success"
    assert events_of(definition.id) == []


def test_a_run_that_changes_nothing_does_not(
    definition: SiteDefinition,
    fakes: Any,
    run_dag: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    publish = fakes.publish

    def nothing(request: Any, digest: str) -> Any:
        return replace(publish(request, digest), status=RunStatus.UNCHANGED, generation=None)

    monkeypatch.setattr(fakes, "publish", nothing)
    assert run_dag(build_script_dag(definition, fakes)).state == "success"
    assert events_of(definition.id) == []
