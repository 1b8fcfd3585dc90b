"""A site, an index and a way to crawl the one into the other."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from site_indexer.crawling.crawl import Crawl
from site_indexer.crawling.frontier import Frontier
from site_indexer.crawling.model import CrawlCounts, CrawlSettings, PageRecord, Seed
from site_indexer.index_script.model import Action
from site_indexer.masks.mask import compile_mask
from site_indexer.masks.model import Rule, RuleAction, RuleOrigin
from site_indexer.masks.rule_list import RuleList
from site_indexer.urls.kinds import MaskKind
from tests.integration.crawling.ports import MemoryIndex, MemorySink
from tests.integration.crawling.small_site import SmallSite

NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)


def rule(action: str, mask: str, **more: Any) -> Rule:
    kind = MaskKind.WILDCARD if "*" in mask else MaskKind.PREFIX
    return Rule(
        action=RuleAction(action),
        mask=compile_mask(mask, kind),
        origin=RuleOrigin.SCRIPT,
        text=f"{action} {mask}",
        **more,
    )


def rules(*lines: Rule) -> RuleList:
    return RuleList(lines, now=NOW, zone=dt.UTC)


@dataclass
class Case:
    site: SmallSite
    index: MemoryIndex = field(default_factory=MemoryIndex)
    sink: MemorySink = field(default_factory=MemorySink)
    settings: CrawlSettings = field(init=False)
    keep_whole: int = 20_000
    frontier: Frontier = field(init=False)
    """That of the last crawl."""

    def __post_init__(self) -> None:
        self.settings = CrawlSettings(
            # One request at a time, so that the order of requests is that of the crawl.
            concurrency=1,
            site="small",
            user_agent="SiteIndexer/test",
            hosts=(self.site.authority,),
            allow_networks=("127.0.0.0/8",),
            delay_s=0.0,
            retries=0,
        )

    def seed(self, path: str, **more: Any) -> Seed:
        values = {"block": 0, "line": 2, "cause": Action.ADD, **more}
        return Seed(url=self.site.url + path, **values)

    def everything(self) -> Mapping[int, RuleList]:
        return {0: rules(rule("include", self.site.url + "/"))}

    def crawl(
        self,
        *seeds: Seed,
        by: Mapping[int, RuleList] | None = None,
        done: Iterable[PageRecord] = (),
        **settings: Any,
    ) -> CrawlCounts:
        """Crawl into the sink; the index stays as it is."""
        self.frontier = Frontier(keep_whole=self.keep_whole)
        return Crawl(
            settings=dataclasses.replace(self.settings, **settings),
            seeds=seeds or (self.seed("/"),),
            rules=by or self.everything(),
            known=self.index,
            sink=self.sink,
            done=done,
            frontier=self.frontier,
        ).run()

    def run(self, *seeds: Seed, **more: Any) -> CrawlCounts:
        """Crawl into a new change set and publish it."""
        self.sink = MemorySink()
        self.site.asked.clear()
        counts = self.crawl(*seeds, **more)
        self.index.publish(self.sink)
        return counts

    def stored(self) -> list[str]:
        """The paths of the documents of the index, sorted."""
        return sorted(url.removeprefix(self.site.url) for url in self.index.by_url())

    def outcome(self, path: str) -> str:
        return self.sink.of(self.site.url + path).outcome.value
