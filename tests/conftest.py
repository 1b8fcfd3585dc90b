"""What all tests share: one real OpenSearch for the whole run."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from local_opensearch import Node

OPENSEARCH_VARIABLE = "SITE_INDEXER_TEST_OPENSEARCH_URL"
"""Address of a running node to use in place of starting one (faster, many runs in a row)."""


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an OpenSearch node, started when the first test asks for it.

    All tests share it, so each names its own indexes. It ends with pytest, even if that is killed.
    """
    running = os.environ.get(OPENSEARCH_VARIABLE)
    if running:
        yield running.rstrip("/")
        return
    home = tmp_path_factory.mktemp("opensearch")
    with Node(home, http_port=0, heap_mb=512) as node:
        yield node.url
