"""One crawl of a site: from seeds and rules to records (docs/spec/04-crawling.md, 4.8 to 4.10)."""

from __future__ import annotations

import datetime as dt
import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from site_indexer.crawling.answer_reader import AnswerReader, server_date_of
from site_indexer.crawling.assessing import Assessor
from site_indexer.crawling.dispatch import Dispatcher, PageTag, RobotsTag
from site_indexer.crawling.extraction import Extractor
from site_indexer.crawling.fetcher import Fetcher
from site_indexer.crawling.frontier import Frontier
from site_indexer.crawling.garbage import collected_seldom
from site_indexer.crawling.ledger import Ledger
from site_indexer.crawling.limits import Limits, trap_of
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import (
    CrawlCounts,
    CrawlSettings,
    FlaggedCommand,
    KnownPages,
    Listing,
    PageRecord,
    RecordSink,
    Seed,
)
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.page_reading import PageReading
from site_indexer.crawling.page_records import restored_facts
from site_indexer.crawling.progress import ProgressListener, ProgressReporter
from site_indexer.crawling.responses import Failure, Response
from site_indexer.crawling.sitemap_crawl import SitemapCrawl, SitemapTag
from site_indexer.crawling.sitemap_dates import SitemapDates
from site_indexer.crawling.spreading import Spreader
from site_indexer.errors import ConfigurationError
from site_indexer.masks.model import DocumentDates
from site_indexer.masks.rule_list import RuleList
from site_indexer.urls import SiteHosts, host_of

logger = logging.getLogger("site_indexer.crawling")

_POLL_S = 0.5
_SITEMAPS_FIRST_S = 60.0
_RESTORED_AT_ONCE = 500


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC)


def _always() -> None:
    """Let a crawl that takes no turns go on."""


