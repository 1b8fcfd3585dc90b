"""Runs scripts as the product does, with an index and a website in memory.

Real are the parser, the selection, the plan, the rules, the seeds, the whole crawl but for its
HTTP client, the records, and what publishing decides. OpenSearch is a dict.
"""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from site_indexer.crawling.answer_reader import AnswerReader
from site_indexer.crawling.crawl import Crawl
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.frontier import Frontier
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings
from site_indexer.crawling.responses import Request
from site_indexer.index_script.model import Action, IndexScript
from site_indexer.index_store.change_records import ChangeRecord, RemovalRecord
from site_indexer.index_store.documents import StoredDocuments, UrlMask
from site_indexer.index_store.instants import from_ms
from site_indexer.index_store.newer_block import BaseDocument, Removal, Removals, decide
from site_indexer.index_store.removals import StandingRemoval
from site_indexer.indexing.change_records import to_page_record
from site_indexer.indexing.crawling import ChangeSetSink
from site_indexer.indexing.known_pages import IndexedPages
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.indexing.seeds import UpdateListing, add_seeds, flagged_commands
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan, Window
from site_indexer.planning.rules import rules_of_blocks
from site_indexer.planning.selection import select
from site_indexer.planning.site_view import SiteView
from site_indexer.urls import SiteHosts, document_id
from tests.unit.indexing.order.small_site import HOST, Clock, Page, SiteFetcher, Website, answer

SETTINGS = CrawlSettings(
    site="small",
    user_agent="SiteIndexer/test",
    hosts=(HOST.removeprefix("https://"),),
    sitemaps=False,
)


@dataclass
class Documents:
    """Stands for :class:`StoredDocuments`."""

    sources: Mapping[str, Mapping[str, Any]]

    def lookup(self, document_ids: Sequence[str], fields: object = None) -> dict[str, Any]:
        del fields
        return {key: self.sources[key] for key in document_ids if key in self.sources}

    def get(self, key: str) -> dict[str, Any] | None:
        found = self.sources.get(key)
        return None if found is None else dict(found)

    def count(self) -> int:
        return len(self.sources)

    def matching(self, mask: UrlMask) -> Iterator[str]:
        for source in self.sources.values():
            if mask.matches(source["url"]):
                yield source["url"]


@dataclass
class Writer:
    """Stands for a change set and its writer: of two records of one URL the later counts."""

    records: dict[str, ChangeRecord] = field(default_factory=dict)

    def put(self, record: ChangeRecord) -> None:
        known = self.records.get(record.document_id)
        if known is None or known.version_ms <= record.version_ms:
            self.records[record.document_id] = record

    def get(self, document_ids: Sequence[str]) -> dict[str, ChangeRecord]:
        return {key: self.records[key] for key in document_ids if key in self.records}

    def flush(self) -> None:
        """All is written at once."""


