"""The JSON schema of a site file: what editors check and explain while one is written.

docs/reference/site.schema.json is its published form. Rules: docs/spec/07-site-definition.md.
"""

from __future__ import annotations

from typing import Any

from site_indexer.sites.definition import SiteDefinition
from site_indexer.sites.ids import SITE_ID

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TIME = "^([01]\\d|2[0-3]):[0-5]\\d$"
_HOURS = "^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$"

_DESCRIPTIONS: dict[str, dict[str, str]] = {
    "SiteDefinition": {
        "id": "The file's name without .yaml: lower-case letters, digits and hyphens.",
        "name": "The site's name, for people.",
        "owner": "Who is responsible; shown in Airflow.",
        "timezone": "The zone in which days and the schedule are counted, as Europe/Madrid.",
        "language": "The language of pages that state none and whose text does not tell.",
        "script": "Where the index script is, and how it is read.",
        "schedule": "When the script runs. Without it the site runs by hand only.",
        "entry_points": "URLs from which the whole site can be reached.",
        "hosts": "Further hosts of the site, beside those of its entry points and script.",
        "masks": "Include and exclude lines, as in a script, asked after a block's own.",
        "crawl": "How the site is crawled.",
        "extract": "What of a page is indexed.",
        "index": "The shape of the site's index.",
        "brake": "What a run may remove without asking.",
        "retries": "What happens to pages that could not be fetched.",
        "discovery": "How the robots work on the site.",
        "data_center": "The site's home; by default chosen by language, then location.",
    },
    "ScriptSection": {
        "url": "The address of the index script; a file: URL for development.",
        "remember_date": "false: every run sees every block as new.",
        "future_blocks": "hold: blocks more than a day ahead of the clock wait for their date.",
        "on_error": "What errors in new blocks do: stop the run, or skip the line or block.",
        "max_bytes": "A larger script is an error.",
    },
    "ScheduleSection": {
        "every": "The time between two runs: whole minutes that divide a day, as 6h.",
        "base_time": "The time of day from which it is counted, in the site's zone.",
        "maintenance": 'Hours without runs, as "01:00-02:00".',
    },
    "CrawlSection": {
        "delay": "The time between the starts of two requests to a host.",
        "concurrency": "Requests under way to one host at a time.",
        "timeout": "The time that one request may take in all.",
        "max_bytes": "A larger page is a failure.",
        "max_redirects": "Redirects in a row.",
        "follow": "changed: do not follow links of unchanged pages that no command names.",
        "max_depth": "Links away from what a command names.",
        "max_pages": "Pages asked for in one run.",
        "max_minutes": "Minutes of one crawl.",
        "robots": "ignore: robots.txt is not asked, as the site's owner wants it.",
        "sitemaps": "Whether sitemaps are a source of links.",
        "sitemap_urls": "Sitemaps beside those that robots.txt names.",
        "user_agent_contact": "A URL for the User-Agent, where webmasters can complain.",
        "allow_networks": "Networks that are not public and may be connected to all the same.",
        "connection": "An Airflow connection with proxy, password or headers.",
    },
    "ExtractSection": {
        "content": "Selectors (CSS, or XPath with a leading /) of a page's content.",
        "leave_out": "Selectors of what is not indexed.",
        "fields": "Names of fields, with the selector of each.",
    },
    "IndexSection": {
        "replicas": "Copies of the index.",
        "shards": "Parts of the index.",
        "keep_generations": "Older generations that are kept for a roll back.",
    },
    "BrakeSection": {
        "max_removed": "The share of documents that may go because their pages are gone.",
        "max_commanded": "The share of documents that delete and deletemask may remove.",
        "min_documents": "Fewer documents than these are never published without asking.",
        "answer_within": "How long a list of removals waits for an answer.",
    },
    "RetriesSection": {
        "retry_for": "How long a page that fails is tried again.",
        "max_failed": "The share of named pages that may fail in a run.",
        "stale_after": "When a page that fails counts as stale.",
    },
    "DiscoverySection": {
        "every": "The time between two runs of the robots.",
        "checks": "Pages checked in one run.",
        "batch": "New pages indexed in one run.",
        "authorities": "Hosts whose links count most.",
        "link_weight": "What a link counts.",
        "dynamic_link_weight": "What a link to a URL with a query counts.",
        "duplicate_distance": "How near two texts are that count as one.",
    },
}


_EXAMPLE = {"id": "id", "name": "", "owner": "", "script": {"url": "https://www.example.com/"}}


def site_schema() -> dict[str, Any]:
    """Return the schema (draft 2020-12) of a site file, with a sentence on every field.

    Defaults are spelled as a site file would have them, since editors write them there.
    """
    schema = SiteDefinition.model_json_schema()
    defaults = SiteDefinition.model_validate(_EXAMPLE).model_dump(mode="json")
    _complete("SiteDefinition", schema, defaults)
    for name, section in schema["$defs"].items():
        _complete(name, section, defaults.get(name.removesuffix("Section").lower()) or {})
    schema["properties"]["id"]["pattern"] = f"^{SITE_ID.pattern}$"
    schedule = schema["$defs"]["ScheduleSection"]["properties"]
    schedule["base_time"]["pattern"] = _TIME
    schedule["maintenance"]["items"]["pattern"] = _HOURS
    return {"$schema": _DRAFT, **schema}


def _complete(name: str, section: dict[str, Any], defaults: dict[str, Any]) -> None:
    for field, described in section["properties"].items():
        described["description"] = _DESCRIPTIONS[name][field]
        if "default" in described and field in defaults:
            described["default"] = defaults[field]