class Crawl:
    """Crawls for the commands of one action type.

    ``rules`` are the rule lists of the blocks, by number. ``flagged`` are the ``add`` and
    ``update`` commands of the run that have flags, of either action type. ``done`` are the records
    that the change set has already, from an earlier try or an earlier step of the same run: their
    pages are not fetched again, and are judged for what reaches them now; they are gone through
    twice. ``progress`` is called some times a second, and so is ``may_go_on``: what it raises
    ends the crawl; what is recorded stays. ``listing`` tells which pages ``update`` commands list
    once they are written. ``fetcher`` is made from the settings where none is given.

    Raises ConfigurationError for selectors or networks in the settings that are none.
    """

    def __init__(
        self,
        settings: CrawlSettings,
        seeds: Sequence[Seed],
        rules: Mapping[int, RuleList],
        known: KnownPages,
        sink: RecordSink,
        *,
        flagged: Iterable[FlaggedCommand] = (),
        done: Iterable[PageRecord] = (),
        listing: Listing | None = None,
        progress: ProgressListener | None = None,
        may_go_on: Callable[[], None] | None = None,
        fetcher: Fetcher | None = None,
        frontier: Frontier | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], dt.datetime] = _utc_now,
    ) -> None:
        self._settings = settings
        self._seeds = seeds
        self._known = known
        self._done = done
        self._listing = listing
        self._listed = set(seeds)
        self._may_go_on = may_go_on or _always
        self._clock = clock
        self._now = now
        self._fetcher = fetcher or Fetcher(settings)
        only_host = settings.hosts if len(settings.hosts) == 1 else ()
        self._main_hosts = SiteHosts(settings.entry_points or only_host).names
        self._frontier = frontier if frontier is not None else Frontier()
        resolver = LinkResolver(SiteHosts(settings.hosts))
        self._limits = Limits(settings, clock)
        self._spreader = Spreader(
            self._frontier,
            rules,
            resolver,
            settings,
            most_queued=self._limits.most_queued,
            flagged=flagged,
        )
        self._ledger = Ledger(sink, known)
        self._assessor = Assessor(
            settings,
            self._frontier,
            rules,
            self._spreader,
            ledger=self._ledger,
            known=known,
            listing=listing,
        )
        self._dispatcher = Dispatcher(
            settings,
            self._frontier,
            self._fetcher,
            known,
            head_first=self._assessor.asks_head,
            now=now,
        )
        dates = SitemapDates(self._limits.most_queued)
        self._sitemaps = SitemapCrawl(
            settings,
            self._fetcher,
            resolver,
            self._spreader,
            dates=dates,
            verdict=self._dispatcher.verdict,
        )
        reader = AnswerReader(
            settings.site, Extractor(settings, resolver), resolver, self._sitemaps.urls
        )
        self._reading: PageReading[PageTag] = PageReading(
            settings, reader, sitemaps=self._sitemaps.urls
        )
        self._progress = ProgressReporter(clock, progress)
        self._sitemaps_until = clock() + _SITEMAPS_FIRST_S

    def run(self) -> CrawlCounts:
        """Crawl to the end or to a limit, and settle what depends on other pages.

        Raises what the sink or the index raise where they cannot be reached, what ``may_go_on``
        raises, and ConfigurationError where the address of the site's own host is not in
        ``allow_networks``.
        """
        started = self._clock()
        if not self._settings.obey_robots:
            logger.warning("%s: robots.txt is ignored, as its definition says", self._settings.site)
        try:
            with collected_seldom():
                self._crawl_all()
        finally:
            self._dispatcher.close()
            self._reading.close()
            self._fetcher.close()
        self._ledger.flush()
        self._sitemaps.report()
        limit = self._limits.sentence(
            self._queued,
            len(self._spreader.too_deep()),
            self._spreader.not_kept,
            more_too_deep=self._spreader.more_too_deep,
        )
        if limit is not None:
            self._log_limit(limit)
        return self._ledger.counts(
            self._frontier,
            left_out=self._spreader.left_out,
            more_left_out=self._spreader.more_left_out,
            seconds=self._clock() - started,
            limit_reached=limit,
        )

    def _crawl_all(self) -> None:
        self._begin()
        self._crawl()
        while self._assessor.settle() or self._lists_more() or self._assessor.release():
            self._crawl()

    def _log_limit(self, limit: str) -> None:
        logger.error("%s: %s", self._settings.site, limit)
        trap = trap_of(self.unfetched())
        if trap is not None:
            logger.error(
                "%s: %s%d of them begin with %s. If that has no end (a calendar, session ids, paths"
                " that grow), write it into the site's masks: exclude %s*",
                self._settings.site,
                "at least " if self._spreader.more_too_deep else "",
                trap[1],
                trap[0],
                trap[0],
            )

    def unfetched(self) -> list[str]:
        """The URLs that a limit kept from being fetched, as far as they are known."""
        return [*self._frontier.unanswered(), *self._spreader.too_deep()]

    @property
    def _queued(self) -> int:
        return self._frontier.queued + self._dispatcher.waiting

    def _begin(self) -> None:
        turns = {each.turn for each in self._seeds}
        for record, facts in self._restored():
            entry = self._frontier.restore(record, facts)
            self._limits.pages_before += 1
            turns.update(each.turn for each in record.reaches)
            self._assessor.finish(entry)
        self._assessor.released_to = min(turns, default=0)
        # What commands name comes before what an earlier step has left over.
        left_out = self._spreader.seed(self._seeds)
        self._assessor.leave_out(left_out, self._now())
        for record, facts in self._restored():
            self._assessor.resume(record, facts)
        for url in self._sitemaps.begin(self._seeds):
            self._dispatcher.ask_robots(url)
        self._assessor.judge_news()

    @property
    def _waits(self) -> bool:
        """Whether pages wait: for the sitemaps, which may state their dates, or to be read."""
        awaits_sitemaps = self._sitemaps.pending > 0 and self._clock() < self._sitemaps_until
        return awaits_sitemaps or self._reading.is_full

    def _lists_more(self) -> bool:
        """Reach what ``update`` commands list of all that is written now; False if that is no more.

        It is asked last, as only then it is known which pages have documents.
        """
        if self._listing is None:
            return False
        seeds = {
            seed: None
            for url, writers in self._assessor.written()
            for seed in self._listing.seeds(url, writers)
            if seed not in self._listed
        }
        self._listed.update(seeds)
        self._spreader.seed(seeds)
        self._assessor.judge_news()
        return bool(seeds)

    def _restored(self) -> Iterator[tuple[PageRecord, PageFacts]]:
        """Earlier records with their facts, as far as they tell enough to go on from."""
        records = iter(self._done)
        while batch := list(itertools.islice(records, _RESTORED_AT_ONCE)):
            stored = self._known.lookup([record.document_id for record in batch])
            for record in batch:
                facts = restored_facts(record, stored.get(record.document_id))
                if facts is not None:
                    yield record, facts

    def _crawl(self) -> None:
        """Ask and judge until nothing is left or a limit is reached."""
        while True:
            self._may_go_on()
            budget = self._limits.budget(self._dispatcher.submitted)
            self._sitemaps.ask(may_ask=budget > 0)
            for entry, facts in self._dispatcher.fill(0 if self._waits else budget):
                self._assessor.take(entry, facts, None)
            if self._fetcher.pending:
                self._fetcher.wake_on(self._reading.bell)
                for tag, response in self._fetcher.poll(_POLL_S):
                    self._answer(tag, response)
                self._take_read()
                self._progress.report(
                    self._dispatcher.submitted, self._queued, self._ledger.failures
                )
            elif self._reading.pending:
                self._take_read(wait=True)
            elif budget <= 0 or not self._queued:
                return

    def _answer(self, tag: object, response: Response) -> None:
        if response.failure is Failure.ADDRESS_REFUSED:
            self._refuse_own_host(response)
        match tag:
            case PageTag(head=True):
                self._head_answered(tag, response)
            case PageTag():
                self._page_answered(tag, response)
            case RobotsTag():
                for entry, facts in self._dispatcher.robots_answered(tag, response):
                    self._assessor.take(entry, facts, None)
                self._sitemaps.found(self._dispatcher.robots.verdict(tag.url).sitemaps, tag.url)
            case SitemapTag():
                self._sitemaps.answered(tag, response)
                self._assessor.judge_news()

    def _refuse_own_host(self, response: Response) -> None:
        """Raise ConfigurationError where the site itself is in a network that it does not allow.

        A further host of the site may be; then only its pages fail.
        """
        if host_of(response.request.url) in self._main_hosts:
            raise ConfigurationError(
                f"Site {self._settings.site} cannot be crawled. {response.error}",
                site=self._settings.site,
                url=response.request.url,
            )

    def _page_answered(self, tag: PageTag, response: Response) -> None:
        self._dispatcher.answered(tag)
        self._reading.take(tag, response, tag.stored)

    def _take_read(self, *, wait: bool = False) -> None:
        for tag, read in self._reading.done(wait=wait):
            facts, document = self._sitemaps.dates.complete(tag.entry.url, *read)
            self._ledger.note_answer(facts)
            self._assessor.take(tag.entry, facts, document)

    def _head_answered(self, tag: PageTag, response: Response) -> None:
        """Decide by the server's date; what a HEAD does not tell for certain, a GET does."""
        self._dispatcher.answered(tag)
        server_date = server_date_of(response)
        if (
            response.failure is not None
            or response.status not in (200, 203)
            or not self._assessor.is_left_out_by(tag.entry, server_date)
        ):
            self._dispatcher.ask_for_page(tag)
            return
        facts = PageFacts(
            Answer.LEFT_OUT,
            status=response.status,
            fetched_at=response.received_at,
            dates=DocumentDates(server=server_date),
            stored=tag.stored is not None,
            aliases=tag.stored.aliases if tag.stored is not None else (),
            elapsed_ms=response.elapsed_ms,
        )
        self._ledger.note_answer(facts)
        self._assessor.take(tag.entry, facts, None)
