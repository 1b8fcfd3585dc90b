"""What a connection means; nothing of it is ever shown (docs/spec/07-site-definition.md, 7.5)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from site_indexer.errors import ConfigurationError
from site_indexer.indexing.crawl_settings import crawl_settings
from site_indexer.indexing.site_access import EnvironmentConnections, SiteAccess, access_of
from site_indexer.sites.definition import SiteDefinition

BASIC = ("Authorization", "Basic dXNlcjpzZWNyZXQ=")


def from_environment(value: str, name: str = "docs-login") -> SiteAccess:
    return EnvironmentConnections({"SITE_INDEXER_CONNECTION_DOCS_LOGIN": value}).get(name)


def test_a_log_in_headers_and_a_proxy_as_json() -> None:
    extra = {"headers": {"X-Key": "k 1"}, "proxy": "http://p:pw@proxy.example:3128"}
    fields = {"conn_type": "http", "login": "user", "password": "secret", "extra": extra}
    access = from_environment(json.dumps(fields))
    assert access.headers == (BASIC, ("X-Key", "k 1"))
    assert access.proxy == "http://p:pw@proxy.example:3128"
    assert access == from_environment(json.dumps({**fields, "extra": json.dumps(extra)}))


def test_the_same_as_a_url() -> None:
    url = "http://user:secret@/?proxy=http%3A%2F%2Fproxy.example%3A3128&headers=%7B%22A%22%3A%22b%22%7D"
    assert from_environment(url) == SiteAccess((BASIC, ("A", "b")), "http://proxy.example:3128")
    extra = "http://u%40h:p%2F@/?__extra__=%7B%22proxy%22%3A%22http%3A%2F%2Fproxy.example%22%7D"
    assert from_environment(extra).proxy == "http://proxy.example"
    assert from_environment("http://@/") == SiteAccess()


def test_a_connection_that_is_not_there_is_named_with_its_variable() -> None:
    with pytest.raises(ConfigurationError, match="SITE_INDEXER_CONNECTION_DOCS_LOGIN is not set"):
        EnvironmentConnections({}).get("docs.login")


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"extra": '{"headers": {"X": "s3cret"'}, "extra field is no JSON object"),
        ({"extra": '["s3cret"]'}, "extra field is no JSON object"),
        ({"extra": {"header": {"X": "s3cret"}}}, "header; expected headers or proxy"),
        ({"extra": {"headers": "s3cret"}}, "headers is no JSON object"),
        ({"extra": {"headers": {"X\r\nY": "s3cret"}}}, "is no header"),
        ({"extra": {"headers": {"User-Agent": "s3cret"}}}, "'User-Agent' is no header"),
        ({"extra": {"headers": {"X": "s3cret\nZ: 1"}}}, "header X"),
        ({"extra": {"headers": {"X": "s3creté"}}}, "header X"),
        ({"extra": {"headers": {"X": ["s3cret"]}}}, "header X"),
        ({"extra": {"proxy": "s3cret.example:3128"}}, "proxy is no URL"),
        ({"extra": {"proxy": "socks5://u:s3cret@h:1"}}, "proxy is no URL"),
        ({"extra": {"proxy": "http://u:s3cret@h:99999999"}}, "proxy is no URL"),
        ({"extra": {"proxy": "http://u:s3cret@h\n:1"}}, "proxy is no URL"),
        (
            {"login": "a", "extra": {"headers": {"authorization": "s3cret"}}},
            "login and a header Authorization",
        ),
    ],
)
def test_what_cannot_be_used_is_named_and_never_shown(fields: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigurationError, match=named) as refused:
        access_of("docs", **fields)
    error = refused.value
    assert "'docs'" in str(error)
    assert "s3cret" not in f"{error} {error.as_json()} {error.__cause__!r}"
    assert error.__suppress_context__ or error.__context__ is None


def test_nothing_of_it_is_shown_by_chance() -> None:
    access = access_of("docs", login="user", password="secret", extra={"proxy": "http://u:pw@h:1"})
    assert set(access.secrets) == {BASIC[1], "pw"}
    site = {"id": "docs", "name": "d", "owner": "o", "script": {"url": "https://h.example/s"}}
    settings = crawl_settings(SiteDefinition.model_validate(site), access)
    assert (settings.headers, settings.proxy) == ((BASIC,), "http://u:pw@h:1")
    for shown in (repr(access), repr(settings)):
        assert "pw" not in shown
        assert BASIC[1] not in shown


@pytest.mark.parametrize(
    ("script", "entry", "needed"),
    [
        ("https://h.example/s", "https://h.example/", True),
        ("http://h.example/s", "https://h.example/", False),
        ("file:///s", "https://h.example/", True),
        ("http://h.example/s", "http://h.example/", False),
    ],
)
def test_a_site_of_https_alone_tells_its_log_in_over_https_only(
    script: str, entry: str, needed: bool
) -> None:
    site = {"id": "docs", "name": "d", "owner": "o", "script": {"url": script}}
    definition = SiteDefinition.model_validate({**site, "entry_points": [entry]})
    assert crawl_settings(definition).headers_need_tls is needed
