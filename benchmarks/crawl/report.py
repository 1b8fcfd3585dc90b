"""What was measured, as tables for people."""

from __future__ import annotations

import datetime as dt
import os
import platform
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from contestants import ENGINE, RECRAWL_TARGET, SCRAPY, TARGETS
from measuring import Measured

Runs = dict[str, list[Measured]]


@dataclass
class Results:
    """All runs of one site: by crawler, of full crawls and of those that found all unchanged."""

    title: str
    documents: int = 0
    full: Runs = field(default_factory=dict)
    unchanged: Runs = field(default_factory=dict)


def tables(results: Sequence[Results], command: str) -> str:
    """All results as Markdown."""
    lines = [
        f"    {command}",
        "",
        f"{dt.datetime.now(dt.UTC):%Y-%m-%d}, {_machine()}; load average at the end"
        f" {os.getloadavg()[0]:.1f}.",
        "",
    ]
    for each in results:
        lines += [f"**{each.title}**: {each.documents:,} documents, the same in each index.", ""]
        lines += _table("full crawl", each.documents, each.full, TARGETS)
        if each.unchanged:
            lines += _table(
                "all unchanged", each.documents, each.unchanged, {SCRAPY: RECRAWL_TARGET}
            )
    return "\n".join(lines)


def _machine() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    model = models[0] if models else platform.machine()
    return f"{cores} cores ({model}), {memory:.0f} GB, Python {platform.python_version()}"


def _table(what: str, documents: int, runs: Runs, targets: Mapping[str, float]) -> Iterator[str]:
    rates = {name: [documents / run.seconds for run in each] for name, each in runs.items()}
    ours = statistics.median(rates[ENGINE]) if ENGINE in rates else None
    yield (
        f"| {what} | pages/s, min / median / max | CPU s per 1,000 pages: crawler | OpenSearch"
        " | and compiling itself | server | peak MB | site-indexer is |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, each in runs.items():
        rate = rates[name]
        speeds = " / ".join(
            f"{speed:,.0f}" for speed in (min(rate), statistics.median(rate), max(rate))
        )
        cpu = " | ".join(
            f"{1000 * statistics.median(map(seconds, each)) / documents:.2f}" for seconds in _PARTS
        )
        peak = max(run.peak_memory for run in each) / 2**20
        yield f"| {name} | {speeds} | {cpu} | {peak:.0f} | {_ratio(name, ours, rate, targets)} |"
    yield ""


_PARTS: Sequence[Callable[[Measured], float]] = (
    attrgetter("crawler_cpu"),
    lambda run: run.opensearch_cpu - run.opensearch_compiling,
    attrgetter("opensearch_compiling"),
    attrgetter("server_cpu"),
)


def _ratio(
    name: str, ours: float | None, rates: Sequence[float], targets: Mapping[str, float]
) -> str:
    if name == ENGINE or ours is None:
        return ""
    ratio = ours / statistics.median(rates)
    target = targets.get(name)
    if target is None:
        return f"{ratio:.1f} times as fast"
    reached = "reached" if ratio >= target else f"missed by {1 - ratio / target:.0%}"
    return f"{ratio:.1f} times as fast (target {target:.0f}: {reached})"
