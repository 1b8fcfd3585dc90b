"""Runs one crawler and measures what it cost: time, CPU by part, memory."""

from __future__ import annotations

import json
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_SAMPLED_EVERY_S = 0.2
_NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"
_COMPILERS = ("C1 Compiler", "C2 Compiler")


@dataclass(frozen=True, slots=True)
class Measured:
    """One run, from the start of its process to its end; seconds, and bytes of memory.

    ``opensearch_compiling`` is what of OpenSearch's CPU went into compiling its own code, which on
    a node that was just started can be most of it. ``said`` is what the crawler itself counted.
    """

    seconds: float
    crawler_cpu: float
    opensearch_cpu: float
    opensearch_compiling: float
    server_cpu: float
    peak_memory: int
    said: Mapping[str, object]


def measure(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str],
    log: Path,
    opensearch: Callable[[], Iterable[psutil.Process]],
    server: Callable[[], Iterable[psutil.Process]],
) -> Measured:
    """Run a command to its end. Its last line on standard output is JSON: what it counted.

    Raises SystemExit with the end of its log if it fails.
    """
    before = [_cpu_of(opensearch()), _compiling(opensearch()), _cpu_of(server())]
    started = time.monotonic()
    with log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, env={**_environment(), **environment}
        )
        sampler = MemorySampler(process.pid)
        sampler.start()
        output = process.stdout.read() if process.stdout is not None else b""
        # With the times of its own children, as far as it has waited for them.
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        sampler.stop()
    if process.returncode:
        raise SystemExit(
            f"{' '.join(map(str, command))} ended with status {process.returncode}:\n"
            + "\n".join(log.read_text(errors="replace").splitlines()[-20:])
        )
    after = [_cpu_of(opensearch()), _compiling(opensearch()), _cpu_of(server())]
    return Measured(
        seconds=seconds,
        crawler_cpu=usage.ru_utime + usage.ru_stime,
        opensearch_cpu=after[0] - before[0],
        opensearch_compiling=after[1] - before[1],
        server_cpu=after[2] - before[2],
        peak_memory=sampler.peak,
        said=json.loads(output.splitlines()[-1]),
    )


def _environment() -> dict[str, str]:
    """This one's, but that modules are compiled once, as it is for most people."""
    return {name: value for name, value in os.environ.items() if name != _NO_BYTECODE}


def _cpu_of(processes: Iterable[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def _compiling(processes: Iterable[psutil.Process]) -> float:
    """The CPU seconds of the compiler threads of Java processes."""
    ticks = 0
    for process in processes:
        for thread in Path(f"/proc/{process.pid}/task").iterdir():
            with suppress(OSError):  # a thread that has just ended
                name, _, rest = (thread / "stat").read_text().partition("(")[2].rpartition(")")
                if name.startswith(_COMPILERS):
                    fields = rest.split()
                    ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class MemorySampler(threading.Thread):
    """Looks several times a second how much memory a process and its children hold."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process(pid)
        self._ended = threading.Event()
        self.now = 0
        self.peak = 0
        self.cpu = 0.0

    def run(self) -> None:
        while not self._ended.wait(_SAMPLED_EVERY_S):
            with suppress(psutil.Error):
                tree = [self._process, *self._process.children(recursive=True)]
                self.now = sum(_resident(process) for process in tree)
                self.peak = max(self.peak, self.now)
                self.cpu = _cpu_of(tree)

    def stop(self) -> None:
        self._ended.set()
        self.join()


def _resident(process: psutil.Process) -> int:
    """The resident memory of a process; what forked processes share counts in each of them."""
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0
