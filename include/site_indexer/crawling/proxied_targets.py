"""Checks the hosts that a proxy is to ask, without keeping the crawl waiting (4.4 Safety)."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor

from site_indexer.crawling.network_guard import ResolvedTargets, origin_of
from site_indexer.crawling.responses import Failure

_AT_ONCE = 4
"""A resolver that does not answer keeps a thread for half a minute; others go on meanwhile."""

Problem = tuple[Failure, str] | None


class ProxiedTargets:
    """Asks :class:`ResolvedTargets` in threads of its own, each host once a minute."""

    def __init__(self, targets: ResolvedTargets) -> None:
        self._targets = targets
        self._threads = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="resolve")
        self._asked: dict[str, Future[Problem]] = {}

    def ask(self, url: str) -> Future[Problem]:
        """Why the host of a normalized URL is not asked, or None; done at once where known."""
        origin = origin_of(url)
        found = self._asked.get(origin)
        if found is None or (found.done() and not self._targets.knows(url)):
            found = self._asked[origin] = self._threads.submit(self._targets.problem, url)
        return found

    def close(self) -> None:
        """Give up what is not resolved yet."""
        self._threads.shutdown(wait=False, cancel_futures=True)
