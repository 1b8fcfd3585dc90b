"""Ordered rule lists: the first rule that matches decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence

from site_indexer.masks.mask_index import MaskIndex
from site_indexer.masks.model import DocumentDates, Judgement, Outcome, Rule, RuleAction

# Measured: shorter lists are asked rule by rule in less time.
_INDEXED_FROM = 10

_OUTCOMES = {RuleAction.INCLUDE: Outcome.INCLUDE, RuleAction.EXCLUDE: Outcome.EXCLUDE}


class RuleList:
    """The rules for one block of one run, asked once for each URL met.

    ``now`` is the start of the run (aware), for ``-days`` rules; ``zone`` is the site's, for the
    calendar days of ``-date`` rules. Rules: docs/spec/02-urls-and-masks.md, *Rules*.
    """

    __slots__ = ("_has_dates", "_index", "_judgements", "_rules", "_tests")

    def __init__(self, rules: Sequence[Rule], *, now: dt.datetime, zone: dt.tzinfo) -> None:
        self._rules = tuple(rules)
        self._tests = tuple(_date_test(rule, now, zone) for rule in self._rules)
        self._judgements = tuple(_judgement(rule) for rule in self._rules)
        self._has_dates = any(rule.is_dated for rule in self._rules)
        self._index = (
            MaskIndex([rule.mask for rule in self._rules])
            if len(self._rules) >= _INDEXED_FROM
            else None
        )

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules in the order in which they are asked."""
        return self._rules

    def judge(self, url: str, dates: DocumentDates | None = None) -> Judgement:
        """Say whether a normalized URL is let in, by which rule, and with which flags.

        Without ``dates`` a URL that only its document's dates decide gets ``DEPENDS``. Where no
        date could let it in, or all would let it in alike, that is the answer at once, by the
        rule that is left when no date rule matches.
        """
        if self._index is not None and not self._has_dates:
            first = self._index.first(url)
            return _NO_MATCH if first is None else self._judgements[first]
        asked = False
        pending: list[Rule] = []
        for position in self._matching(url):
            test = self._tests[position]
            if test is None:
                return self._decided(pending, self._judgements[position], asked=asked)
            asked = True
            if dates is None:
                pending.append(self._rules[position])
            elif test.matches(dates):
                return _after_dates(self._judgements[position])
        return self._decided(pending, _NO_MATCH, asked=asked)

    def judge_by_server_date(self, url: str, server: dt.datetime | None) -> Judgement:
        """Judge a URL whose server date is known (None: it states none) and whose own is not.

        ``DEPENDS`` means that the page itself must be read. Made for ``server-date`` rules, whose
        excluded documents must not be downloaded.
        """
        known = DocumentDates(server=server)
        pending: list[Rule] = []
        asked = False
        for position in self._matching(url):
            test, rule = self._tests[position], self._rules[position]
            if test is None:
                return self._decided(pending, self._judgements[position], asked=asked)
            asked = True
            if not rule.server_date:
                pending.append(rule)
            elif test.matches(known):
                return self._decided(pending, self._judgements[position], asked=True)
        return self._decided(pending, _NO_MATCH, asked=asked)

    def _matching(self, url: str) -> Iterable[int]:
        if self._index is not None:
            return self._index.matching(url)
        return (place for place, rule in enumerate(self._rules) if rule.mask.matches(url))

    @staticmethod
    def _decided(pending: list[Rule], last: Judgement, *, asked: bool) -> Judgement:
        """Return what the list says when ``last`` holds if none of the pending date rules does."""
        if not pending:
            return _after_dates(last) if asked else last
        if all(_same_effect(_judgement(rule), last) for rule in pending):
            return _after_dates(last)
        return Judgement(
            Outcome.DEPENDS,
            date_dependent=True,
            server_date_decides=all(rule.server_date for rule in pending),
            server_date_helps=any(rule.server_date for rule in pending),
        )


class _DateTest:
    """The cut-off of one date rule."""

    __slots__ = ("_day", "_instant", "_server_date", "_zone")

    def __init__(self, rule: Rule, now: dt.datetime, zone: dt.tzinfo) -> None:
        self._server_date = rule.server_date
        self._zone = zone
        self._day = rule.date
        self._instant = now - dt.timedelta(days=rule.days or 0)

    def matches(self, dates: DocumentDates) -> bool:
        """Whether the document's date is on or before the cut-off; without a date it is not."""
        date = dates.of_rule(server_date=self._server_date)
        if date is None:
            return False
        if self._day is None:
            return date <= self._instant
        return self._calendar_day(date) <= self._day

    def _calendar_day(self, date: dt.datetime) -> dt.date:
        try:
            return date.astimezone(self._zone).date()
        except OverflowError:
            # At the very ends of the calendar the zone makes no difference to any cut-off.
            return date.date()


def _date_test(rule: Rule, now: dt.datetime, zone: dt.tzinfo) -> _DateTest | None:
    return _DateTest(rule, now, zone) if rule.is_dated else None


def _judgement(rule: Rule) -> Judgement:
    return Judgement(
        _OUTCOMES[rule.action], rule=rule, nofollow=rule.nofollow, noindex=rule.noindex
    )


def _after_dates(judgement: Judgement) -> Judgement:
    return Judgement(
        judgement.outcome,
        rule=judgement.rule,
        nofollow=judgement.nofollow,
        noindex=judgement.noindex,
        date_dependent=True,
    )


def _same_effect(one: Judgement, other: Judgement) -> bool:
    """Whether both leave a page out, or both let it in with the same flags."""
    if one.outcome is not Outcome.INCLUDE:
        return other.outcome is not Outcome.INCLUDE
    return (one.outcome, one.nofollow, one.noindex) == (
        other.outcome,
        other.nofollow,
        other.noindex,
    )


_NO_MATCH = Judgement(Outcome.NO_MATCH)
