"""The URLs that wait to be asked for, so that no host waits for another.

Rule: docs/spec/04-crawling.md, 4.2 Politeness.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from site_indexer.urls import host_of


class UrlQueue:
    """URLs in the order of arrival, but for those of hosts that have enough to do.

    These stand aside, each host's in their order, until their host takes more. A URL stands aside
    once at most, so a queue of any length costs little.
    """

    def __init__(self) -> None:
        self._arrived: deque[str] = deque()
        self._aside: dict[str, deque[str]] = {}
        self._standing_aside = 0

    def __len__(self) -> int:
        return len(self._arrived) + self._standing_aside

    def append(self, url: str) -> None:
        """Queue a normalized URL, behind all others."""
        self._arrived.append(url)

    def take(self, most: int, takes_more: Callable[[str], bool]) -> list[str]:
        """Up to ``most`` URLs of those hosts that take more, those that arrived first first."""
        taken = self._take_aside(most, takes_more)
        answers: dict[str, bool] = {}
        while self._arrived and len(taken) < most:
            url = self._arrived.popleft()
            host = host_of(url)
            may = answers.get(host)
            if may is None:
                may = answers[host] = host not in self._aside and takes_more(host)
            if may:
                taken.append(url)
            else:
                self._aside.setdefault(host, deque()).append(url)
                self._standing_aside += 1
        return taken

    def _take_aside(self, most: int, takes_more: Callable[[str], bool]) -> list[str]:
        taken: list[str] = []
        for host in [host for host in self._aside if takes_more(host)]:
            if len(taken) == most:
                break
            # Back to the end with it: the next time others come first.
            urls = self._aside.pop(host)
            while urls and len(taken) < most:
                taken.append(urls.popleft())
            if urls:
                self._aside[host] = urls
        self._standing_aside -= len(taken)
        return taken
