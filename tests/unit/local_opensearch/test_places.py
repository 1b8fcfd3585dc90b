from __future__ import annotations

from pathlib import Path

import pytest

from local_opensearch import places
from site_indexer.errors import ConfigurationError


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"SITE_INDEXER_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a/opensearch-3.9.0")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/site-indexer/opensearch-3.9.0")),
        ({}, Path.home() / ".cache" / "site-indexer" / "opensearch-3.9.0"),
        ({"SITE_INDEXER_CACHE": ""}, Path.home() / ".cache/site-indexer/opensearch-3.9.0"),
    ],
)
def test_the_cache_is_where_the_environment_says(
    environment: dict[str, str], expected: Path
) -> None:
    assert places.cache_root(environment) == expected


def test_a_relative_state_folder_becomes_absolute() -> None:
    assert places.default_home({"SITE_INDEXER_STATE": "x"}) == Path.cwd() / "x" / "opensearch"


def test_state_is_kept_in_the_checkout_by_default() -> None:
    home = places.default_home({})
    assert home.parts[-2:] == (".state", "opensearch")
    assert (home.parents[1] / "pyproject.toml").is_file()


def test_numbers_come_from_the_environment() -> None:
    environment = {places.PORT_VARIABLE: "0", places.HEAP_VARIABLE: "512"}
    assert places.default_http_port(environment) == 0
    assert places.default_heap_mb(environment) == 512
    assert places.default_http_port({}) == 9200
    assert places.default_heap_mb({places.HEAP_VARIABLE: ""}) == 1024


@pytest.mark.parametrize("text", ["x", "-1", "92 00", "65536", "9200.0", "٩٢٠٠"])
def test_a_port_that_is_none_is_named(text: str) -> None:
    with pytest.raises(ConfigurationError, match=places.PORT_VARIABLE) as caught:
        places.default_http_port({places.PORT_VARIABLE: text})
    assert repr(text) in caught.value.message
    assert caught.value.exit_status == 2


def test_only_a_zero_forbids_faster_starts() -> None:
    assert places.fast_start_wanted({})
    assert places.fast_start_wanted({places.FAST_START_VARIABLE: "1"})
    assert not places.fast_start_wanted({places.FAST_START_VARIABLE: "0"})
