"""A run in a process of its own that stops before a chosen call, to be killed there.

``paused_run.py SITE RUN_ID NOW [MODULE:NAME]``; site files and OpenSearch are those of the
environment. It writes ``paused`` to its standard output when it comes to the call, and goes no
further.
"""

from __future__ import annotations

import datetime as dt
import functools
import importlib
import os
import sys
from typing import Any

from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run import run
from site_indexer.indexing.wiring import build_collaborators


def pause_before(place: str) -> None:
    module, _, name = place.partition(":")
    *owners, last = name.split(".")
    owner = functools.reduce(getattr, owners, importlib.import_module(module))
    getattr(owner, last)  # a name that is not there must not go unnoticed

    def pause(*args: Any, **more: Any) -> None:
        sys.stdout.write("paused\n")
        sys.stdout.flush()
        sys.stdin.read()
        os._exit(1)  # the test is gone and has not killed it

    setattr(owner, last, pause)


def main(site: str, run_id: str, now: str, *places: str) -> None:
    for place in places:
        pause_before(place)
    request = RunRequest(site, Target.LIVE, run_id, dt.datetime.fromisoformat(now))
    run(build_collaborators(), request)


if __name__ == "__main__":
    main(*sys.argv[1:])
