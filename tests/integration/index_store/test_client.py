"""The connection: what is understood, what is refused, and what errors say."""

from __future__ import annotations

import socket
import threading
from pathlib import Path
from typing import Any

import pytest

from site_indexer.errors import (
    ConfigurationError,
    SiteIndexerError,
    StoreRefusedError,
    StoreUnreachableError,
)
from site_indexer.index_store import scan
from site_indexer.index_store.client import (
    StoreClient,
    StoreFullError,
    address_of,
    connect,
    require_supported,
    store_errors,
)

from .scripted_server import Request, answering

SECRET = "s3cr%40t"  # as a URL has it


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def version(number: str, distribution: str | None = "opensearch") -> dict[str, Any]:
    return {"version": {"number": number, "distribution": distribution}}


@pytest.mark.opensearch
def test_a_real_node_is_supported(client: StoreClient) -> None:
    assert require_supported(client) == "3.9.0"


@pytest.mark.parametrize("number", ["2.12.0", "2.19.1", "3.0.0-rc1", "10.1.0"])
def test_supported_versions(number: str) -> None:
    with answering(lambda _: (200, version(number))) as url:
        assert require_supported(connect(url)) == number


@pytest.mark.parametrize("number", ["1.3.0", "2.11.1"])
def test_versions_that_are_too_old(number: str) -> None:
    with (
        answering(lambda _: (200, version(number))) as url,
        pytest.raises(StoreRefusedError, match=f"{number} .* 2.12 or newer"),
    ):
        require_supported(connect(url))


def test_another_product() -> None:
    with (
        answering(lambda _: (200, version("8.15.0", None))) as url,
        pytest.raises(StoreRefusedError, match="not OpenSearch"),
    ):
        require_supported(connect(url))


def test_nobody_listens() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    with pytest.raises(StoreUnreachableError) as error:
        require_supported(connect(url))
    assert url in str(error.value)
    assert "ask for its version" in str(error.value)
    assert error.value.transient
    assert error.value.exit_status == 3


def test_no_answer_in_time() -> None:
    end = threading.Event()

    def wait(_: Request) -> tuple[int, Any]:
        end.wait(30)
        return 200, {}

    with answering(wait) as url:
        try:
            with pytest.raises(StoreUnreachableError, match="does not answer"):
                require_supported(connect(url, timeout_s=0.05))
        finally:
            end.set()


@pytest.mark.parametrize(
    ("status", "kind", "expected"),
    [
        (401, "security_exception", StoreRefusedError),
        (403, "security_exception", StoreRefusedError),
        (429, "circuit_breaking_exception", StoreUnreachableError),
        (503, "cluster_manager_not_discovered_exception", StoreUnreachableError),
        (400, "parsing_exception", StoreRefusedError),
        (500, "illegal_state_exception", StoreRefusedError),
    ],
)
def test_error_answers(status: int, kind: str, expected: type[SiteIndexerError]) -> None:
    cause = {"type": kind, "reason": "because"}
    answer = {"error": {**cause, "root_cause": [cause]}, "status": status}
    with (
        answering(lambda _: (status, answer)) as url,
        pytest.raises(expected, match="ask for its version") as error,
    ):
        require_supported(connect(url))
    assert type(error.value) is expected


@pytest.mark.parametrize(
    "reason",
    [
        "index [a.live] blocked by: [TOO_MANY_REQUESTS/12/disk usage exceeded flood-stage"
        " watermark, index has read-only-allow-delete block];",
        "index [a.live] blocked by: [FORBIDDEN/12/index read-only / allow delete (api)];",
    ],
)
def test_a_full_disk(reason: str) -> None:
    cause = {"type": "cluster_block_exception", "reason": reason}
    answer = {"error": {**cause, "root_cause": [cause]}, "status": 403}
    with answering(lambda _: (403, answer)) as url, pytest.raises(StoreFullError) as error:
        require_supported(connect(url))
    assert "a.live" in error.value.message
    assert "/a.live/_settings" in error.value.hint
    assert error.value.transient


