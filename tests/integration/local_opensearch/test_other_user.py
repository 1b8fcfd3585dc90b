"""The node works for root and for others alike: these tests run it as the other kind."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from local_opensearch.installation import install
from local_opensearch.places import cache_root

pytestmark = [
    pytest.mark.opensearch,
    pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user"),
]

INCLUDE = str(Path(__file__).parents[3] / "include")
PACKAGES = sysconfig.get_path("purelib")
# This interpreter may stand in root's home, which is closed to others; the system's never does.
INTERPRETERS = (sys.executable, "/usr/bin/python3")
NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder of the other user; pytest's own are closed to others."""
    path = Path(tempfile.mkdtemp(prefix="local-opensearch-"))
    os.chown(path, NOBODY, NOBODY)
    yield path
    shutil.rmtree(path)


def interpreter(folder: Path) -> str:
    """One that the other user may run, with the packages of this one."""
    for program in INTERPRETERS:
        with suppress(OSError):
            tried = as_nobody(folder, program, "-m", "local_opensearch", "--help")
            if tried.returncode == 0:
                return program
    pytest.skip("no Python that other users may run can read this checkout")


def as_nobody(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": f"{INCLUDE}{os.pathsep}{PACKAGES}",
            "HOME": str(folder),
            "SITE_INDEXER_CACHE": str(folder / "cache"),
            "SITE_INDEXER_STATE": str(folder / "state"),
            "SITE_INDEXER_OPENSEARCH_PORT": "0",
            "SITE_INDEXER_OPENSEARCH_HEAP_MB": "512",
        },
    )


def test_a_user_without_rights_runs_it_from_a_cache_that_is_read_only(folder: Path) -> None:
    python = interpreter(folder)
    installed = install(cache_root()).root
    shutil.copytree(installed, folder / "cache" / installed.name)

    started = as_nobody(folder, python, "-m", "local_opensearch", "start", "--format", "json")
    assert started.returncode == 0, started.stderr
    document = json.loads(started.stdout)
    assert document["home"] == str(folder / "state" / "opensearch")
    assert os.stat(f"/proc/{document['pid']}").st_uid == NOBODY

    stopped = as_nobody(folder, python, "-m", "local_opensearch", "stop", "--format", "json")
    assert json.loads(stopped.stdout)["stopped"]
