"""Runs in processes that are forked from this one, which has all imports done: they begin at once.

``run_server.py`` reads one JSON object a line: ``{"site", "run_id", "now", "target", "pause_at",
"pause_after", "drafts"}``, and forks a process that runs it. That writes lines of JSON:
``{"pid"}`` first; ``{"paused": REQUEST}`` before its ``pause_at``-th request to OpenSearch, or the
one after the first whose path has ``pause_after``; it then goes on only after SIGUSR1; and
``{"ended": STATUS or error code, "requests": NUMBER}``. Requests are those of the main thread. With
``drafts`` its crawls begin a draft at their first page, else never.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import json
import os
import signal
import sys
import threading
from typing import Any

from opensearchpy import Transport

from site_indexer.errors import SiteIndexerError
from site_indexer.index_store import draft_writer
from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run import run
from site_indexer.indexing.wiring import build_collaborators

_PR_SET_PDEATHSIG = 1


class PausingTransport:
    """Counts the requests of the main thread, and stops before one of them."""

    def __init__(self, pause_at: int | None, pause_after: str | None) -> None:
        self.count = 0
        self._pause_at = pause_at
        self._pause_after = pause_after
        self._perform = Transport.perform_request

    def install(self) -> None:
        watch = self

        def perform_request(transport: Transport, method: str, url: str, **more: Any) -> Any:
            if threading.current_thread() is threading.main_thread():
                watch.before(method, url)
            answer = watch._perform(transport, method, url, **more)
            if watch._pause_after is not None and watch._pause_after in url:
                watch._pause_at, watch._pause_after = watch.count + 1, None
            return answer

        setattr(Transport, "perform_request", perform_request)  # noqa: B010 - mypy knows its type

    def before(self, method: str, url: str) -> None:
        self.count += 1
        if self.count == self._pause_at:
            tell(paused=f"{method} {url}")
            signal.sigwait({signal.SIGUSR1})


def tell(**facts: Any) -> None:
    os.write(1, (json.dumps(facts) + "\n").encode())


def child(order: dict[str, Any]) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    tell(pid=os.getpid())
    transport = PausingTransport(order["pause_at"], order["pause_after"])
    transport.install()
    draft_writer.WORTH_IT = 1 if order["drafts"] else sys.maxsize
    request = RunRequest(
        order["site"],
        Target(order["target"]),
        order["run_id"],
        dt.datetime.fromisoformat(order["now"]),
    )
    try:
        ended = run(build_collaborators(), request).status.value
    except SiteIndexerError as error:
        ended = error.code
    tell(ended=ended, requests=transport.count)


def main() -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for the children
    for line in sys.stdin:
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            try:
                child(json.loads(line))
            finally:
                os._exit(0)


if __name__ == "__main__":
    main()
