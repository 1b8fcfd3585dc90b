"""Crawls a site of a million small pages, and tells whether memory and speed stay level.

    PYTHONPATH=include python benchmarks/crawl/million.py [--pages 200000]

One run of this product: crawl, change set, publish. Every 10,000 pages the rate and the memory of
the process are noted. Meant: less than 500 MB, and the median rate of the last ten 10,000s within
20 % of that of the first ten. Before it a smaller site is crawled, which does not count, so that
the node has compiled what it needs. It takes a quarter of an hour or more, and 5 GB of disk.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import yaml
from made_up_pages import made_up
from measuring import MemorySampler

from local_opensearch import Node

HERE = Path(__file__).parent
STEP = 10_000
COMPARED = 10
WARM_UP = 100_000
MOST_MB = 500
MOST_CHANGE = 0.2
_PROGRESS = re.compile(r"(\d+) pages done \(([0-9.]+) a second\), (\d+) queued, errors: (.*)")


def write_site(folder: Path, site: str, origin: str, pages: int) -> None:
    """The site's definition, without limits that stop it."""
    definition = {
        "id": site,
        "name": "Made up pages",
        "owner": "team@example.com",
        "script": {"url": f"{origin}/script.list"},
        "crawl": {
            "delay": "0s",
            "concurrency": 8,
            "max_pages": 2 * pages,
            "max_depth": 1_000,
            "max_minutes": 1_440,
            "allow_networks": ["127.0.0.0/8"],
        },
        "index": {"replicas": 0},
    }
    (folder / f"{site}.yaml").write_text(yaml.safe_dump(definition))


@dataclass
class Watched:
    """How a crawl went: its progress as (seconds, pages), and peak memory in MB by phase."""

    progress: list[tuple[float, int]] = field(default_factory=list)
    peaks: dict[str, int] = field(default_factory=dict)

    def rates(self) -> list[float]:
        """The rate of each 10,000 pages, in order; times between two reports are interpolated."""
        marks: list[float] = []
        for (before, less), (after, more) in pairwise([(0.0, 0), *self.progress]):
            while more > less and (len(marks) + 1) * STEP <= more:
                share = ((len(marks) + 1) * STEP - less) / (more - less)
                marks.append(before + share * (after - before))
        return [STEP / (after - before) for before, after in pairwise([0.0, *marks])]


def watch(pid: int, log: Iterable[str]) -> Watched:
    """Read a run's log to its end, and tell of each report of its progress."""
    watched = Watched()
    memory = MemorySampler(pid)
    memory.start()
    begun = time.monotonic()
    phase = "crawl"
    for line in log:
        if "pages fetched, " in line and phase == "crawl":
            watched.peaks[phase] = memory.peak // 2**20
            memory.peak = 0
            phase = "publish"
        progress = _PROGRESS.search(line)
        if progress is not None:
            watched.progress.append((time.monotonic() - begun, int(progress[1])))
            print(f"{progress[0]}, {memory.now // 2**20} MB, {memory.cpu:.0f} s of CPU", flush=True)
        elif " ERROR " in line or " WARNING " in line:
            print(line, end="")
    memory.stop()
    watched.peaks[phase] = memory.peak // 2**20
    return watched


def crawl(site: str, folder: Path, opensearch: str, pages: int) -> tuple[Watched, int]:
    """Crawl a made-up site of so many pages; how it went, and how many pages it had.

    Raises SystemExit where the run fails.
    """
    with made_up(pages) as (origin, _):
        write_site(folder, site, origin, pages)
        command = [sys.executable, HERE / "engine.py", "--site", site, "--sites-dir", folder]
        with subprocess.Popen(
            [*command, "--opensearch", opensearch],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            watched = watch(process.pid, process.stderr or ())
            output = process.stdout.read() if process.stdout is not None else ""
    if process.returncode:
        raise SystemExit(f"The run ended with status {process.returncode}.")
    return watched, json.loads(output.splitlines()[-1])["pages"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=1_000_000)
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as name,
        Node(Path(name) / "opensearch", http_port=0, heap_mb=1024) as node,
    ):
        print("Warming up", flush=True)
        crawl("warm-up", Path(name), node.url, min(WARM_UP, options.pages))
        print("Measuring", flush=True)
        started = time.monotonic()
        watched, pages = crawl("million", Path(name), node.url, options.pages)
        seconds = time.monotonic() - started
    rates = watched.rates()
    first, last = (statistics.median(part) for part in (rates[:COMPARED], rates[-COMPARED:]))
    print(f"{pages:,} pages in {seconds:,.0f} s, searchable.")
    print(f"First ten 10,000s: median {first:,.0f}/s; last ten: {last:,.0f}/s ({last / first:.2f})")
    for phase, peak in watched.peaks.items():
        print(f"Peak memory, {phase}: {peak} MB")
    level = abs(1 - last / first) <= MOST_CHANGE
    return int(not (level and max(watched.peaks.values()) < MOST_MB))


if __name__ == "__main__":
    sys.exit(main())
