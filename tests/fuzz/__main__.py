"""Fuzz by hand: ``PYTHONPATH=include python -m tests.fuzz --examples 500000 --first 0``.

Prints what broke, with the number that brings it back (``--first``), and the slowest example. One
that takes more than ten seconds of CPU counts as a hang.
"""

from __future__ import annotations

import argparse
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from types import FrameType

from tests.fuzz.mutation import mutated, script_seeds, url_seeds
from tests.fuzz.targets import try_script, try_url

HANGS_AFTER_S = 10.0
MOST_SHOWN = 3
Target = Callable[[bytes, random.Random], None]


class HangError(Exception):
    """An example took too long."""


def run_one(target: Target, seeds: list[bytes], seed: str) -> tuple[bytes, float]:
    """Try the example of a seed; returns it with its seconds. Raises what breaks."""
    source = random.Random(seed)
    data = mutated(seeds, source)
    started = time.perf_counter()
    signal.setitimer(signal.ITIMER_PROF, HANGS_AFTER_S)
    try:
        target(data, source)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return data, time.perf_counter() - started


def run(name: str, target: Target, seeds: list[bytes], first: int, count: int) -> int:
    """Try many; returns how many broke."""
    broken = 0
    slowest = (0.0, b"")
    started = time.monotonic()
    for number in range(first, first + count):
        try:
            data, seconds = run_one(target, seeds, f"{name}{number}")
        except Exception:  # noqa: BLE001 - whatever breaks is what is looked for
            broken += 1
            if broken <= MOST_SHOWN:
                sys.stdout.write(f"{name} {number} broke:\n{traceback.format_exc()}\n")
                sys.stdout.write(f"{mutated(seeds, random.Random(f'{name}{number}'))!r}\n")
            continue
        slowest = max(slowest, (seconds, data))
    sys.stdout.write(
        f"{name}: {count:,} examples from {first:,} on in {time.monotonic() - started:.0f} s,"
        f" {broken} broken, slowest {slowest[0] * 1000:.0f} ms: {slowest[1][:120]!r}\n"
    )
    sys.stdout.flush()
    return broken


def hang(number: int, frame: FrameType | None) -> None:
    """Called by the timer."""
    del number, frame
    raise HangError


def main() -> int:
    """Returns 1 if anything broke."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000, help="of scripts and of URLs each")
    parser.add_argument("--first", type=int, default=0, help="the number of the first example")
    arguments = parser.parse_args()
    signal.signal(signal.SIGPROF, hang)
    broken = run("script", try_script, script_seeds(), arguments.first, arguments.examples)
    broken += run("url", try_url, url_seeds(), arguments.first, arguments.examples)
    return int(broken > 0)


if __name__ == "__main__":
    sys.exit(main())
