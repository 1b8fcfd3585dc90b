"""Where a command takes FILE: a path, an http(s) URL, or ``-`` for standard input."""

from __future__ import annotations

import argparse
import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from site_indexer.errors import UsageError
from site_indexer.index_script import DEFAULT_MAX_BYTES
from site_indexer.indexing.settings import Settings

if TYPE_CHECKING:
    from site_indexer.sites.definition import SiteDefinition

# Who types a URL into a shell may read any address that the machine can reach.
ANY_NETWORK = ("0.0.0.0/0", "::/0")
MAX_BYTES = DEFAULT_MAX_BYTES


def clock(arguments: argparse.Namespace) -> dt.datetime:
    """The command's *now*: ``--now``, else the clock; aware UTC."""
    now: dt.datetime | None = arguments.now
    return now or dt.datetime.now(dt.UTC)


def site_of(arguments: argparse.Namespace) -> SiteDefinition | None:
    """The site that ``--site`` names; raises SiteFileError where its file cannot be used."""
    if arguments.site is None:
        return None
    # What only some calls need is loaded by them: it takes longer than the rest of a call.
    from site_indexer.indexing.site_files import load_site  # noqa: PLC0415

    settings = Settings.from_environment(sites_dir=arguments.sites)
    return load_site(settings.sites_dir / f"{arguments.site}.yaml")


def read_input(name: str, now: dt.datetime) -> tuple[bytes, str]:
    """The bytes of FILE and the name to show for it; of a file too large a byte more than allowed.

    Raises UsageError where there is no such file, ScriptUnreachableError for a URL that fails.
    """
    if name == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1), "<stdin>"
    if name.lower().startswith(("http://", "https://")):
        return _fetch(name, now), name
    try:
        with Path(name).open("rb") as file:
            return file.read(MAX_BYTES + 1), name
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(
            f"{name}: cannot be read: {reason}.",
            hint="Give a file, an http(s) URL, or - for standard input.",
            file=name,
        ) from error


def _fetch(url: str, now: dt.datetime) -> bytes:
    from site_indexer.crawling.script_source import fetch_script  # noqa: PLC0415
    from site_indexer.indexing.crawl_settings import user_agent  # noqa: PLC0415

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
