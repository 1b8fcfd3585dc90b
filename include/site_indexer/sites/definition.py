"""The definition of one site (docs/spec/07-site-definition.md).

Defaults are those of a polite production crawl. Unknown fields are errors.
"""

from __future__ import annotations

import datetime as dt
import functools
import ipaddress
from typing import Annotated, Literal, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from site_indexer.errors import UrlError
from site_indexer.index_script.model import Command
from site_indexer.sites.ids import check_site_id
from site_indexer.sites.rule_lines import parse_rule_lines
from site_indexer.sites.scalars import Duration, Share, Size
from site_indexer.sites.schedule import Grid, check_interval, parse_time_of_day
from site_indexer.urls import SiteHosts, normalize


@functools.cache
def _zone_names() -> frozenset[str]:
    """Listing them reads some hundred files, which parsing many sites must not do for each."""
    return frozenset(available_timezones())


def _zone_name(value: str) -> str:
    if value not in _zone_names():
        raise ValueError(f"unknown time zone {value!r}; expected a name such as Europe/Madrid")
    return value


def _http_url(value: str) -> str:
    try:
        return normalize(value)
    except UrlError as error:
        raise ValueError(error.message) from error


def _script_url(value: str) -> str:
    return value if urlsplit(value).scheme == "file" else _http_url(value)


def _network(value: str) -> str:
    return str(ipaddress.ip_network(value, strict=False))


def _rule_line(value: str) -> str:
    parse_rule_lines((value,))
    return value


def _host(value: str) -> str:
    try:
        SiteHosts((value,))
    except UrlError as error:
        raise ValueError(error.message) from error
    return value


def _contact(value: str) -> str:
    return _http_url(value) if value else value


T = TypeVar("T", dt.timedelta, int)


def _not_zero(value: T) -> T:
    if not value:
        raise ValueError("must be more than 0")
    return value


HttpUrl = Annotated[str, AfterValidator(_http_url)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ScriptSection(_Section):
    """Where the index script is, and how it is read."""

    url: Annotated[str, AfterValidator(_script_url)]
    remember_date: bool = True
    future_blocks: Literal["process", "hold"] = "process"
    on_error: Literal["stop", "skip_line", "skip_block"] = "stop"
    max_bytes: Annotated[Size, AfterValidator(_not_zero)] = 64 * 2**20


class ScheduleSection(_Section):
    """When the site's script runs. Without this section it runs by hand only."""

    every: Annotated[Duration, AfterValidator(check_interval)]
    base_time: str = "00:00"
    maintenance: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _times(self) -> ScheduleSection:
        parse_time_of_day(self.base_time)
        for hours in self.maintenance:
            start, dash, end = hours.partition("-")
            if not dash:
                raise ValueError(
                    f'maintenance: expected hours such as "01:00-02:00", not {hours!r}'
                )
            if parse_time_of_day(start) == parse_time_of_day(end):
                raise ValueError(
                    f"maintenance: {hours!r} ends where it begins; expected hours such as "
                    '"01:00-02:00", or "23:00-01:00" over midnight'
                )
        return self

    @property
    def grid(self) -> Grid:
        """The times of day that this section means."""
        minutes = int(self.every.total_seconds() // 60)
        return Grid(every_minutes=minutes, base=parse_time_of_day(self.base_time))


class CrawlSection(_Section):
    """How the site is crawled: politeness, limits, and the addresses that may be connected to."""

    delay: Duration = dt.timedelta(milliseconds=200)
    concurrency: Annotated[int, Field(ge=1, le=64)] = 4
    timeout: Annotated[Duration, AfterValidator(_not_zero)] = dt.timedelta(seconds=30)
    max_bytes: Annotated[Size, AfterValidator(_not_zero)] = 10 * 2**20
    max_redirects: Annotated[int, Field(ge=0, le=50)] = 10
    follow: Literal["all", "changed"] = "all"
    max_depth: Annotated[int, Field(ge=0)] = 20
    max_pages: Annotated[int, Field(ge=1)] = 50_000
    max_minutes: Annotated[float, Field(gt=0)] = 240
    robots: Literal["obey", "ignore"] = "obey"
    sitemaps: bool = True
    sitemap_urls: tuple[HttpUrl, ...] = ()
    user_agent_contact: Annotated[str, AfterValidator(_contact)] = ""
    allow_networks: tuple[Annotated[str, AfterValidator(_network)], ...] = ()
    connection: str | None = None


class ExtractSection(_Section):
    """What of a page is indexed: selectors are CSS, or XPath with a leading ``/``."""

    content: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    fields: dict[str, str] = Field(default_factory=dict)


class IndexSection(_Section):
    """The shape of the site's index."""

    replicas: Annotated[int, Field(ge=0, le=10)] = 1
    shards: Annotated[int, Field(ge=1, le=64)] = 1
    keep_generations: Annotated[int, Field(ge=1, le=50)] = 3


class BrakeSection(_Section):
    """What a run may remove without asking."""

    max_removed: Share = 0.2
    max_commanded: Share = 0.5
    min_documents: Annotated[int, Field(ge=0)] = 0
    answer_within: Duration = dt.timedelta(hours=24)


class RetriesSection(_Section):
    """What happens to pages that could not be fetched."""

    retry_for: Duration = dt.timedelta(days=3)
    max_failed: Share = 0.2
    stale_after: Duration = dt.timedelta(hours=24)


class DiscoverySection(_Section):
    """How FreshBot and DeepBot work on this site."""

    every: Duration = dt.timedelta(minutes=15)
    checks: Annotated[int, Field(ge=1)] = 500
    batch: Annotated[int, Field(ge=1)] = 500
    authorities: tuple[str, ...] = ()
    link_weight: Annotated[int, Field(ge=0)] = 1
    dynamic_link_weight: Annotated[int, Field(ge=0)] = 3
    duplicate_distance: Annotated[int, Field(ge=0, le=64)] = 3


class SiteDefinition(_Section):
    """One website. ``id`` is the file's name without ``.yaml``."""

    id: Annotated[str, AfterValidator(check_site_id)]
    name: str
    owner: str
    timezone: Annotated[str, AfterValidator(_zone_name)] = "UTC"
    language: str = "en"
    script: ScriptSection
    schedule: ScheduleSection | None = None
    entry_points: tuple[HttpUrl, ...] = ()
    hosts: tuple[Annotated[str, AfterValidator(_host)], ...] = ()
    masks: tuple[Annotated[str, AfterValidator(_rule_line)], ...] = ()
    crawl: CrawlSection = CrawlSection()
    extract: ExtractSection = ExtractSection()
    index: IndexSection = IndexSection()
    brake: BrakeSection = BrakeSection()
    retries: RetriesSection = RetriesSection()
    discovery: DiscoverySection = DiscoverySection()
    data_center: str | None = None

    @property
    def zone(self) -> ZoneInfo:
        """The time zone in which the site's days and schedule are counted."""
        return ZoneInfo(self.timezone)

    @property
    def rules(self) -> tuple[Command, ...]:
        """The site's own include and exclude lines, asked after a block's own."""
        return parse_rule_lines(self.masks)

    @property
    def site_hosts(self) -> SiteHosts:
        """The hosts that belong to the site: of entry points, of the script, and ``hosts``."""
        script = () if self.script.url.startswith("file:") else (self.script.url,)
        return SiteHosts((*self.entry_points, *script, *self.hosts))
