"""Reads a site's script from where its site file says."""

from __future__ import annotations

import datetime as dt
import logging

from site_indexer.crawling.script_source import FetchedScript, fetch_script
from site_indexer.indexing.crawl_settings import headers_need_tls, user_agent
from site_indexer.indexing.site_access import SiteAccess
from site_indexer.planning.reading import read_script
from site_indexer.sites.definition import SiteDefinition

logger = logging.getLogger(__name__)


def fetch_site_script(
    definition: SiteDefinition, access: SiteAccess, now: dt.datetime
) -> FetchedScript:
    """The bytes of a site's script. Raises ScriptUnreachableError."""
    crawl = definition.crawl
    fetched = fetch_script(
        definition.script.url,
        site=definition.id,
        max_bytes=definition.script.max_bytes,
        timeout_s=crawl.timeout.total_seconds(),
        user_agent=user_agent(crawl.user_agent_contact),
        allow_networks=crawl.allow_networks,
        headers=access.headers,
        hosts=definition.site_hosts.names,
        headers_need_tls=headers_need_tls(definition),
        proxy=access.proxy,
        now=now,
    )
    logger.info("Read %s: %d bytes", definition.script.url, len(fetched.data))
    return fetched


def block_dates(
    definition: SiteDefinition, access: SiteAccess, now: dt.datetime
) -> list[dt.datetime]:
    """The dates of the blocks that a site's script has now, as far as they can be read.

    Raises ScriptUnreachableError and ScriptError.
    """
    fetched = fetch_site_script(definition, access, now)
    script = read_script(
        fetched.data,
        source=definition.script.url,
        now=now,
        max_bytes=definition.script.max_bytes,
    )
    return [block.date for block in script.blocks if block.date is not None]