@pytest.mark.parametrize(
    ("status", "block", "expected", "words"),
    [
        (503, "SERVICE_UNAVAILABLE/1/state not recovered / initialized", StoreUnreachableError, ""),
        (503, "SERVICE_UNAVAILABLE/2/no cluster manager", StoreUnreachableError, ""),
        (403, "FORBIDDEN/8/index write (api)", StoreRefusedError, "sealed"),
        (403, "FORBIDDEN/5/index read-only (api)", StoreRefusedError, "sealed"),
        (403, "FORBIDDEN/7/index read (api)", StoreRefusedError, "index read"),
        (403, "FORBIDDEN/4/index closed", StoreRefusedError, "index closed"),
    ],
)
def test_blocks_that_pass_and_blocks_that_stay(
    status: int, block: str, expected: type[SiteIndexerError], words: str
) -> None:
    cause = {"type": "cluster_block_exception", "reason": f"index [a.live] blocked by: [{block}];"}
    answer = {"error": {**cause, "root_cause": [cause]}, "status": status}
    with answering(lambda _: (status, answer)) as url, pytest.raises(expected) as error:
        require_supported(connect(url))
    assert words in error.value.message
    assert ("sealed" in error.value.message) == (words == "sealed")


def test_no_disk_left_for_new_indexes() -> None:
    reason = "blocked by: [FORBIDDEN/10/cluster create-index blocked (api)];"
    cause = {"type": "index_create_block_exception", "reason": reason}
    answer = {"error": {**cause, "root_cause": [cause]}, "status": 403}
    with answering(lambda _: (403, answer)) as url, pytest.raises(StoreFullError):
        require_supported(connect(url))


@pytest.mark.parametrize("status", [404, 500])
@pytest.mark.parametrize("body", [b"<html>", b"", b'{"error": "plain"}'])
def test_answers_that_are_not_opensearch(status: int, body: bytes) -> None:
    with answering(lambda _: (status, body)) as url, pytest.raises(StoreRefusedError):
        require_supported(connect(url))


def test_a_good_answer_that_is_no_json() -> None:
    with (
        answering(lambda _: (200, b"<html>")) as url,
        pytest.raises(StoreRefusedError, match="makes no sense"),
    ):
        require_supported(connect(url))


def test_credentials_go_along_and_never_show() -> None:
    seen: list[str | None] = []

    def refuse(request: Request) -> tuple[int, Any]:
        seen.append(request.authorization)
        return 401, {"error": "Unauthorized"}

    with answering(refuse) as url:
        client = connect(url.replace("http://", f"http://ann:{SECRET}@"))
        with pytest.raises(StoreRefusedError) as error:
            require_supported(client)
    assert seen[0] is not None
    assert seen[0].startswith("Basic ")
    shown = f"{error.value} {error.value.as_json()} {client!r} {address_of(client)}"
    for secret in ("s3cr", "ann", seen[0].removeprefix("Basic ")):
        assert secret not in shown


def test_credentials_of_an_unreachable_node_do_not_show() -> None:
    client = connect(f"http://ann:{SECRET}@127.0.0.1:{free_port()}")
    with pytest.raises(StoreUnreachableError) as error:
        require_supported(client)
    assert "s3cr" not in str(error.value)


@pytest.mark.parametrize(
    "url", ["", "localhost:9200", "ftp://x", "http://", "http://[::1", "http://h:x", "http://a b/"]
)
def test_addresses_that_are_none(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not an http"):
        connect(url)


def test_a_url_may_have_a_path() -> None:
    paths: list[str] = []

    def note(request: Request) -> tuple[int, Any]:
        paths.append(request.path)
        return 200, version("3.9.0")

    with answering(note) as url:
        require_supported(connect(f"{url}/search/"))
    assert paths == ["/search/"]


def test_certificates_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="certificates"):
        connect("https://127.0.0.1:9200", ca_certs=str(tmp_path / "none.pem"))


def test_an_address_without_a_client_is_taken_from_the_error() -> None:
    port = free_port()
    client = connect(f"http://127.0.0.1:{port}")
    with pytest.raises(StoreUnreachableError, match=f"127.0.0.1:{port}"), store_errors("look"):
        client.info()


@pytest.mark.opensearch
def test_a_missing_index_is_named(client: StoreClient) -> None:
    with pytest.raises(StoreRefusedError, match="no such index"):
        list(scan.scan(client, "t-not-there", query={"match_all": {}}, source=True))
