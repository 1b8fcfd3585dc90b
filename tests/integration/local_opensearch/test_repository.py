"""Installing from a Maven repository: a small one of our own, over real HTTP."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from local_opensearch.errors import ChecksumError, DownloadError
from local_opensearch.installation import install, is_complete
from local_opensearch.lock import Jar, Lock
from local_opensearch.pins import MODULES

INCLUDE = str(Path(__file__).parents[3] / "include")
CONTENT = {f"/org/example/a{number}/1/a{number}-1.jar": b"x" * number for number in range(1, 30)}
PROGRAM = """
import sys
from pathlib import Path
from local_opensearch.installation import install
from local_opensearch.lock import read_lock
install(Path(sys.argv[1]), read_lock(Path(sys.argv[2])))
"""


class Repository(ThreadingHTTPServer):
    """Serves :data:`CONTENT` and counts the requests for each path."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Answers)
        self.content = dict(CONTENT)
        self.breaks: Counter[str] = Counter()
        """How often an answer for a path shall still break off."""
        self.asked: Counter[str] = Counter()


class Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Repository

    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        content = self.server.content.get(self.path)
        if content is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.server.breaks[self.path] > 0:
            self.server.breaks[self.path] -= 1
            self.close_connection = True
            content = content[:-1]
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Nothing: the tests' output is no log."""


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Repository]:
    with Repository() as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        settings = tmp_path / "jgo.conf"
        settings.write_text(f"[repositories]\ncentral = http://127.0.0.1:{server.server_port}/\n")
        monkeypatch.setenv("JGO_CONFIG_FILE", str(settings))
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def lock() -> Lock:
    jars = []
    for path, content in CONTENT.items():
        artifact = path.split("/")[3]
        digest = hashlib.sha256(content).hexdigest()
        jars.append(Jar(f"org.example:{artifact}:1", digest, len(content), "lib"))
    return Lock("1", tuple(jars))


def test_each_jar_is_fetched_once_and_laid_out(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    root = tmp_path / "cache" / "opensearch"
    install(root, lock)
    assert repository.asked == Counter(dict.fromkeys(CONTENT, 1))
    found = {file.name for file in (root / "lib").iterdir()}
    assert found == {jar.name for jar in lock.jars}
    descriptors = sorted(root.glob("modules/*/plugin-descriptor.properties"))
    assert len(descriptors) == len(MODULES)
    assert {entry.name for entry in root.parent.iterdir()} == {"opensearch", "opensearch.lock"}

    install(root, lock)
    assert repository.asked.total() == len(CONTENT)


def test_a_changed_jar_is_refused_and_the_rest_is_kept(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    root = tmp_path / "opensearch"
    path = "/org/example/a7/1/a7-1.jar"
    repository.content[path] = b"harmful"
    with pytest.raises(ChecksumError, match=r"a7-1\.jar"):
        install(root, lock)
    assert not root.exists()

    repository.content[path] = CONTENT[path]
    install(root, lock)
    assert is_complete(root, lock)


def test_jars_that_arrived_before_a_failure_are_not_fetched_again(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    root = tmp_path / "opensearch"
    last = list(CONTENT)[-1]
    del repository.content[last]
    with pytest.raises(DownloadError, match="404"):
        install(root, lock)
    repository.content[last] = CONTENT[last]
    arrived = {file.name for file in (tmp_path / "opensearch.part" / "lib").iterdir()}
    repository.asked.clear()
    install(root, lock)
    fetched = {path.rpartition("/")[2] for path in repository.asked}
    assert fetched
    assert not fetched & arrived


def test_a_download_that_breaks_off_is_tried_again(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    path = next(iter(CONTENT))
    repository.breaks[path] = 2
    install(tmp_path / "opensearch", lock)
    assert repository.asked[path] == 3


def test_a_download_that_always_breaks_off_is_an_error(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    path = next(iter(CONTENT))
    repository.breaks[path] = 99
    with pytest.raises(DownloadError, match=r"org\.example:a1:1") as caught:
        install(tmp_path / "opensearch", lock)
    assert "mirror" in caught.value.hint
    assert not (tmp_path / "opensearch").exists()


def test_a_new_lock_replaces_the_installation_and_leaves_no_stray_jar(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    root = tmp_path / "opensearch"
    last = list(CONTENT)[-1]
    del repository.content[last]
    with pytest.raises(DownloadError):
        install(root, lock)
    smaller = Lock("1", lock.jars[:3])
    install(root, smaller)
    assert is_complete(root, smaller)
    assert {file.name for file in root.rglob("*.jar")} == {jar.name for jar in smaller.jars}


def test_a_lost_jar_is_fetched_again(repository: Repository, lock: Lock, tmp_path: Path) -> None:
    root = tmp_path / "opensearch"
    install(root, lock)
    (root / lock.jars[0].path).unlink()
    install(root, lock)
    assert is_complete(root, lock)


def test_without_a_network_the_first_start_says_so(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    repository.server_close()
    with pytest.raises(DownloadError, match="refused") as caught:
        install(tmp_path / "opensearch", lock)
    assert "first start needs the network" in caught.value.hint


def test_two_programs_at_once_fetch_once(
    repository: Repository, lock: Lock, tmp_path: Path
) -> None:
    file = tmp_path / "lock.json"
    file.write_text(lock.as_text())
    root = tmp_path / "opensearch"
    command = [sys.executable, "-c", PROGRAM, str(root), str(file)]
    programs = [
        subprocess.Popen(command, env={**os.environ, "PYTHONPATH": INCLUDE}) for _ in range(3)
    ]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    assert repository.asked == Counter(dict.fromkeys(CONTENT, 1))
