"""From pages to the URLs that they lead to, for the blocks that may go there.

Rules are asked before a URL is queued; what no block lets in costs no request
(docs/spec/04-crawling.md, 4.7 Links and 4.8 Deciding).
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence

from site_indexer.crawling.finished import Finished
from site_indexer.crawling.frontier import Arrival, Entry, Frontier, merged_reach
from site_indexer.crawling.judging import Verdict, admission
from site_indexer.crawling.like_minded import LikeMinded
from site_indexer.crawling.link_resolver import LinkResolver
from site_indexer.crawling.model import CrawlSettings, FlaggedCommand, Outcome, Reach, Seed
from site_indexer.crawling.page_facts import Answer
from site_indexer.masks.rule_list import RuleList

# Of URLs that are not queued. A site has as many of them as it likes, and each takes 200 bytes.
_MOST_REMEMBERED = 100_000

_WITH_DOCUMENT = (Outcome.INDEXED, Outcome.UNCHANGED)


class Spreader:
    """Carries the reaches of answered URLs on to others."""

    def __init__(
        self,
        frontier: Frontier,
        rules: Mapping[int, RuleList],
        resolver: LinkResolver,
        settings: CrawlSettings,
        *,
        most_queued: int,
        flagged: Iterable[FlaggedCommand] = (),
    ) -> None:
        """``most_queued``: while so many URLs wait, further ones that only links name are not kept.

        Without it a page of a hundred thousand links, and another behind each, fills the memory.
        """
        self._most_queued = most_queued
        self.not_kept = 0
        self._frontier = frontier
        self._rules = rules
        self.like_minded = LikeMinded(rules, flagged)
        self._resolver = resolver
        self._settings = settings
        self._left_out: dict[int, dict[str, Verdict]] = {}
        self._may_remember = _MOST_REMEMBERED
        self._too_deep: set[str] = set()
        self.more_left_out = False
        """Whether more URLs than :attr:`left_out` were: not all are remembered, to count once."""
        self.more_too_deep = False
        """Whether there were more than :meth:`too_deep` tells, likewise."""
        self.news: deque[Entry] = deque()
        """Answered entries that were reached by a further block, and are to be judged again."""
        self.recalled: list[tuple[str, Reach, int]] = []
        """Finished pages that were reached anew, with the reach and its hops (:meth:`arrive`)."""

    @property
    def left_out(self) -> int:
        """How many URLs were met as links that no block's rules let in (see ``more_left_out``)."""
        urls: set[str] = set().union(*self._left_out.values())
        return sum(url not in self._frontier for url in urls)

    def seed(self, seeds: Iterable[Seed]) -> list[Reach]:
        """Queue the URLs that commands name; returns those reaches that rules leave out.

        ``found_on`` of the ones returned is their own URL.
        """
        left_out: list[Reach] = []
        # Newest first: older blocks that judge alike have nothing to add then.
        for url, reach in sorted(_by_commands(seeds), key=lambda pair: -pair[1].turn):
            verdict = self._admission(url, reach.block)
            if verdict is Verdict.WRITE:
                self.arrive(url, reach, hops=0)
            else:
                left_out.append(dataclasses.replace(reach, found_on=url, verdict=verdict.value))
        return left_out

    def spread(self, entry: Entry, already: Collection[Reach] = ()) -> None:
        """Carry the reaches of an answered and judged entry to where it leads.

        ``already``: followers of an earlier judgement, for which that is done.
        """
        facts, judged = entry.facts, entry.judged
        if facts is None or judged is None:
            return
        followers = [
            reach
            for reach in judged.followers
            if reach not in already and reach.turn not in entry.held
        ]
        if facts.answer in (Answer.REDIRECT, Answer.REFRESH):
            if facts.target is not None and entry.hops < self._settings.max_redirects:
                self._carry(entry, facts.target, followers, named=True)
            return
        if facts.canonical is not None and judged.outcome in _WITH_DOCUMENT:
            # Whether its links are followed or not: it may be stored under another URL.
            writing = [reach for reach in judged.reaches if reach.verdict == Verdict.WRITE]
            self._carry(entry, facts.canonical, writing, named=False)
        self.follow(facts.links, entry.url, followers)

    def follow(self, links: Sequence[str], found_on: str, followers: Sequence[Reach]) -> None:
        """Carry reaches along links: one deeper, without the flags of the command."""
        children = [_by_link(reach, found_on) for reach in followers]
        deepest = self._settings.max_depth
        near = [child for child in children if child.depth <= deepest]
        if near:
            untold = self._frontier.untold(links, near[0]) if len(near) == 1 else links
            self._follow(untold, near)
        if len(near) < len(children):
            far = [child for child in children if child.depth > deepest]
            self._note_too_deep(links, far)

    def _follow(self, links: Sequence[str], children: Sequence[Reach]) -> None:
        get = self._frontier.known.get
        turns = [(child, child.turn) for child in children]
        for url in links:
            state = get(url)
            for child, turn in turns:
                # By far the most frequent case, on every page: the navigation of the site. So it
                # asks nobody: a call for each link would cost as much as all else here.
                if state is not None:
                    if not isinstance(state, Reach):
                        known = state.reaches.get(turn)
                    elif state.block == child.block and state.cause is child.cause:
                        known = state
                    else:
                        known = None
                    if (
                        known is not None
                        and known.depth <= child.depth
                        and not known.nofollow
                        and not known.noindex
                    ):
                        if not known.named:
                            self._frontier.note_told(url, known)
                        elif isinstance(state, Entry):
                            state.note_indirect(child)
                        continue
                if self._admission(url, child.block) is Verdict.WRITE:
                    self.arrive(url, child, hops=0)
                    state = get(url)

    def _carry(self, entry: Entry, target: str, followers: Sequence[Reach], *, named: bool) -> None:
        """Carry reaches to the URL that stands for this one, with the flags of the command."""
        if not self._resolver.is_same_site(target):
            return
        for reach in followers:
            if self._admission(target, reach.block) is Verdict.WRITE:
                carried = dataclasses.replace(
                    reach,
                    named=reach.named and named,
                    found_on=entry.url,
                    verdict="",
                    rule=None,
                )
                self.arrive(target, carried, hops=entry.hops + 1 if named else 0)

    def arrive(self, url: str, reach: Reach, *, hops: int) -> None:
        """Note that a reach has come to a URL that its block's rules let in."""
        state = self._frontier.known.get(url)
        if state is None and not (reach.named or hops):
            if self._frontier.queued >= self._most_queued:
                self.not_kept += 1
            else:
                self._frontier.add(url, reach)
        elif isinstance(state, Finished):
            if reach.turn in state.reaches or not self.like_minded.is_spoken_for(
                reach, state.reaches
            ):
                self.recalled.append((url, reach, hops))
        else:
            known = self._frontier.get(url)
            if known is not None and self._is_spoken_for(reach, known):
                known.hops = min(known.hops, hops)
                return
            arrival, entry = self._frontier.reach(url, reach, hops=hops)
            if arrival is Arrival.NEWS:
                self.news.append(entry)

    def _is_spoken_for(self, reach: Reach, entry: Entry) -> bool:
        """Whether a newer block says all that this reach could.

        One that lists the page may find the document lost by then; the older one is kept for that.
        """
        if reach.turn in entry.reaches:
            return False
        speakers = list(self.like_minded.speakers(reach, entry.reaches))
        if not all(speaker.is_listed for speaker in speakers):
            return True
        facts = entry.facts
        if not speakers or (facts is not None and facts.may_lose_document):
            return False
        if facts is None or facts.answer is Answer.LEFT_OUT:
            self._set_aside(entry, reach)
        return True

    def _set_aside(self, entry: Entry, reach: Reach) -> None:
        """Keep a reach for the case that newer ones are taken back, but for what others tell.

        Of alike blocks that list the page only the oldest may still find its document; where links
        lead there, the newest tells all.
        """
        for key, known in list(entry.aside.items()):
            older, newer = sorted((known, reach), key=lambda each: each.turn)
            alike = self.like_minded.is_spoken_for(older, {newer.turn: newer})
            if alike and known.is_listed == reach.is_listed:
                if known is (older if reach.is_listed else newer):
                    return
                del entry.aside[key]
        entry.aside[reach.turn, reach.is_listed] = reach

    def _admission(self, url: str, block: int) -> Verdict:
        left_out = self._left_out.setdefault(block, {})
        known = left_out.get(url)
        if known is not None:
            return known
        rules = self._rules.get(block)
        if rules is None or not self._resolver.is_same_site(url):
            verdict = Verdict.NO_MATCH
        else:
            verdict = admission(rules, url)
        if verdict is not Verdict.WRITE:
            if self._may_remember:
                self._may_remember -= 1
                left_out[url] = verdict
            else:
                self.more_left_out = True
        return verdict

    def too_deep(self) -> list[str]:
        """The URLs that were met only below ``max_depth``, sorted; see also ``more_too_deep``."""
        return sorted(url for url in self._too_deep if url not in self._frontier)

    def _note_too_deep(self, links: Iterable[str], far: Sequence[Reach]) -> None:
        for url in links:
            if len(self._too_deep) < _MOST_REMEMBERED:
                if url not in self._too_deep and self._is_new(url, far):
                    self._too_deep.add(url)
            elif self.more_too_deep:
                return
            else:
                self.more_too_deep = url not in self._too_deep and self._is_new(url, far)

    def _is_new(self, url: str, children: Iterable[Reach]) -> bool:
        return url not in self._frontier and any(
            self._admission(url, child.block) is Verdict.WRITE for child in children
        )


def _by_commands(seeds: Iterable[Seed]) -> list[tuple[str, Reach]]:
    """The reaches of the URLs that commands name, one a turn: several commands add up."""
    found: dict[tuple[str, int], Reach] = {}
    for seed in seeds:
        reach = Reach(
            block=seed.block,
            depth=0,
            line=seed.line,
            cause=seed.cause,
            named=True,
            nofollow=seed.nofollow,
            noindex=seed.noindex,
        )
        known = found.get((seed.url, reach.turn))
        found[seed.url, reach.turn] = reach if known is None else merged_reach(known, reach)
    return [(url, reach) for (url, _), reach in found.items()]


def _by_link(reach: Reach, found_on: str) -> Reach:
    return Reach(
        block=reach.block,
        depth=reach.depth + 1,
        line=reach.line,
        cause=reach.cause,
        named=False,
        found_on=found_on,
    )
