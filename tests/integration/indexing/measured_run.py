"""A run in a process of its own that tells how much memory it took.

``measured_run.py SITE RUN_ID NOW``; site files and OpenSearch are those of the environment. The log
goes to standard error, and the result to standard output as JSON, with the peak of the memory in
bytes and that before the run.
"""

from __future__ import annotations

import datetime as dt
import json
import logging
import resource
import sys

from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run import run
from site_indexer.indexing.wiring import build_collaborators


def peak() -> int:
    """The most memory that this process and one of its own have had (Linux counts in KiB)."""
    whose = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return 1024 * sum(resource.getrusage(each).ru_maxrss for each in whose)


def main(site: str, run_id: str, now: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    logging.getLogger("opensearch").setLevel(logging.ERROR)
    request = RunRequest(site, Target.LIVE, run_id, dt.datetime.fromisoformat(now))
    before = peak()
    result = run(build_collaborators(), request)
    json.dump({**result.as_dict(), "peak": peak(), "before": before}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
