"""What a person does to a site's indexes is in the index log (docs/spec/05-index-lifecycle.md)."""

from __future__ import annotations

import datetime as dt
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from site_indexer.errors import UsageError
from site_indexer.index_store.log_entries import LogRun
from site_indexer.index_store.log_store import LogStore
from site_indexer.index_store.names import Target
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators
from site_indexer.orchestration.live_use_cases import LiveUseCases
from site_indexer.orchestration.operation_use_cases import Operation
from tests.integration.indexing.conftest import remove_indexes

pytestmark = pytest.mark.airflow

NOON = dt.datetime(2026, 11, 24, 12, tzinfo=dt.UTC)


@pytest.fixture
def site(
    opensearch_url: str,
    sites: Path,
    add_site: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[str]:
    monkeypatch.setenv("SITE_INDEXER_OPENSEARCH_URL", opensearch_url)
    name = f"operated-{secrets.token_hex(3)}"
    add_site(name)
    yield name
    remove_indexes(_collaborators(opensearch_url, sites), name)


def _collaborators(opensearch_url: str, sites: Path) -> Any:
    settings = Settings.from_environment({}, sites_dir=sites, opensearch_url=opensearch_url)
    return build_collaborators(settings=settings)


def test_each_leaves_a_log_of_its_own_that_says_who_asked_and_how_it_ended(
    site: str, in_task: Callable[[Callable[[], Any]], Any], opensearch_url: str, sites: Path
) -> None:
    def operation(number: int) -> Operation:
        return Operation(site, f"Dag/run-{number}", "Ada", NOON)

    def operate() -> None:
        cases = LiveUseCases()
        cases.set_watermark(operation(1), Target.STAGED, NOON)
        cases.put_on_hold(operation(2))
        cases.release_hold(operation(3), "keep")
        cases.drop_staged(operation(4))

    in_task(operate)
    with pytest.raises(UsageError, match="Nothing is staged"):
        in_task(lambda: LiveUseCases().look_at_push(operation(5), force=False))

    log = LogStore(_collaborators(opensearch_url, sites).client)
    told = [
        ("watermark", Target.STAGED, "done", "none -> 2026-11-24T12:00:00Z"),
        ("hold", Target.LIVE, "done", "on hold since"),
        ("hold", Target.LIVE, "done", "is released"),
        ("drop-staged", Target.STAGED, "done", "Dropped the staged index"),
        ("push-live", Target.LIVE, "failed", "Nothing is staged"),
    ]
    for number, (kind, target, status, words) in enumerate(told, start=1):
        header = log.run(site, f"Dag/run-{number}")
        assert header is not None, kind
        assert header.run == LogRun(site, kind, target.value, f"Dag/run-{number}")
        assert header.status == status
        messages = [entry.message for entry in log.all(header.run)]
        assert messages[0] == f"{kind} of {site}, asked for by Ada"
        assert any(words in message for message in messages), messages
