"""From a URL's facts and the blocks that reached it to what becomes of it; no I/O.

A URL is fetched once in a run and judged once for each block that reached it, and in that for each
action, oldest first, by that block's rules and flags; the last judgement that lets the page be
written counts (docs/spec/04-crawling.md, 4.8 Deciding; docs/spec/03-planning.md, *Order*).
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from site_indexer.crawling.model import Outcome, Reach, RecordAction
from site_indexer.crawling.page_facts import NO_DATES, Answer, PageFacts
from site_indexer.masks.model import DocumentDates, Judgement
from site_indexer.masks.model import Outcome as RuleOutcome
from site_indexer.values import value_object


class Rules(Protocol):
    """The part of a rule list that judging asks; see ``site_indexer.masks.rule_list``."""

    def judge(self, url: str, dates: DocumentDates | None = None) -> Judgement:
        """Say whether a URL is let in, by which rule, and with which flags."""
        ...

    def judge_by_server_date(self, url: str, server: dt.datetime | None) -> Judgement:
        """Judge a URL of which only the server's date is known."""
        ...


class Verdict(StrEnum):
    """What one block's judgement came to; the words of ``Reach.verdict``."""

    WRITE = "write"
    FOLLOW_ONLY = "follow-only"
    EXCLUDED = "excluded"
    NO_MATCH = "no-match"


ADMITTING = frozenset({Verdict.WRITE, Verdict.FOLLOW_ONLY})
"""The verdicts of blocks whose rules let the page in."""


@value_object
class Judged:
    """What becomes of a URL.

    ``reaches`` are those given, in the order of their turns, with their verdicts. ``decisive`` is
    the one whose judgement counts. ``followers`` are the reaches for whose blocks the page's links,
    its redirect or its canonical are followed.
    """

    outcome: Outcome
    action: RecordAction
    decisive: Reach
    reaches: tuple[Reach, ...]
    followers: tuple[Reach, ...]

    @property
    def admitted_by(self) -> frozenset[int]:
        """The blocks whose rules let the page in."""
        return frozenset(reach.block for reach in self.reaches if reach.verdict in ADMITTING)


_WITHOUT_PAGE = {
    Answer.GONE: (Outcome.GONE, RecordAction.REMOVE),
    Answer.FAILED: (Outcome.FAILED, RecordAction.KEEP),
    Answer.REFUSED: (Outcome.REFUSED, RecordAction.KEEP),
    Answer.UNSUPPORTED: (Outcome.UNSUPPORTED, RecordAction.KEEP),
    Answer.REDIRECT: (Outcome.REDIRECT, RecordAction.KEEP),
    Answer.REFRESH: (Outcome.REDIRECT, RecordAction.KEEP),
    Answer.LEFT_OUT: (Outcome.EXCLUDED, RecordAction.KEEP),
}


def admission(rules: Rules, url: str) -> Verdict:
    """What a block's rules say of a URL that is not fetched yet: WRITE means that it may be.

    What only its date decides is fetched, and judged again with the date.
    """
    outcome = rules.judge(url).outcome
    if outcome is RuleOutcome.EXCLUDE:
        return Verdict.EXCLUDED
    return Verdict.NO_MATCH if outcome is RuleOutcome.NO_MATCH else Verdict.WRITE


def judge(
    url: str,
    facts: PageFacts,
    reaches: Iterable[Reach],
    rules: Mapping[int, Rules],
    *,
    follow_changed_only: bool = False,
) -> Judged:
    """Judge a URL for every block that reached it. ``reaches`` is not empty.

    A reach whose block has no rules here keeps the verdict that it has.
    """
    judged = tuple(
        _judged(url, facts, reach, rules.get(reach.block))
        for reach in sorted(reaches, key=lambda reach: reach.turn)
    )
    admitted = tuple(reach for reach, _ in judged if reach.verdict in ADMITTING)
    outcome, action, decisive = _outcome(facts, admitted, judged[-1][0])
    followers = tuple(
        reach
        for reach, nofollow in judged
        if reach.verdict in ADMITTING
        and reach.block in rules
        and _may_follow(facts, reach, nofollow=nofollow, changed_only=follow_changed_only)
    )
    return Judged(outcome, action, decisive, tuple(reach for reach, _ in judged), followers)


def as_page(judged: Judged, facts: PageFacts) -> tuple[Outcome, RecordAction]:
    """What a refreshing page would be if it were stored as a page of its own."""
    admitted = tuple(reach for reach in judged.reaches if reach.verdict in ADMITTING)
    if not admitted:
        return Outcome.EXCLUDED, RecordAction.KEEP
    outcome, action, _ = _page_outcome(facts, admitted)
    return outcome, action


def _judged(url: str, facts: PageFacts, reach: Reach, rules: Rules | None) -> tuple[Reach, bool]:
    """The reach with its verdict, and whether links are not to be followed for it."""
    if rules is None:
        return reach, True
    # What has no page has no date: there a date rule must not keep a removal or a redirect back.
    dated = facts.is_read or facts.dates is not NO_DATES
    judgement = rules.judge(url, facts.dates if dated else None)
    verdict = _verdict(judgement, noindex=reach.noindex or judgement.noindex or facts.noindex)
    rule = judgement.rule.text if judgement.rule is not None else None
    nofollow = reach.nofollow or judgement.nofollow
    # Spelled out, as dataclasses.replace costs three times as much, and this is done once a page.
    return (
        Reach(
            block=reach.block,
            depth=reach.depth,
            line=reach.line,
            cause=reach.cause,
            named=reach.named,
            nofollow=reach.nofollow,
            noindex=reach.noindex,
            found_on=reach.found_on,
            verdict=verdict.value,
            rule=rule,
        ),
        nofollow,
    )


def _verdict(judgement: Judgement, *, noindex: bool) -> Verdict:
    if judgement.outcome is RuleOutcome.EXCLUDE:
        return Verdict.EXCLUDED
    if judgement.outcome is RuleOutcome.NO_MATCH:
        return Verdict.NO_MATCH
    return Verdict.FOLLOW_ONLY if noindex else Verdict.WRITE


def _outcome(
    facts: PageFacts, admitted: tuple[Reach, ...], last: Reach
) -> tuple[Outcome, RecordAction, Reach]:
    if not admitted:
        return Outcome.EXCLUDED, RecordAction.KEEP, last
    if facts.answer is Answer.PAGE:
        return _page_outcome(facts, admitted)
    return (*_WITHOUT_PAGE[facts.answer], admitted[-1])


def _page_outcome(
    facts: PageFacts, admitted: tuple[Reach, ...]
) -> tuple[Outcome, RecordAction, Reach]:
    if facts.noindex:
        return Outcome.NOINDEX, RecordAction.REMOVE, admitted[-1]
    writers = [reach for reach in admitted if reach.verdict == Verdict.WRITE]
    if not writers:
        return Outcome.NOT_WRITTEN, RecordAction.KEEP, admitted[-1]
    if facts.changed:
        return Outcome.INDEXED, RecordAction.WRITE, writers[-1]
    return Outcome.UNCHANGED, RecordAction.KEEP, writers[-1]


def _may_follow(facts: PageFacts, reach: Reach, *, nofollow: bool, changed_only: bool) -> bool:
    if not facts.is_read:
        return facts.answer is Answer.REDIRECT
    if facts.answer is Answer.REFRESH:
        return True
    if nofollow or facts.nofollow:
        return False
    return facts.changed or reach.named or not changed_only
