"""The demonstration site, crawled as its own index script asks."""

from __future__ import annotations

import datetime as dt
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from demo_site.expected import Expectation, after_run
from demo_site.server import RunningSite, running
from site_indexer.crawling.crawl import Crawl
from site_indexer.crawling.model import CrawlCounts, CrawlSettings, Outcome, RecordAction, Seed
from site_indexer.index_script.model import Action
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.indexing.site_view import view_of
from site_indexer.masks.mask import compile_mask
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan, PlannedCommand
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_blocks
from site_indexer.planning.selection import select
from site_indexer.sites.definition import SiteDefinition
from tests.integration.crawling.ports import MemoryIndex, MemorySink

NOW = dt.datetime(2026, 11, 30, tzinfo=dt.UTC)


class Run:
    """One run of the site's script, in memory."""

    def __init__(self, server: RunningSite, index: MemoryIndex) -> None:
        self.index = index
        self.sink = MemorySink()
        self.settings = CrawlSettings(
            site="demo",
            user_agent="SiteIndexer/test",
            hosts=(server.url.removeprefix("http://"),),
            delay_s=0.0,
            entry_points=(f"{server.url}/",),
            allow_networks=("127.0.0.0/8",),
            timezone="Europe/Madrid",
            content_selectors=("main",),
        )
        with urllib.request.urlopen(f"{server.url}/indexlist.txt") as answer:
            script = read_script(answer.read(), "indexlist.txt", NOW)
        definition = SiteDefinition.model_validate(
            {
                "id": "demo",
                "name": "Demo",
                "owner": "demo@example.com",
                "timezone": "Europe/Madrid",
                "script": {"url": f"{server.url}/indexlist.txt"},
                "entry_points": [f"{server.url}/"],
                "masks": ["exclude *.zip"],
            }
        )
        site = view_of(definition)
        self.plan: Plan = make_plan(select(script, watermark=None, window=None, now=NOW), site, NOW)
        self.rules = rules_of_blocks(self.plan, site)
        self.removals = RunRemovals.of_plan(self.plan)

    def crawl(self, action: Action) -> CrawlCounts:
        step = self.plan.step(action)
        assert step is not None
        return Crawl(
            settings=self.settings,
            seeds=[seed for command in step.commands for seed in self._seeds(command)],
            rules=self.rules,
            known=self.index,
            sink=self.sink,
            done=list(self.sink.records.values()),
        ).run()

    def publish(self) -> None:
        self.index.publish(self.sink)
        for key, document in list(self.index.documents.items()):
            record = self.sink.records.get(key)
            block = record.block if record is not None else -1
            if self.removals.newer_match(document["url"], block):
                del self.index.documents[key]

    def _seeds(self, command: PlannedCommand) -> Iterator[Seed]:
        cause = Action.ADD if command.url is not None else Action.UPDATE
        urls = [command.url] if command.url is not None else self._matching(command)
        for url in urls:
            yield Seed(url, command.block, command.line, cause, command.nofollow, command.noindex)

    def _matching(self, command: PlannedCommand) -> list[str]:
        assert command.mask is not None
        assert command.mask_kind is not None
        mask = compile_mask(command.mask, command.mask_kind)
        added = [r.url for r in self.sink.records.values() if r.action is RecordAction.WRITE]
        return sorted(url for url in {*self.index.by_url(), *added} if mask.matches(url))


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RunningSite]:
    with running(tmp_path, port=0) as site:
        yield site


def differences(expected: Expectation, index: MemoryIndex) -> list[str]:
    stored = index.by_url()
    problems = expected.problems(stored)
    for url, wanted in expected.documents.items():
        document = stored.get(url)
        if document is None:
            continue
        if frozenset(document["aliases"]) != wanted.aliases:
            problems.append(f"aliases of {url}: {document['aliases']}, not {wanted.aliases}")
        if wanted.language is not None and document["language"] != wanted.language:
            problems.append(f"language of {url}: {document['language']}")
        if wanted.title is not None and document["title"] != wanted.title:
            problems.append(f"title of {url}: {document['title']}")
    return problems


def test_the_script_gives_the_expected_index_and_a_second_run_changes_nothing(
    server: RunningSite,
) -> None:
    index = MemoryIndex()
    first = Run(server, index)
    added = first.crawl(Action.ADD)
    updated = first.crawl(Action.UPDATE)
    first.publish()
    assert differences(after_run(server.url), index) == []
    assert added.limit_reached is None
    assert updated.limit_reached is None

    before = index.comparable()
    second = Run(server, index)
    counts = second.crawl(Action.ADD)
    again = second.crawl(Action.UPDATE)
    second.publish()
    assert index.comparable() == before
    indexed = [r for r in second.sink.records.values() if r.outcome is Outcome.INDEXED]
    # Every block is new again, and an older one leads to pages that a newer one deletes.
    assert all(second.removals.newer_match(r.url, r.block) for r in indexed)
    assert counts.indexed + again.indexed == len(indexed)
    assert counts.not_modified == counts.unchanged > 50
