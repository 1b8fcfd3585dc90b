"""From the bytes of a script to its blocks, with masks and hosts checked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from site_indexer.index_script import DEFAULT_MAX_BYTES, parse
from site_indexer.index_script.model import IndexScript
from site_indexer.masks import check_mask
from site_indexer.planning.foreign_hosts import host_checker
from site_indexer.planning.selection import Criteria
from site_indexer.urls import SiteHosts


def read_script(
    data: bytes | Iterable[bytes],
    source: str,
    now: dt.datetime,
    hosts: SiteHosts | None = None,
    *,
    criteria: Criteria | None = None,
    max_bytes: int = DEFAULT_MAX_BYTES,
) -> IndexScript:
    """Parse a script. ``source`` names it in messages; ``now`` is the clock for its warnings.

    With ``hosts``, the site's, commands that name other hosts are errors. With ``criteria`` only
    the commands of blocks that they may select are kept, so that memory does not grow with the
    rest of the file. Raises ScriptError for what is no script at all (empty, a web page, larger
    than ``max_bytes``).
    """
    return parse(
        data,
        source=source,
        now=now,
        check_mask=check_mask,
        check_host=None if hosts is None else host_checker(hosts),
        keep=None if criteria is None else criteria.keeper(),
        max_bytes=max_bytes,
    )
