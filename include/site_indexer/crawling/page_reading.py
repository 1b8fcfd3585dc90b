"""Reading pages beside fetching them: in a process of its own, where there is a core for it.

See docs/adr/0011-reading-in-a-process.md.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import pickle
import select
import socket
import struct
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Container
from contextlib import suppress
from typing import Generic, TypeVar

from site_indexer.crawling.answer_reader import AnswerReader
from site_indexer.crawling.curl_loop import Bell
from site_indexer.crawling.extraction import Kind, kind_of
from site_indexer.crawling.model import CrawlSettings, StoredPage
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.reading_messages import Messages, Read, answered, question
from site_indexer.crawling.responses import Failure, Response

logger = logging.getLogger("site_indexer.crawling")

# A process of its own takes a quarter of a second to start.
_PAGES_BEFORE = 200
_MOST_UNREAD = 32
_MOST_UNREAD_BYTES = 16 * 2**20
_MOST_DEATHS = 20
# Of one page; no page that people made takes a tenth of it.
_MOST_SECONDS = 120.0
# What could keep a parser busy, or fill the memory, is large; this thread is not to be risked.
_LARGE_BYTES = 2**20
# Of these a few kilobytes can do so too.
_PACKED = frozenset({Kind.PDF, Kind.OFFICE})
# Of two cores OpenSearch takes one, and handing a page over costs an eighth of reading a small one.
_CORES_FOR_SMALL = 3
_SMALL_BYTES = 32 * 2**10
_RECEIVED_AT_ONCE = 256 * 1024

_DIED = "cannot be read: the parser died of it."
_GIVEN_UP = (
    f"is not read: {_MOST_DEATHS} pages before it ended the process that reads large pages, PDF and"
    " Office files."
)

Tag = TypeVar("Tag")


class PageReading(Generic[Tag]):
    """Takes answers to read, and gives back what was read.

    Large pages, PDF and Office files are read in the process, however many wait for it: where
    ``is_full`` no more should be asked for. Of others the first, those that come while many are
    unread, and what is no page are read at once, in this thread; so are small ones where ``cores``
    is 2, and all where it is 1. ``sitemaps`` are URLs that are no pages. A process that says
    nothing for ``most_seconds`` is ended: that page has failed. When it has ended so often that the
    site seems to mean it, what would be read there fails unread.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        reader: AnswerReader,
        *,
        sitemaps: Container[str] = (),
        cores: int | None = None,
        pages_before: int = _PAGES_BEFORE,
        most_seconds: float = _MOST_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most_seconds = most_seconds
        self._clock = clock
        self._heard_at = clock()
        self._settings = settings
        self._reader = reader
        self._sitemaps = sitemaps
        self._pages_before = pages_before
        self._cores = len(os.sched_getaffinity(0)) if cores is None else cores
        self._process: _Process | None = None
        self._unread: deque[tuple[Tag, Response, StoredPage | None]] = deque()
        self._unread_bytes = 0
        self._deaths = 0
        self._read: list[tuple[Tag, Read]] = []

    @property
    def pending(self) -> int:
        """How many answers were taken and not given back."""
        return len(self._unread) + len(self._read)

    @property
    def is_full(self) -> bool:
        """Whether so many bytes are unread that more would fill the memory."""
        return self._unread_bytes >= _MOST_UNREAD_BYTES

    @property
    def bell(self) -> Bell | None:
        """What tells that something was read; None while nothing is unread."""
        if self._process is None or not self._unread:
            return None
        return Bell(self._process.line.fileno(), self._process.has_unsent, self._deaths)

    @property
    def pid(self) -> int | None:
        """The process that reads pages, if there is one."""
        return None if self._process is None else self._process.pid

    def take(self, tag: Tag, response: Response, stored: StoredPage | None) -> None:
        """Take an answer."""
        if not self._goes_out(response):
            self._read.append((tag, self._reader.read(response, stored)))
            return
        if self._deaths >= _MOST_DEATHS:
            self._read.append((tag, (_unreadable(response, stored, _GIVEN_UP), None)))
            return
        if self._process is None:
            self._process = _Process(self._settings)
        if not self._unread:
            self._heard_at = self._clock()
        self._unread.append((tag, response, stored))
        self._unread_bytes += len(response.body)
        self._process.send(question(response, stored))

    def done(self, *, wait: bool = False) -> list[tuple[Tag, Read]]:
        """What was read; with ``wait`` at least one, if any is pending."""
        if self._process is not None and self._unread:
            self._collect(wait=wait and not self._read)
        done, self._read = self._read, []
        return done

    def close(self) -> None:
        """End the process; what is unread is given up."""
        self._end_process()
        self._unread.clear()
        self._unread_bytes = 0

    def _goes_out(self, response: Response) -> bool:
        if response.failure is not None or response.location is not None:
            return False
        if response.status not in (200, 203) or response.request.url in self._sitemaps:
            return False
        if self._cores > 1 and _is_risky(response):
            return True
        if self._cores < (_CORES_FOR_SMALL if len(response.body) < _SMALL_BYTES else 2):
            return False
        if self._pages_before > 0:
            self._pages_before -= 1
            return False
        return (
            len(self._unread) < _MOST_UNREAD
            and self._unread_bytes + len(response.body) <= _MOST_UNREAD_BYTES
            and self._deaths < _MOST_DEATHS
        )

    def _collect(self, *, wait: bool) -> None:
        while self._process is not None and self._unread:
            left_s = self._heard_at + self._most_seconds - self._clock()
            try:
                messages = self._process.receive(wait_s=max(0.0, left_s) if wait else 0.0)
                if not messages and left_s <= 0:
                    raise TimeoutError(f"it took more than {self._most_seconds:g} s")
            except OSError as error:
                self._died(error)
                continue
            for message in messages:
                tag, response, _ = self._unread.popleft()
                self._unread_bytes -= len(response.body)
                self._read.append((tag, answered(message)))
                self._heard_at = self._clock()
                wait = False
            if not wait:
                return

    def _died(self, error: OSError) -> None:
        """Give up the page that the process died on, and have another read the others."""
        self._end_process()
        self._deaths += 1
        tag, response, stored = self._unread.popleft()
        url = response.request.url
        logger.warning("The process that reads pages died on %s (%s)", url, error)
        self._read.append((tag, (_unreadable(response, stored, _DIED), None)))
        self._heard_at = self._clock()
        rest = list(self._unread)
        self._unread.clear()
        self._unread_bytes = 0
        for again in rest:
            self.take(*again)

    def _end_process(self) -> None:
        if self._process is not None:
            self._process.end()
            self._process = None


