"""What all tests share: one real OpenSearch for the whole run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import settings

from local_opensearch import Node

OPENSEARCH_VARIABLE = "SITE_INDEXER_TEST_OPENSEARCH_URL"
"""Address of a running node to use in place of starting one (faster, many runs in a row)."""

# The same examples each time, so that a red run is due to the change at hand; and no deadlines,
# since the machine may be busy. `HYPOTHESIS_PROFILE=hunt` looks for new examples.
settings.register_profile("steady", derandomize=True, deadline=None)
settings.register_profile("hunt", deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "steady"))

MEMORY_DISK = Path("/dev/shm")
MEMORY_DISK_NEEDED = 2**30
HOME_PREFIX = "site-indexer-tests-"


@pytest.fixture(scope="session")
def opensearch_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of an OpenSearch node, started when the first test asks for it.

    All tests share it, so each names its own indexes. It ends with pytest, even if that is killed.
    """
    running = os.environ.get(OPENSEARCH_VARIABLE)
    if running:
        yield running.rstrip("/")
        return
    home = memory_home() or tmp_path_factory.mktemp("opensearch")
    try:
        with Node(home, http_port=0, heap_mb=512) as node:
            yield node.url
    finally:
        shutil.rmtree(home, ignore_errors=True)


def memory_home() -> Path | None:
    """A folder in memory, where the system has that: indexes are made there in a third of the time.

    Folders that killed runs left are removed.
    """
    try:
        if shutil.disk_usage(MEMORY_DISK).free < MEMORY_DISK_NEEDED:
            return None
        for left in MEMORY_DISK.glob(f"{HOME_PREFIX}*"):
            if not psutil.pid_exists(int(left.name.removeprefix(HOME_PREFIX))):
                shutil.rmtree(left, ignore_errors=True)
        home = MEMORY_DISK / f"{HOME_PREFIX}{os.getpid()}"
        home.mkdir(mode=0o700)
    except OSError:
        return None
    return home
