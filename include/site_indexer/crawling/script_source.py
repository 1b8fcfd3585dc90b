"""Fetching the owner's index script (docs/spec/04-crawling.md, 4.1 Fetching).

A script decides what is removed from an index, so half of one must never be taken for the whole:
a broken answer is a failure, and a file that may be in the middle of being written is read again
until it holds still.
"""

from __future__ import annotations

import datetime as dt
import email.utils
import os
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from site_indexer.crawling.guarded_session import (
    AddressRefusedError,
    Download,
    DownloadError,
    DownloadTooLargeError,
    GuardedSession,
)
from site_indexer.crawling.http_dates import parse_http_date
from site_indexer.crawling.network_guard import NetworkGuard
from site_indexer.errors import (
    ConfigurationError,
    ScriptTooLargeError,
    ScriptUnreachableError,
    SiteIndexerError,
)
from site_indexer.urls import SiteHosts, normalize

_FIRST_RETRY_S = 0.5
_FRESH = dt.timedelta(minutes=1)
_PAUSE_S = 1.0
_LOCAL_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class FetchedScript:
    """The bytes of a script as published. ``etag`` and ``last_modified`` as the server sent them.

    ``final_url`` is where redirects led; ``fetched_at`` the time that was given as *now*.
    """

    data: bytes
    etag: str | None
    last_modified: str | None
    final_url: str
    fetched_at: dt.datetime


def fetch_script(
    url: str,
    *,
    site: str | None,
    max_bytes: int,
    timeout_s: float,
    user_agent: str,
    now: dt.datetime,
    allow_networks: Iterable[str] = (),
    headers: Iterable[tuple[str, str]] = (),
    hosts: Iterable[str] = (),
    headers_need_tls: bool = False,
    proxy: str | None = None,
    retries: int = 2,
    settle_s: float = 30.0,
    sleep: Callable[[float], None] = time.sleep,
) -> FetchedScript:
    """Fetch the script at an http(s) URL, or a ``file:`` URL for development.

    ``timeout_s`` is the total time of one try, of which there are up to ``retries`` more where
    the failure may pass. A script that was modified within the last minute, or does not end in a
    line end, is read again until two reads are alike, for about ``settle_s`` seconds at most.
    ``headers`` (a log-in) go to ``hosts`` only, with ``headers_need_tls`` over https only.

    Raises ScriptUnreachableError (a 404 is one too), ScriptTooLargeError over ``max_bytes``,
    UrlError for what is no URL, ConfigurationError for ``allow_networks`` that are none, or that
    leave out the address of the script's host.
    """
    name = f"The index script of site {site}" if site else "The index script"
    source = _Source(name, url, now, settle_s, sleep)
    if url.lower().startswith("file:"):
        return source.settled(_FileReader(url, max_bytes).read, _LOCAL_PAUSE_S)
    with GuardedSession(
        NetworkGuard(allow_networks),
        # What lies in a cache on the way is not what the owner published last.
        headers={"User-Agent": user_agent, "Cache-Control": "no-cache"},
        timeout_s=timeout_s,
        max_bytes=max_bytes,
        proxy=proxy,
        headers_for=_for_own_hosts(dict(headers), hosts, need_tls=headers_need_tls),
    ) as session:
        target = normalize(url)
        return source.settled(_Repeating(lambda: session.get(target), retries, sleep), _PAUSE_S)


def _for_own_hosts(
    headers: Mapping[str, str], hosts: Iterable[str], *, need_tls: bool
) -> Callable[[str], Mapping[str, str]]:
    own = SiteHosts(hosts)

    def headers_for(url: str) -> Mapping[str, str]:
        told = own.contains(url) and (url.startswith("https:") or not need_tls)
        return headers if told else {}

    return headers_for


@dataclass(frozen=True, slots=True)
class _Source:
    """A script with its name in messages, and the patience to see it whole."""

    name: str
    url: str
    now: dt.datetime
    settle_s: float
    sleep: Callable[[float], None]

    def settled(self, read: Callable[[], Download], pause_s: float) -> FetchedScript:
        """What ``read`` gives, once it holds still; errors as :func:`fetch_script`."""
        try:
            found, still = self._read_until_still(read, pause_s)
        except DownloadError as error:
            raise self._failure(error) from error
        if not still:
            raise ScriptUnreachableError(
                f"{self.name} at {self.url} is being written: for {self.settle_s:g} s no two reads "
                "were alike.",
                hint="Publish it in one step: write it under another name, then rename it.",
                url=self.url,
            )
        return FetchedScript(found.data, found.etag, found.last_modified, found.final_url, self.now)

    def _read_until_still(
        self, read: Callable[[], Download], pause_s: float
    ) -> tuple[Download, bool]:
        found = read()
        still = not _may_be_unfinished(found, self.now)
        waited_s = 0.0
        while not still and waited_s < self.settle_s:
            self.sleep(pause_s)
            waited_s += pause_s
            before, found = found, read()
            still = before.data == found.data
        return found, still

    def _failure(self, error: DownloadError) -> SiteIndexerError:
        if isinstance(error, DownloadTooLargeError):
            return ScriptTooLargeError(
                f"{self.name} at {self.url} is too large: {error.reason}.",
                hint="Drop old blocks from the file, or raise script.max_bytes for this site.",
                url=self.url,
            )
        if isinstance(error, AddressRefusedError):
            return ConfigurationError(
                f"{self.name} at {self.url} is not asked for: {error.reason}", url=self.url
            )
        return ScriptUnreachableError(
            f"{self.name} at {self.url} could not be read: {error.reason.rstrip('.')}.",
            hint="Check that the URL is right and that its server answers; nothing was changed.",
            url=self.url,
        )


def _may_be_unfinished(found: Download, now: dt.datetime) -> bool:
    """Whether the file may be in the middle of being written."""
    if not found.data.endswith((b"\n", b"\r")):
        return True
    modified = parse_http_date(found.last_modified or "")
    # The server's own clock tells the age best; ours may be set to another time altogether.
    clock = parse_http_date(found.date or "") or now
    return modified is not None and abs(clock - modified) < _FRESH


@dataclass(frozen=True, slots=True)
class _Repeating:
    """A read that is tried again while its failures may pass."""

    read: Callable[[], Download]
    retries: int
    sleep: Callable[[float], None]

    def __call__(self) -> Download:
        for attempt in range(self.retries):
            try:
                return self.read()
            except DownloadError as error:
                if not error.transient:
                    raise
            self.sleep(_FIRST_RETRY_S * 2**attempt)
        return self.read()


@dataclass(frozen=True, slots=True)
class _FileReader:
    """Reads a ``file:`` URL of this machine."""

    url: str
    max_bytes: int

    def read(self) -> Download:
        parts = urllib.parse.urlsplit(self.url)
        if parts.netloc not in ("", "localhost"):
            raise DownloadError("a file: URL names a file of this machine", transient=False)
        path = Path(urllib.request.url2pathname(parts.path))
        try:
            with path.open("rb") as file:
                modified = os.fstat(file.fileno()).st_mtime
                data = file.read(self.max_bytes + 1)
        except (OSError, ValueError) as error:  # a NUL in the path is a ValueError
            reason = isinstance(error, OSError) and error.strerror
            raise DownloadError(reason or str(error), transient=False) from error
        if len(data) > self.max_bytes:
            reason = f"the file is larger than the limit of {self.max_bytes} bytes"
            raise DownloadTooLargeError(reason, transient=False)
        date = email.utils.formatdate(modified, usegmt=True)
        return Download(
            data, self.url, last_modified=date, date=email.utils.formatdate(usegmt=True)
        )