def _is_risky(response: Response) -> bool:
    """Whether to read an answer could take very long, very much memory, or end the process."""
    if len(response.body) >= _LARGE_BYTES:
        return True
    return kind_of(response.header("content-type"), response.body) in _PACKED


def _unreadable(response: Response, stored: StoredPage | None, why: str) -> PageFacts:
    return PageFacts(
        Answer.FAILED,
        status=response.status,
        fetched_at=response.received_at,
        stored=stored is not None,
        aliases=stored.aliases if stored is not None else (),
        failure=Failure.UNREADABLE,
        error=f"{response.request.url} {why}",
        bytes=len(response.body),
        elapsed_ms=response.elapsed_ms,
    )


def _plain_environment() -> dict[str, str]:
    """The environment without passwords and connections, which reading pages does not need."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("SITE_INDEXER_", "AIRFLOW"))
    }


class _Process:
    """The other process, and the line to it; writing never waits, as it may be writing itself."""

    def __init__(self, settings: CrawlSettings) -> None:
        self.line, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "site_indexer.crawling.reading_process"],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                start_new_session=True,
                env={**_plain_environment(), "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            )
        self.line.setblocking(False)
        self._unsent = bytearray()
        self._messages = Messages()
        # What a site's own headers hold is none of its business.
        message = pickle.dumps(dataclasses.replace(settings, headers=(), proxy=None))
        self.send(struct.pack("!I", len(message)) + message)

    @property
    def has_unsent(self) -> bool:
        """Whether something waits for room on the line."""
        return bool(self._unsent)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def send(self, data: bytes) -> None:
        """Send, now or as soon as there is room."""
        self._unsent += data
        self._flush()

    def receive(self, *, wait_s: float) -> list[bytes]:
        """The messages that came, after so many seconds at most.

        Raises OSError where the process is gone.
        """
        self._flush()
        if wait_s > 0:
            self._wait(time.monotonic() + wait_s)
        found: list[bytes] = []
        with suppress(BlockingIOError):
            while data := self.line.recv(_RECEIVED_AT_ONCE):
                found += self._messages.feed(data)
                self._flush()
            if not found:
                raise ConnectionResetError(f"exit status {self._process.wait()}")
        return found

    def _flush(self) -> None:
        # Where the process is gone, receiving tells so.
        with suppress(BlockingIOError, ConnectionError):
            while self._unsent:
                del self._unsent[: self.line.send(self._unsent)]

    def _wait(self, until: float) -> None:
        """Wait until there is something to receive, or it is that time."""
        line = select.poll()
        while True:
            line.register(self.line, select.POLLIN | (select.POLLOUT if self._unsent else 0))
            ready = line.poll(max(0.0, until - time.monotonic()) * 1000)
            if not ready or ready[0][1] & ~select.POLLOUT:
                return
            self._flush()

    def end(self) -> None:
        """End the process, and wait for it."""
        self.line.close()
        self._process.kill()
        self._process.wait()
