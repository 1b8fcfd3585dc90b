"""What is known of one URL of a site: in its index, in its change sets, in its script.

Facts only; :mod:`site_indexer.indexing.url_verdict` makes a sentence of them.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from site_indexer.crawling.robots import RobotsCache, RobotsVerdict
from site_indexer.crawling.single_fetch import network_fetch, verdict_on
from site_indexer.index_store.client import StoreClient
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.generations import Generation, current, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.newer_block import Removals
from site_indexer.index_store.removals import RemovalStore, StandingRemoval
from site_indexer.index_store.retries import RetryStore
from site_indexer.index_store.url_history import KeptRecord, has_change_sets, records_of
from site_indexer.indexing.change_records import EPOCH
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.crawl_settings import single_settings
from site_indexer.indexing.plan_storage import StoredPlan, find_plan
from site_indexer.indexing.script_opinion import Opinion, opinion_on
from site_indexer.indexing.site_access import EnvironmentConnections, site_access
from site_indexer.sites.definition import SiteDefinition
from site_indexer.urls import document_id

_MOST_VISITS = 5
_ROBOTS_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Visit:
    """What one run found out about the URL.

    ``run_id``, ``block_line`` and ``block_date`` are None where the run's plan is no longer kept.
    ``facts`` are those of :func:`~site_indexer.indexing.change_records.to_change_record`.
    """

    fetched_at: dt.datetime
    action: str
    run_id: str | None
    block_line: int | None
    block_date: dt.datetime | None
    facts: Mapping[str, Any]

    @property
    def outcome(self) -> str:
        """The word of :class:`~site_indexer.crawling.model.Outcome`."""
        return str(self.facts.get("outcome", ""))


@dataclass(frozen=True, slots=True)
class Retry:
    """The URL's place on the retry list (docs/spec/05-index-lifecycle.md, 5.18).

    ``since`` is the start of the run that failed first; each run tries it again ``until`` then.
    """

    since: dt.datetime
    until: dt.datetime
    tries: int
    failure: str
    line: int


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything at hand about one URL; ``url`` is normalized.

    ``generation`` is the one that the target's alias shows. ``document`` is stored under the URL
    itself, ``stored_as`` names the URL of one that has it as an alias. ``visits`` are the last
    ones, the newest first; ``retry`` is its place on the target's list; ``removals`` are those
    that keep the URL out, the newest first. ``was_run``: a run of the last days got as far as its
    change set.
    """

    site: str
    target: Target
    url: str
    hosts: tuple[str, ...]
    is_on_site: bool
    generation: Generation | None = None
    document: Mapping[str, Any] | None = None
    stored_as: str | None = None
    visits: tuple[Visit, ...] = ()
    retry: Retry | None = None
    removals: tuple[StandingRemoval, ...] = ()
    opinion: Opinion | None = None
    robots: RobotsVerdict | None = None
    was_run: bool = False

    @property
    def last_visit(self) -> Visit | None:
        """The newest visit, if there is any."""
        return next(iter(self.visits), None)


def gather(
    collaborators: Collaborators, site: str, url: str, *, target: Target, now: dt.datetime
) -> Evidence:
    """All evidence about a normalized URL. Raises SiteFileError and the store's errors.

    The script and robots.txt are asked for as well; that they do not answer raises nothing.
    """
    definition = collaborators.definition(site)
    hosts = definition.site_hosts
    if not hosts.contains(url):
        return Evidence(site, target, url, hosts.names, is_on_site=False)
    client, names = collaborators.client, SiteNames(site)
    shown = current(client, names, target)
    document, stored_as = _stored(client, shown, url)
    ids = [document_id(url)]
    return Evidence(
        site=site,
        target=target,
        url=url,
        hosts=hosts.names,
        is_on_site=True,
        generation=describe(client, names, shown) if shown is not None else None,
        document=document,
        stored_as=stored_as,
        visits=tuple(_visits(client, records_of(client, names, ids), target)),
        retry=_retry(client, definition, target, document_id(url)),
        removals=_removals(client, site, target, shown, url) if shown is not None else (),
        was_run=has_change_sets(client, names),
        opinion=opinion_on(url, definition, now),
        robots=_robots(definition, url),
    )


def _stored(
    client: StoreClient, index: str | None, url: str
) -> tuple[Mapping[str, Any] | None, str | None]:
    if index is None:
        return None, None
    documents = StoredDocuments(client, index)
    document = documents.get(document_id(url))
    return document, None if document is not None else documents.stored_under_alias(url)


def _visits(client: StoreClient, kept: Sequence[KeptRecord], target: Target) -> list[Visit]:
    """The newest visits by runs of that target, and by runs of which it is not known."""
    visits: list[Visit] = []
    for each in kept:
        if len(visits) == _MOST_VISITS:
            break
        plan = find_plan(client, each.digest)
        if plan is None or plan.target is target:
            visits.append(_visit(each, plan))
    return visits


def _visit(kept: KeptRecord, stored: StoredPlan | None) -> Visit:
    record = kept.record
    blocks = stored.plan.blocks if stored is not None else ()
    block = blocks[record.block] if record.block is not None and blocks else None
    return Visit(
        fetched_at=EPOCH + dt.timedelta(milliseconds=record.version_ms),
        action=record.action,
        run_id=stored.run_id if stored is not None else None,
        block_line=block.line if block is not None else None,
        block_date=block.date if block is not None else record.counts_as,
        facts=record.facts,
    )


def _retry(
    client: StoreClient, definition: SiteDefinition, target: Target, key: str
) -> Retry | None:
    for entry in RetryStore(client).entries(definition.id, target):
        if entry.document_id == key:
            until = entry.since + definition.retries.retry_for
            return Retry(entry.since, until, entry.tries, entry.failure, entry.line)
    return None


def _removals(
    client: StoreClient, site: str, target: Target, shown: str, url: str
) -> tuple[StandingRemoval, ...]:
    counting = RemovalStore(client).effective(site, target, shown).removals
    found = Removals(counting).matching(url)
    return tuple(sorted(found, key=lambda removal: removal.counts_as, reverse=True))


def _robots(definition: SiteDefinition, url: str) -> RobotsVerdict | None:
    """What robots.txt says today; None where the site's owner has it ignored."""
    if definition.crawl.robots != "obey":
        return None
    access = site_access(EnvironmentConnections(), definition)
    settings = single_settings(definition, _ROBOTS_SECONDS, access=access)
    with network_fetch(settings) as fetch:
        return verdict_on(url, RobotsCache(), fetch)
