"""Judging what was answered, again when further blocks arrive, and settling it all at the end."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from site_indexer.crawling.finished import Finished
from site_indexer.crawling.frontier import Entry, Frontier
from site_indexer.crawling.judging import ADMITTING, Judged, Rules, Verdict, as_page, judge
from site_indexer.crawling.ledger import Ledger
from site_indexer.crawling.model import (
    CrawlSettings,
    KnownPages,
    Listing,
    Outcome,
    PageRecord,
    Reach,
    RecordAction,
    block_of,
)
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.crawling.page_records import is_told_by_record
from site_indexer.crawling.settling import Admission, Candidate, Settled, settle
from site_indexer.crawling.spreading import Spreader
from site_indexer.index_script.model import Action
from site_indexer.masks.model import Outcome as RuleOutcome


class Assessor:
    """Turns facts into judgements, judgements into records and further URLs."""

    def __init__(
        self,
        settings: CrawlSettings,
        frontier: Frontier,
        rules: Mapping[int, Rules],
        spreader: Spreader,
        *,
        ledger: Ledger,
        known: KnownPages,
        listing: Listing | None = None,
    ) -> None:
        self._settings = settings
        self._frontier = frontier
        self._rules = rules
        self._spreader = spreader
        self._ledger = ledger
        self._known = known
        self._listing = listing
        self._settled: dict[str, Settled] = {}
        self._held: dict[str, Entry] = {}
        self.released_to = 0
        """The turn up to which none has to wait for others: at first that of the crawl's first."""

    def take(self, entry: Entry, facts: PageFacts, document: Mapping[str, Any] | None) -> None:
        """Take a URL's answer, and the document of a page that was read."""
        if facts.answer is not Answer.LEFT_OUT:
            aside, entry.aside = entry.aside, {}
            for reach in aside.values() if facts.may_lose_document else ():
                self._frontier.reach(entry.url, reach)
        entry.facts = facts
        entry.is_fresh = True
        self._judge(entry, facts, document)
        first = entry.judged
        self.judge_news()
        if entry.judged is first:
            self.finish(entry)

    def leave_out(self, reaches: Iterable[Reach], now: dt.datetime) -> None:
        """Note the URLs that commands name and that the rules of their blocks leave out.

        ``found_on`` of these reaches is their own URL.
        """
        for reach in reaches:
            url = reach.found_on or ""
            if url not in self._frontier:
                entry = self._frontier.add_unqueued(url)
                entry.reaches[reach.turn] = dataclasses.replace(reach, found_on=None)
                self.take(entry, PageFacts(Answer.LEFT_OUT, fetched_at=now), None)

    def resume(self, record: PageRecord, facts: PageFacts) -> None:
        """Follow again what a restored URL leads to; it may be finished."""
        entry = self._frontier.get(record.url)
        was_finished = entry is None
        entry = entry or self._frontier.restore(record, facts)
        self._judge(entry, facts, None)
        first = entry.judged
        self.judge_news()
        if was_finished and entry.judged is first:
            self.finish(entry)

    def judge_news(self) -> None:
        """Judge again what further blocks reached."""
        news = self._spreader.news
        while news or self._recall_reached():
            entry = news.popleft()
            facts = entry.facts
            if facts is None:
                continue
            if facts.answer is Answer.LEFT_OUT:
                # It was not fetched; a block that lets it in wants it fetched now.
                entry.facts = entry.judged = entry.written = None
                self._frontier.put_back(entry)
            else:
                self._judge(entry, facts, None)

    def finish(self, entry: Entry) -> None:
        """Let go of a URL that is recorded as it was judged, if no other URL depends on it."""
        facts, written = entry.facts, entry.written
        if (
            facts is not None
            and written is not None
            and is_told_by_record(facts, written[0])
            and (entry.judged is None or entry.judged.outcome is written[0])
            and facts.canonical is None
            and not (facts.aliases or entry.hops or entry.held or entry.indirect)
        ):
            self._frontier.finish(entry)

    def _recall_reached(self) -> bool:
        """Restore the finished pages that were reached anew; True if that gave news."""
        while recalled := self._spreader.recalled:
            self._spreader.recalled = []
            self._recall(dict.fromkeys(url for url, _, _ in recalled))
            for url, reach, hops in recalled:
                self._spreader.arrive(url, reach, hops=hops)
        return bool(self._spreader.news)

    def _recall(self, urls: Iterable[str]) -> None:
        """Make entries again of the finished ones among these URLs."""
        wanted = [url for url in urls if isinstance(self._frontier.known.get(url), Finished)]
        found = self._ledger.read_back(wanted)
        for url in wanted:
            if url in found:
                entry = self._frontier.restore(*found[url])
                self._judge(entry, found[url][1], None)
            else:
                self._frontier.reopen(url)

    def asks_head(self, entry: Entry) -> bool:
        """Whether the server's date may tell that no block lets the page in."""
        judgements = [
            self._rules[reach.block].judge(entry.url)
            for reach in entry.reaches.values()
            if reach.block in self._rules
        ]
        let_in = [j for j in judgements if j.outcome in (RuleOutcome.INCLUDE, RuleOutcome.DEPENDS)]
        return bool(let_in) and all(
            j.outcome is RuleOutcome.DEPENDS and j.server_date_helps for j in let_in
        )

    def is_left_out_by(self, entry: Entry, server_date: dt.datetime | None) -> bool:
        """Whether no block lets the page in, its server date being that, whatever its own is."""
        return all(
            self._rules[reach.block].judge_by_server_date(entry.url, server_date).outcome
            in (RuleOutcome.EXCLUDE, RuleOutcome.NO_MATCH)
            for reach in entry.reaches.values()
            if reach.block in self._rules
        )

    def settle(self) -> bool:
        """Settle redirects, canonicals and aliases; True if that gave more to crawl."""
        queued = self._frontier.queued
        self._recall({url: None for entry in self._frontier for url in _depends_on(entry)})
        self.judge_news()
        if self._frontier.queued > queued:
            return True  # pages that have lost their documents meanwhile are asked for again
        settled = settle(self._candidates(), self._settings.max_redirects, self._stands)
        self._settled = settled
        promoted = [entry for entry in self._frontier if _is_promoted(entry, settled)]
        for entry in promoted:
            # Of pages that refresh to each other, this one is a page like any other.
            if entry.facts is not None:
                entry.facts = dataclasses.replace(entry.facts, answer=Answer.PAGE, target=None)
                entry.judged = None  # so far it was followed as a redirect, not as a page
                self._judge(entry, entry.facts, None)
        if promoted:
            self.judge_news()
            return True
        self._ledger.settle(
            (entry, settled[entry.url]) for entry in self._frontier if entry.url in settled
        )
        return False

    def release(self) -> bool:
        """Let the first turn go on that waits for what is before it; False if none does.

        All that is before it must have been settled. Turns that turn out to list nothing, and so
        lead nowhere, are let go together.
        """
        leads_on = released = False
        while self._held and not leads_on:
            turn = min(min(entry.held) for entry in self._held.values())
            self.released_to = turn
            released = True
            for entry in [entry for entry in self._held.values() if turn in entry.held]:
                entry.held -= {turn}
                entry.released |= {turn}
                if not entry.held:
                    del self._held[entry.url]
                leads_on = self._let_go(entry, turn) or leads_on
        self.judge_news()
        return released

    def _let_go(self, entry: Entry, turn: int) -> bool:
        """Follow a page for a turn that listed it, unless it had lost its document by then.

        False if the page was not reached in that turn then.
        """
        facts, judged = entry.facts, entry.judged
        if facts is None or judged is None:
            return False
        if not (entry.reaches[turn].is_listed and self._lost_before(entry, facts, judged, turn)):
            others = [reach for reach in judged.followers if reach.turn != turn]
            self._spreader.spread(entry, others)
            return True
        otherwise = entry.indirect.get(turn)
        if otherwise is None:
            del entry.reaches[turn]
        else:
            entry.reaches[turn] = otherwise
        self._judge(entry, facts, None)
        return otherwise is not None

    def _lost_before(self, entry: Entry, facts: PageFacts, judged: Judged, turn: int) -> bool:
        if facts.noindex:
            return any(reach.turn < turn and reach.verdict in ADMITTING for reach in judged.reaches)
        since = self._settled[entry.url].since
        return since is not None and since < turn

    def _stands(self, url: str, turn: int, written_in: Sequence[int]) -> bool:
        return self._known.stands(url, block_of(turn), [block_of(each) for each in written_in])

    def written(self) -> Iterator[tuple[str, list[Reach]]]:
        """The URLs whose documents are written, each with the reaches that let it be written."""
        for entry in self._frontier:
            if entry.written is not None and entry.written[1] is RecordAction.WRITE:
                yield entry.url, _writers(() if entry.judged is None else entry.judged.reaches)
        for url, kind in self._frontier.finished_urls():
            if kind.action is RecordAction.WRITE:
                yield url, _writers(kind.reaches.values())

    def _judge(self, entry: Entry, facts: PageFacts, document: Mapping[str, Any] | None) -> None:
        before = entry.judged.followers if entry.judged is not None else ()
        judged = judge(
            entry.url,
            facts,
            entry.reaches.values(),
            self._rules,
            follow_changed_only=self._settings.follow_changed_only,
        )
        entry.judged = judged
        self._hold(entry, facts, judged)
        self._ledger.judged(entry, facts, judged, document)
        self._spreader.spread(entry, before)

    def _hold(self, entry: Entry, facts: PageFacts, judged: Judged) -> None:
        """Have ``update`` turns wait where what is before them tells whether they list the page.

        One that lists a page with a document may find it lost by then; one that a link led to a
        page may find that its commands list it, nofollow.
        """
        waiting = (
            reach.turn
            for reach in judged.reaches
            if reach.cause is Action.UPDATE
            and reach.turn > self.released_to
            and self._has_to_wait(entry.url, facts, reach)
        )
        entry.held = frozenset(waiting) - entry.released
        if entry.held:
            self._held[entry.url] = entry
        else:
            self._held.pop(entry.url, None)

    def _has_to_wait(self, url: str, facts: PageFacts, reach: Reach) -> bool:
        if reach.is_direct:
            return facts.may_lose_document
        listing = self._listing
        return facts.is_read and listing is not None and listing.is_nofollow(url, reach.turn)

    def _candidates(self) -> Iterable[Candidate]:
        class_of = self._spreader.like_minded.class_of
        for entry in self._frontier:
            if entry.facts is not None and entry.judged is not None:
                yield _candidate(entry, entry.facts, entry.judged, class_of)


