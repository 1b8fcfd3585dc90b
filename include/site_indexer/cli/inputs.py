"""Where a command takes FILE: a path, an http(s) URL, or ``-`` for standard input."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path

from site_indexer.crawling.script_source import fetch_script
from site_indexer.errors import UsageError
from site_indexer.indexing.crawl_settings import user_agent

# Who types a URL into a shell may read any address that the machine can reach.
ANY_NETWORK = ("0.0.0.0/0", "::/0")
MAX_BYTES = 64 * 2**20


def clock(arguments: argparse.Namespace) -> dt.datetime:
    """The command's *now*: ``--now``, else the clock; aware UTC."""
    now: dt.datetime | None = arguments.now
    return now or dt.datetime.now(dt.UTC)


def read_input(name: str, now: dt.datetime) -> tuple[bytes, str]:
    """The bytes of FILE and the name to show for it.

    Raises UsageError where there is no such file, ScriptUnreachableError for a URL that fails.
    """
    if name == "-":
        return sys.stdin.buffer.read(), "<stdin>"
    if name.startswith(("http://", "https://")):
        return _fetch(name, now), name
    try:
        return Path(name).read_bytes(), name
    except OSError as error:
        raise UsageError(
            f"{name}: cannot be read: {error.strerror}.",
            hint="Give a file, an http(s) URL, or - for standard input.",
            file=name,
        ) from error


def _fetch(url: str, now: dt.datetime) -> bytes:
    fetched = fetch_script(
        url,
        site=None,
        max_bytes=MAX_BYTES,
        timeout_s=30.0,
        user_agent=user_agent(""),
        allow_networks=ANY_NETWORK,
        now=now,
    )
    return fetched.data
