"""From the bytes of a script to its blocks, with masks and hosts checked."""

from __future__ import annotations

import datetime as dt
from collections.abc import Collection

from site_indexer.index_script import parse
from site_indexer.index_script.lines import LineReader
from site_indexer.index_script.model import IndexScript
from site_indexer.masks import check_mask
from site_indexer.planning.foreign_hosts import foreign_urls, with_host_findings
from site_indexer.urls import SiteHosts


def read_script(
    data: bytes, source: str, now: dt.datetime, hosts: SiteHosts | None = None
) -> IndexScript:
    """Parse a script. ``source`` names it in messages; ``now`` is the clock for its warnings.

    With ``hosts``, the site's, commands that name other hosts are errors. Raises ScriptError for
    what is no script at all (empty, a web page, too large).
    """
    script = parse(data, source=source, now=now, check_mask=check_mask)
    if hosts is None:
        return script
    foreign = foreign_urls(script, hosts)
    return with_host_findings(script, hosts, _lines(data, source, foreign)) if foreign else script


def _lines(data: bytes, source: str, wanted: Collection[int]) -> dict[int, str]:
    batches = LineReader(data, source=source, max_bytes=len(data)).batches()
    lines = (line for batch in batches for line in batch)
    return {number: line for number, line in enumerate(lines, start=1) if number in wanted}
