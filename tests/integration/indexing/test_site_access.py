"""A site behind a log-in and a proxy, run whole (docs/spec/07-site-definition.md, 7.5)."""

from __future__ import annotations

import base64
import json
import logging
import secrets
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from site_indexer.errors import ConfigurationError
from site_indexer.index_store.names import Target
from site_indexer.indexing import inspection
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest, RunStatus
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.site_access import EnvironmentConnections
from site_indexer.indexing.wiring import build_collaborators
from tests.integration.crawling.forward_proxy import PASSWORD, ForwardProxy, forward_proxy
from tests.integration.crawling.hostile_server import Client, HostileServer, Seen, hostile_server
from tests.integration.indexing.conftest import NOW, remove_indexes, write_site

LOG_IN = base64.b64encode(b"user:s3cret").decode()
HTML = "Content-Type: text/html"


def protected(server: HostileServer, path: str, body: str, kind: str = HTML) -> str:
    """Answer a path for those who are logged in and have the key, and nobody else."""

    def answer(client: Client, seen: Seen) -> None:
        right = seen.headers.get("authorization") == f"Basic {LOG_IN}"
        if right and seen.headers.get("x-key") == "k3y":
            client.send(server.reply(body.encode(), kind, "Connection: close"))
        else:
            client.send(server.reply(b"", "Connection: close", status="401 Log in"))

    return server.answer(path, answer)


@pytest.fixture
def proxy() -> Iterator[ForwardProxy]:
    with forward_proxy() as running:
        yield running


@pytest.fixture
def server() -> Iterator[HostileServer]:
    with hostile_server("127.0.0.5") as running:
        url = running.url
        inner = f"http://127.0.0.9:{running.port}/inner"
        links = f'<a href="/a">a</a><a href="/b">b</a><a href="{inner}">inner</a>'
        protected(running, "/", f"<title>Start</title>{links}")
        protected(running, "/a", "<title>A</title>Text of a.")
        away = running.reply(b"", "Location: http://127.0.0.1:9/away", status="302 Found")
        running.answer("/b", away)
        script = f"date Tue, 06 Jan 2026 10:00:00 GMT\nadd {url('/')}\ninclude {inner}\n"
        protected(running, "/indexlist.txt", script, "Content-Type: text/plain")
        yield running


@pytest.fixture
def site(server: HostileServer, opensearch_url: str, tmp_path: Path) -> Iterator[Collaborators]:
    settings = Settings.from_environment({}, sites_dir=tmp_path, opensearch_url=opensearch_url)
    collaborators = build_collaborators(settings=settings)
    name = f"access-{secrets.token_hex(4)}"
    write_site(
        tmp_path,
        name,
        server.url("/indexlist.txt"),
        server.url("/"),
        hosts=[f"127.0.0.9:{server.port}"],
        crawl={"delay": "0s", "allow_networks": ["127.0.0.5/32"], "connection": "docs-login"},
    )
    yield collaborators
    remove_indexes(collaborators, name)


def connected(collaborators: Collaborators, proxy: str | None) -> Collaborators:
    extra = {"headers": {"X-Key": "k3y"}, **({"proxy": proxy} if proxy else {})}
    text = json.dumps({"login": "user", "password": "s3cret", "extra": extra})
    variables = {"SITE_INDEXER_CONNECTION_DOCS_LOGIN": text}
    return replace(collaborators, connections=EnvironmentConnections(variables))


def request(collaborators: Collaborators) -> RunRequest:
    (path,) = collaborators.sites_dir.glob("*.yaml")
    return RunRequest(site=path.stem, target=Target.LIVE, run_id="shell__test", now=NOW)


@pytest.mark.parametrize("proxied", [True, False])
def test_log_in_headers_and_proxy_are_used_and_never_shown(
    site: Collaborators,
    server: HostileServer,
    proxy: ForwardProxy,
    caplog: pytest.LogCaptureFixture,
    proxied: bool,
) -> None:
    collaborators = connected(site, proxy.url if proxied else None)
    asked = request(collaborators)
    with caplog.at_level(logging.DEBUG):
        result = run(collaborators, asked)

    assert result.status is RunStatus.PUBLISHED
    listed = inspection.documents(collaborators, asked.site, target=Target.LIVE, mask=None)
    assert [document["url"] for document in listed] == [server.url("/"), server.url("/a")]
    assert all(("via" in seen.headers) is proxied for seen in server.seen)
    assert (len(proxy.asked) == len(server.seen)) is proxied
    assert not any("127.0.0.9" in line or "/away" in line for line in proxy.asked)
    assert "127.0.0.9 is a loopback address" in caplog.text
    for secret in ("s3cret", LOG_IN, "k3y", PASSWORD):
        assert secret not in caplog.text
    kept = str(site.client.search(index=f"{asked.site}.*,site-indexer.state", size=500))
    for secret in ("s3cret", LOG_IN, "k3y", PASSWORD):
        assert secret not in kept


def test_a_proxy_that_refuses_is_said_without_its_password(
    site: Collaborators, proxy: ForwardProxy, caplog: pytest.LogCaptureFixture
) -> None:
    wrong = proxy.url.replace(PASSWORD, "wr0ng")
    collaborators = connected(site, wrong)
    with caplog.at_level(logging.DEBUG), pytest.raises(Exception, match="407") as failed:
        run(collaborators, request(collaborators))
    assert proxy.refused > 0
    assert "wr0ng" not in f"{failed.value} {caplog.text}"


def test_a_connection_that_is_not_there_ends_the_run_before_any_request(
    site: Collaborators, server: HostileServer
) -> None:
    collaborators = replace(site, connections=EnvironmentConnections({}))
    with pytest.raises(ConfigurationError, match="SITE_INDEXER_CONNECTION_DOCS_LOGIN"):
        run(collaborators, request(collaborators))
    assert server.seen == []