@dataclass
class Target:
    """One target of a site: its documents, and what earlier runs left behind.

    ``found_there`` are the URLs of pages that the last run wrote or found unchanged.
    """

    site: SiteView
    order: random.Random
    clock: Clock = field(default_factory=Clock)
    sources: dict[str, dict[str, Any]] = field(default_factory=dict)
    standing: list[StandingRemoval] = field(default_factory=list)
    confirmed: dict[str, dt.datetime] = field(default_factory=dict)
    watermark: dt.datetime | None = None
    found_there: list[str] = field(default_factory=list)

    def store(self, url: str, page: Page) -> None:
        """Put a document there that no block wrote."""
        resolver = LinkResolver(SiteHosts(SETTINGS.hosts))
        reader = AnswerReader("small", Extractor(SETTINGS, resolver), resolver, ())
        _, document = reader.read(answer(page, Request(url), self.clock()), None)
        assert document is not None
        self.sources[document_id(url)] = document

    def versions(self) -> dict[str, int]:
        """The version of each document, by URL."""
        return {source["url"]: int(source["text"].split()[1]) for source in self.sources.values()}

    def run(self, script: IndexScript, website: Website, *, window: Window | None = None) -> Plan:
        """Run a script, and publish what comes of it."""
        now = self.clock()
        selection = select(script, watermark=self.watermark, window=window, now=now)
        plan = make_plan(selection, self.site, now=now)
        assert plan.processable
        writer = Writer()
        for action in (Action.ADD, Action.UPDATE):
            if plan.step(action) is not None:
                self._crawl(plan, action, writer, website)
        self._publish(plan, writer, now)
        self.watermark = plan.watermark_after
        return plan

    def _crawl(self, plan: Plan, action: Action, writer: Writer, website: Website) -> None:
        documents = cast(StoredDocuments, Documents(self.sources))
        removals = RunRemovals.of_plan(plan)
        done = [to_page_record(change) for change in writer.records.values()]
        step = plan.step(action)
        commands = step.commands if step else ()
        listing = UpdateListing(commands, removals) if action is Action.UPDATE else None
        Crawl(
            settings=SETTINGS,
            seeds=add_seeds(commands) if listing is None else listing.begin(documents, done),
            rules=rules_of_blocks(plan, self.site),
            known=IndexedPages(documents, removals),
            sink=ChangeSetSink(cast(Any, writer), plan),
            flagged=flagged_commands(plan),
            done=done,
            listing=listing,
            fetcher=cast(Fetcher, SiteFetcher(website, self.clock, self.order)),
            frontier=Frontier(keep_whole=self.order.choice((0, 3, 1_000))),
            now=self.clock,
        ).run()

    def _publish(self, plan: Plan, writer: Writer, now: dt.datetime) -> None:
        commands = list(removal_records(plan))
        records = [each for each in writer.records.values() if each.action in ("write", "remove")]
        base = {key: self._base_document(key, source) for key, source in self.sources.items()}
        decisions = decide(records, base, Removals(commands), Removals[Removal](self.standing))
        by_id = {record.document_id: record for record in records}
        for removed in decisions.removed:
            del self.sources[removed.document_id]
        for key in decisions.versions:
            record = by_id[key]
            date = decisions.dates.get(key, record.counts_as)
            self.sources[key] = {**(record.document or {}), "block_date": date}
        for key, date in decisions.redated.items():
            self.sources[key]["block_date"] = date
        refused = {each.document_id for each in decisions.refused}
        self.found_there = [
            record.url
            for record in writer.records.values()
            if record.facts["outcome"] in ("indexed", "unchanged")
            and record.document_id not in refused
        ]
        for record in writer.records.values():
            if record.facts["outcome"] == "unchanged" and record.counts_as is not None:
                known = self.confirmed.get(record.document_id, record.counts_as)
                self.confirmed[record.document_id] = max(known, record.counts_as)
        self.standing += [
            StandingRemoval(
                line=each.line,
                counts_as=each.counts_as,
                recorded_at=now,
                url=each.url,
                mask=each.mask,
                mask_kind=each.mask_kind,
            )
            for each in commands
        ]

    def _base_document(self, key: str, source: Mapping[str, Any]) -> BaseDocument:
        dates = [date for date in (source.get("block_date"), self.confirmed.get(key)) if date]
        fetched = dt.datetime.fromisoformat(source["fetched_at"])
        milliseconds = (fetched - from_ms(0)) // dt.timedelta(milliseconds=1)
        return BaseDocument(key, source["url"], max(dates, default=None), milliseconds)


def removal_records(plan: Plan) -> Iterator[RemovalRecord]:
    """What the ``delete`` and ``deletemask`` steps of a run write down."""
    for action in (Action.DELETE, Action.DELETEMASK):
        step = plan.step(action)
        for command in step.commands if step else ():
            yield RemovalRecord(
                line=command.line,
                block=command.block,
                counts_as=plan.blocks[command.block].counts_as,
                url=command.url,
                mask=command.mask,
                mask_kind=command.mask_kind,
            )
