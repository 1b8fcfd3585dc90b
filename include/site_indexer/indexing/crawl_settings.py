"""How a site's definition becomes the settings of a crawl."""

from __future__ import annotations

import os
from dataclasses import replace

from site_indexer import __version__
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.politeness import Patience
from site_indexer.indexing.site_access import SiteAccess
from site_indexer.sites.definition import SiteDefinition

PAUSES_VARIABLE = "SITE_INDEXER_PAUSES"
"""How much longer (or shorter, for tests) than usual hosts in trouble are left alone."""

PLAIN = SiteAccess()


def user_agent(contact: str) -> str:
    """The honest User-Agent: product, version, and where to complain."""
    return f"SiteIndexer/{__version__}" + (f" (+{contact})" if contact else "")


def single_settings(
    definition: SiteDefinition,
    timeout_s: float | None = None,
    *,
    access: SiteAccess = PLAIN,
) -> CrawlSettings:
    """The settings of a look at one URL of a site: one try, of the site's timeout by default."""
    settings = crawl_settings(definition, access)
    return replace(
        settings, retries=0, timeout_s=settings.timeout_s if timeout_s is None else timeout_s
    )


def crawl_settings(definition: SiteDefinition, access: SiteAccess = PLAIN) -> CrawlSettings:
    """The settings of one crawl of a site, which is reached by ``access``."""
    crawl = definition.crawl
    return CrawlSettings(
        site=definition.id,
        user_agent=user_agent(crawl.user_agent_contact),
        hosts=definition.site_hosts.names,
        delay_s=crawl.delay.total_seconds(),
        concurrency=crawl.concurrency,
        timeout_s=crawl.timeout.total_seconds(),
        max_bytes=crawl.max_bytes,
        max_redirects=crawl.max_redirects,
        follow_changed_only=crawl.follow == "changed",
        max_depth=crawl.max_depth,
        max_pages=crawl.max_pages,
        max_minutes=crawl.max_minutes,
        obey_robots=crawl.robots == "obey",
        sitemaps=crawl.sitemaps,
        sitemap_urls=crawl.sitemap_urls,
        entry_points=definition.entry_points,
        allow_networks=crawl.allow_networks,
        default_language=definition.language,
        timezone=definition.timezone,
        content_selectors=definition.extract.content,
        leave_out_selectors=definition.extract.leave_out,
        fields=definition.extract.fields,
        headers=access.headers,
        headers_need_tls=headers_need_tls(definition),
        proxy=access.proxy,
        patience=Patience().with_pauses(float(os.environ.get(PAUSES_VARIABLE, "1"))),
    )


def headers_need_tls(definition: SiteDefinition) -> bool:
    """Whether the site is one of https alone: a link to its http form must not take a log-in there.

    (docs/spec/07-site-definition.md, 7.5)
    """
    stated = (definition.script.url, *definition.entry_points)
    schemes = {url.partition(":")[0] for url in stated}
    return "https" in schemes and "http" not in schemes
