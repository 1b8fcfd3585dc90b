"""A start in half the time: classes loaded and linked ahead of time.

Java can store what a program loads while it starts, and map it into memory at the next start (the
"AOT cache" of JEP 483). It is made once for an installation and a Java runtime, by a node that is
started, used for a moment and ended. A node without it works the same, only later.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from local_opensearch import file_lock, probe
from local_opensearch.boot import NodePlan, start_process, wait_ready
from local_opensearch.errors import JavaUnusableError, LocalNodeError
from local_opensearch.installation import Installation, lock_path
from local_opensearch.java import common_options
from local_opensearch.process import end_node

START_S = 120.0
END_S = 60.0
ASSEMBLY_S = 120.0

WORK_PREFIX = "prepare-"

# Java says each time which of the stored things it could not use.
QUIET = "-Xlog:aot*=error"

EXERCISE: tuple[tuple[str, str, object], ...] = (
    ("PUT", "/a", {"mappings": {"properties": {"t": {"type": "text", "analyzer": "english"}}}}),
    ("PUT", "/b", {"settings": {"number_of_replicas": 0}}),
    ("PUT", "/a/_doc/1?refresh=true", {"t": "What is used here starts faster", "n": 1}),
    ("POST", "/_reindex?refresh=true", {"source": {"index": "a"}, "dest": {"index": "b"}}),
    ("POST", "/_aliases", {"actions": [{"add": {"index": "b", "alias": "c"}}]}),
    ("POST", "/c/_search", {"query": {"match": {"t": "faster"}}, "sort": [{"n": "asc"}]}),
    ("DELETE", "/a", None),
)
"""Requests that touch what the product uses."""

log = logging.getLogger(__name__)


def options(installation: Installation, java: Path, heap_mb: int) -> tuple[str, ...]:
    """Java options for a fast start; none where it could not be prepared.

    The first call prepares it, in some 15 s, in the installation's folder. Failures are logged
    and not tried again, but for a Java that does not run at all: that raises
    :class:`~local_opensearch.errors.JavaUnusableError`.
    """
    archive = installation.root / f"start-{_runtime_key(java)}.aot"
    try:
        if not archive.exists():
            with file_lock.exclusive(lock_path(installation.root)):
                if not archive.exists():
                    _prepare(archive, installation, java, heap_mb)
        usable = archive.stat().st_size > 0
    except OSError as error:
        log.info("Starting without stored classes: %s", error)
        return ()
    return (f"-XX:AOTCache={archive}", QUIET) if usable else ()


def _runtime_key(java: Path) -> str:
    """Changes with the Java runtime: Java refuses what another one stored."""
    home = java.resolve().parents[1]
    modules = home / "lib" / "modules"
    try:
        stat = modules.stat()
        text = f"{home} {stat.st_size} {stat.st_mtime_ns}"
    except OSError:
        text = str(home)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _prepare(archive: Path, installation: Installation, java: Path, heap_mb: int) -> None:
    """Make ``archive``; an empty file says that it cannot be made."""
    log.info("Preparing OpenSearch for faster starts: this happens once and takes some 15 s")
    for left_over in installation.root.glob(f"{WORK_PREFIX}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=WORK_PREFIX, dir=installation.root))
    try:
        new = folder / archive.name
        plan = NodePlan(home=folder / "home", installation=installation, java=java, heap_mb=heap_mb)
        recording = folder / "recording"
        _record(plan, recording)
        _assemble(plan, recording, new)
        new.replace(archive)
    except JavaUnusableError:
        raise
    except (LocalNodeError, subprocess.SubprocessError) as error:
        log.info("Starts stay slower: %s", error)
        archive.touch()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _record(plan: NodePlan, recording: Path) -> None:
    """Run a node for a moment and have Java write down what it loaded."""
    record_options = ("-XX:AOTMode=record", f"-XX:AOTConfiguration={recording}", QUIET)
    began = time.time()
    launched = start_process(replace(plan, java_options=record_options), attached=True)
    try:
        port = wait_ready(plan, launched.pid, began, START_S)
        for method, path, body in EXERCISE:
            probe.ask(port, method, path, body)
    finally:
        end_node(launched.pid, plan.home, END_S)
        launched.release()


def _assemble(plan: NodePlan, recording: Path, archive: Path) -> None:
    """Turn the recording into the archive. Raises ``subprocess.SubprocessError``."""
    command = [
        str(plan.java),
        *common_options(plan.heap_mb),
        "-XX:AOTMode=create",
        f"-XX:AOTConfiguration={recording}",
        f"-XX:AOTCache={archive}",
        QUIET,
        "-cp",
        plan.installation.class_path,
    ]
    subprocess.run(  # noqa: S603 - our own program
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=ASSEMBLY_S,
        check=True,
    )
