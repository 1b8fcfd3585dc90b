"""Settings, run identity and crawl settings."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import pytest

from site_indexer import __version__
from site_indexer.index_store.names import Target
from site_indexer.indexing.crawl_settings import crawl_settings, user_agent
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run_identity import change_set_digest, is_shell_run
from site_indexer.indexing.settings import Settings
from site_indexer.sites.definition import SiteDefinition

REQUEST = RunRequest(
    site="docs",
    target=Target.LIVE,
    run_id="manual__1",
    now=dt.datetime(2026, 11, 30, tzinfo=dt.UTC),
)


def test_options_win_over_the_environment_and_that_over_defaults() -> None:
    environment = {"SITE_INDEXER_SITES": "/env", "SITE_INDEXER_OPENSEARCH_URL": "http://env:1"}
    assert Settings.from_environment({}).opensearch_url == "http://127.0.0.1:9200"
    assert Settings.from_environment({}).sites_dir.name == "sites"
    assert Settings.from_environment(environment).sites_dir == Path("/env")
    chosen = Settings.from_environment(
        environment, sites_dir=Path("/option"), opensearch_url="http://option:2"
    )
    assert (chosen.sites_dir, chosen.opensearch_url) == (Path("/option"), "http://option:2")


def test_a_password_is_never_shown() -> None:
    settings = Settings.from_environment({"SITE_INDEXER_OPENSEARCH_PASSWORD": "hidden-word"})
    assert settings.opensearch_password == "hidden-word"
    assert "hidden-word" not in repr(settings)


@pytest.mark.parametrize(
    "other",
    [
        replace(REQUEST, run_id="manual__2"),
        replace(REQUEST, clear_number=1),
        replace(REQUEST, target=Target.STAGED),
        replace(REQUEST, site="other"),
    ],
)
def test_another_run_or_a_cleared_one_has_a_change_set_of_its_own(other: RunRequest) -> None:
    assert change_set_digest(REQUEST, "plan") != change_set_digest(other, "plan")


def test_a_retry_of_the_same_run_and_plan_has_the_same_change_set() -> None:
    later = replace(REQUEST, now=REQUEST.now + dt.timedelta(hours=1))
    assert change_set_digest(REQUEST, "plan") == change_set_digest(later, "plan")
    assert change_set_digest(REQUEST, "plan") != change_set_digest(REQUEST, "other plan")


def test_runs_of_the_shell_are_told_from_those_of_airflow() -> None:
    assert is_shell_run("shell__20261130T120000Z_ab12cd")
    assert not is_shell_run("manual__2026-11-30")


def test_the_user_agent_is_honest_and_names_the_contact() -> None:
    assert user_agent("") == f"SiteIndexer/{__version__}"
    assert user_agent("https://h/bot") == f"SiteIndexer/{__version__} (+https://h/bot)"


def test_crawl_settings_come_from_the_site_file() -> None:
    definition = SiteDefinition.model_validate(
        {
            "id": "docs",
            "name": "Docs",
            "owner": "o@example.com",
            "script": {"url": "https://docs.example.com/s.txt"},
            "entry_points": ["https://www.example.com/"],
            "crawl": {"delay": "500ms", "robots": "ignore", "follow": "changed", "timeout": "5s"},
        }
    )
    settings = crawl_settings(definition)
    assert (settings.delay_s, settings.timeout_s) == (0.5, 5.0)
    assert not settings.obey_robots
    assert settings.follow_changed_only
    assert len(settings.hosts) == 2
