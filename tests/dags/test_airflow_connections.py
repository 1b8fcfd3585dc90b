"""A site's connection as Airflow keeps it (docs/spec/07-site-definition.md, 7.5)."""

from __future__ import annotations

import json

import pytest

from site_indexer.errors import ConfigurationError
from site_indexer.indexing.site_access import EnvironmentConnections
from site_indexer.orchestration import airflow_connections
from site_indexer.orchestration.airflow_connections import AirflowConnections

CONNECTION = {
    "conn_type": "http",
    "login": "user",
    "password": "secret",
    "extra": {"headers": {"X-Key": "key-of-the-site"}, "proxy": "http://p:proxy%20word@h:3128"},
}


def test_it_holds_the_same_as_in_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    text = json.dumps(CONNECTION)
    monkeypatch.setenv("AIRFLOW_CONN_DOCS_LOGIN", text)
    shell = EnvironmentConnections({"SITE_INDEXER_CONNECTION_DOCS_LOGIN": text})
    assert AirflowConnections().get("docs_login") == shell.get("docs_login")


def test_its_secrets_are_masked_in_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    masked: list[str] = []
    monkeypatch.setattr(airflow_connections, "mask_secret", masked.append)
    monkeypatch.setenv("AIRFLOW_CONN_DOCS_LOGIN", json.dumps(CONNECTION))
    AirflowConnections().get("docs_login")
    assert set(masked) == {
        "Basic dXNlcjpzZWNyZXQ=",
        "key-of-the-site",
        "proxy%20word",
        "proxy word",
    }


def test_one_that_is_not_there_is_named(airflow_database: None) -> None:
    with pytest.raises(ConfigurationError, match="'no_such'") as missing:
        AirflowConnections().get("no_such")
    assert "Admin > Connections" in str(missing.value)
