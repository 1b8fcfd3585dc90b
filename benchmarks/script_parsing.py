"""How long a huge index script takes to read, and how much memory, for one that has run for years.

    PYTHONPATH=include python benchmarks/script_parsing.py

1,000,000 lines in 200,000 blocks, of which the newest 1 % are selected: read in chunks as they
would come from a server, parsed, checked, and selected by watermark. Each case is a process of its
own, so that its memory is its own. The ratios tell what the blocks that are not selected cost.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from site_indexer.index_script.writing import format_date_line
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import Criteria, select_by
from site_indexer.urls import SiteHosts

BLOCKS = 200_000
FIRST = dt.datetime(2001, 9, 9, tzinfo=dt.UTC)
APART = dt.timedelta(minutes=30)
NOW = FIRST + BLOCKS * APART
CHUNK = 2**18
HOST = "https://www.example.com"


def write_script(path: Path, blocks: int) -> None:
    """Five lines a block: a date, three commands, and the blank line that ends it."""
    with path.open("w") as file:
        for number in range(blocks):
            file.write(
                f"{format_date_line(FIRST + number * APART)}\n"
                f"add {HOST}/news/{number}.html nofollow\n"
                f"update {HOST}/section-{number % 500}/\n"
                f"delete {HOST}/old/{number}.html\n"
                "\n"
            )


def chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            yield chunk


def measure(path: Path, selected: int, *, hosts: bool) -> dict[str, float]:
    """Read and select; seconds of CPU, and the memory that was added at most, in MB."""
    blocks = sum(1 for line in path.open() if line.startswith("date"))
    criteria = Criteria(watermark=FIRST + (blocks - selected - 1) * APART, window=None, now=NOW)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    script = read_script(
        chunks(path),
        "benchmark",
        NOW,
        SiteHosts([HOST]) if hosts else None,
        criteria=criteria,
    )
    parsed = time.process_time()
    selection = select_by(script, criteria)
    seconds = time.process_time() - parsed
    assert len(selection.selected) == selected, len(selection.selected)
    assert sum(len(block.commands) for block in script.blocks) == 3 * selected
    assert not script.diagnostics
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"parse_s": parsed - started, "select_s": seconds, "memory_mb": (peak - before) / 1024}


def in_process(path: Path, selected: int, *, hosts: bool) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", str(path), str(selected), str(int(hosts))]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=BLOCKS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        path, selected, hosts = arguments.one
        print(json.dumps(measure(Path(path), int(selected), hosts=hosts == "1")))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "indexlist.txt"
        blocks = arguments.blocks
        write_script(path, blocks)
        megabytes = path.stat().st_size / 2**20
        print(f"{blocks * 5:,} lines in {blocks:,} blocks, {megabytes:.0f} MiB; best of rounds")
        cases = {
            "newest 1 % selected": (blocks // 100, False),
            "the same, hosts checked": (blocks // 100, True),
            "all selected": (blocks, False),
        }
        best: dict[str, dict[str, float]] = {}
        for _ in range(arguments.rounds):
            for name, (selected, hosts) in cases.items():
                found = in_process(path, selected, hosts=hosts)
                known = best.setdefault(name, found)
                best[name] = {key: min(known[key], value) for key, value in found.items()}
        for name, found in best.items():
            print(
                f"{name:24} parse {found['parse_s']:5.2f} s   select {found['select_s']:5.2f} s"
                f"   memory {found['memory_mb']:5.0f} MB"
            )
        few, everything = best["newest 1 % selected"], best["all selected"]
        print(f"time:   1 % / all = {few['parse_s'] / everything['parse_s']:.2f}")
        print(f"memory: 1 % / all = {few['memory_mb'] / everything['memory_mb']:.2f}")


if __name__ == "__main__":
    main()