def _writers(reaches: Iterable[Reach]) -> list[Reach]:
    return [reach for reach in reaches if reach.verdict == Verdict.WRITE]


def _depends_on(entry: Entry) -> Iterable[str]:
    """The other URLs whose outcome may change that of an entry, or be changed by it."""
    facts = entry.facts
    if facts is None:
        return ()
    return filter(None, (facts.target, facts.canonical, *facts.aliases))


def _candidate(
    entry: Entry, facts: PageFacts, judged: Judged, class_of: Callable[[int], int]
) -> Candidate:
    return Candidate(
        url=entry.url,
        order=entry.order,
        outcome=judged.outcome,
        action=judged.action,
        judges_as=class_of(judged.decisive.block),
        admitted=tuple(
            Admission(reach.turn, class_of(reach.block), reach.verdict == Verdict.WRITE)
            for reach in judged.reaches
            if reach.verdict in ADMITTING
        ),
        redirect=facts.target,
        permanent=facts.permanent,
        page=as_page(judged, facts) if facts.answer is Answer.REFRESH else None,
        canonical=facts.canonical,
        stored=facts.stored,
        aliases=facts.aliases,
    )


def _is_promoted(entry: Entry, settled: Mapping[str, Settled]) -> bool:
    facts = entry.facts
    if facts is None or facts.answer is not Answer.REFRESH or entry.judged is None:
        return False
    return entry.judged.outcome is Outcome.REDIRECT and settled[entry.url].outcome not in (
        Outcome.REDIRECT,
        Outcome.FAILED,
    )
