"""docs/spec/02-urls-and-masks.md, *Rules*."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.masks import (
    DocumentDates,
    Judgement,
    Outcome,
    Rule,
    RuleAction,
    RuleList,
    RuleOrigin,
    compile_mask,
)
from site_indexer.urls import MaskKind

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
MADRID = ZoneInfo("Europe/Madrid")


def rule(
    line: str,
    *,
    days: int | None = None,
    date: str | None = None,
    server_date: bool = False,
    nofollow: bool = False,
    noindex: bool = False,
) -> Rule:
    word, text = line.split(" ", 1)
    kind = MaskKind.WILDCARD if "*" in text else MaskKind.PREFIX
    if text.startswith("regexp "):
        kind, text = MaskKind.REGEXP, text.removeprefix("regexp ")
    return Rule(
        action=RuleAction(word),
        mask=compile_mask(text, kind),
        origin=RuleOrigin.SCRIPT,
        text=line,
        days=days,
        date=None if date is None else dt.date.fromisoformat(date),
        server_date=server_date,
        nofollow=nofollow,
        noindex=noindex,
    )


def rules(*several: Rule, zone: dt.tzinfo = dt.UTC) -> RuleList:
    return RuleList(several, now=NOW, zone=zone)


def at(text: str) -> dt.datetime:
    return dt.datetime.fromisoformat(text).replace(tzinfo=dt.UTC)


def own(date: dt.datetime) -> DocumentDates:
    return DocumentDates(own=date)


ALL = rule("include https://h/")


class TestFirstRuleThatMatchesDecides:
    def test_exclude_before_include(self) -> None:
        exclude = rule("exclude *.pdf")
        judgement = rules(exclude, ALL).judge("https://h/a.pdf")
        assert judgement == Judgement(Outcome.EXCLUDE, rule=exclude)

    def test_include_before_exclude(self) -> None:
        assert rules(ALL, rule("exclude *.pdf")).judge("https://h/a.pdf").rule is ALL

    def test_rules_that_do_not_match_are_passed_over(self) -> None:
        assert rules(rule("exclude *.pdf"), ALL).judge("https://h/a").outcome is Outcome.INCLUDE

    def test_a_url_that_no_rule_matches_is_left_out(self) -> None:
        assert rules(ALL).judge("https://i/") == Judgement(Outcome.NO_MATCH)
        assert rules().judge("https://h/") == Judgement(Outcome.NO_MATCH)

    def test_the_flags_are_those_of_the_rule_that_decides(self) -> None:
        flagged = rule("include https://h/a", nofollow=True, noindex=True)
        judgement = rules(flagged, ALL).judge("https://h/a")
        assert (judgement.nofollow, judgement.noindex) == (True, True)
        judgement = rules(flagged, ALL).judge("https://h/b")
        assert (judgement.nofollow, judgement.noindex) == (False, False)


class TestDays:
    RULES = rules(rule("exclude https://h/", days=30), ALL)

    @pytest.mark.parametrize(
        ("date", "outcome"),
        [
            (NOW - 30 * DAY, Outcome.EXCLUDE),
            (NOW - 30 * DAY + dt.timedelta(seconds=1), Outcome.INCLUDE),
            (NOW - 31 * DAY, Outcome.EXCLUDE),
            (NOW + DAY, Outcome.INCLUDE),
        ],
    )
    def test_an_instant_on_or_before_now_less_n_times_24_hours(
        self, date: dt.datetime, outcome: Outcome
    ) -> None:
        assert self.RULES.judge("https://h/a", own(date)).outcome is outcome

    def test_no_days_means_now(self) -> None:
        past = rules(rule("exclude https://h/", days=0), ALL)
        assert past.judge("https://h/", own(NOW)).outcome is Outcome.EXCLUDE
        assert past.judge("https://h/", own(NOW + DAY)).outcome is Outcome.INCLUDE

    def test_the_most_days(self) -> None:
        old = rules(rule("exclude https://h/", days=36_500), ALL)
        assert old.judge("https://h/", own(at("1900-01-01"))).outcome is Outcome.EXCLUDE


class TestDate:
    RULES = rules(rule("exclude https://h/", date="2024-01-31"), ALL, zone=MADRID)

    @pytest.mark.parametrize(
        ("date", "outcome"),
        [
            ("2024-01-30T12:00:00", Outcome.EXCLUDE),
            ("2024-01-31T12:00:00", Outcome.EXCLUDE),
            # 23:00 UTC is midnight in Madrid
            ("2024-01-31T22:59:59", Outcome.EXCLUDE),
            ("2024-01-31T23:00:00", Outcome.INCLUDE),
            ("2024-02-01T00:00:00", Outcome.INCLUDE),
        ],
    )
    def test_the_calendar_day_in_the_sites_zone(self, date: str, outcome: Outcome) -> None:
        assert self.RULES.judge("https://h/a", own(at(date))).outcome is outcome

    @pytest.mark.parametrize("hours", [-12, 12])
    def test_dates_at_the_ends_of_the_calendar(self, hours: int) -> None:
        zone = dt.timezone(dt.timedelta(hours=hours))
        several = rules(rule("exclude https://h/", date="2024-01-31"), ALL, zone=zone)
        first = dt.datetime.min.replace(tzinfo=dt.UTC)
        last = dt.datetime.max.replace(tzinfo=dt.UTC)
        assert several.judge("https://h/a", own(first)).outcome is Outcome.EXCLUDE
        assert several.judge("https://h/a", own(last)).outcome is Outcome.INCLUDE


class TestWhichDate:
    OLD, NEW = NOW - 100 * DAY, NOW - DAY

    def test_a_document_without_a_date_goes_to_the_next_rule(self) -> None:
        several = rules(rule("exclude https://h/", days=30), ALL)
        judgement = several.judge("https://h/", DocumentDates())
        assert judgement == Judgement(Outcome.INCLUDE, rule=ALL, date_dependent=True)

    def test_its_own_date_before_the_servers(self) -> None:
        several = rules(rule("exclude https://h/", days=30), ALL)
        for mine, servers, outcome in [
            (self.OLD, self.NEW, Outcome.EXCLUDE),
            (self.NEW, self.OLD, Outcome.INCLUDE),
            (None, self.OLD, Outcome.EXCLUDE),
        ]:
            dates = DocumentDates(own=mine, server=servers)
            assert several.judge("https://h/", dates).outcome is outcome

    def test_with_server_date_only_the_servers(self) -> None:
        several = rules(rule("exclude https://h/", days=30, server_date=True), ALL)
        for mine, servers, outcome in [
            (self.OLD, self.NEW, Outcome.INCLUDE),
            (self.NEW, self.OLD, Outcome.EXCLUDE),
            (self.OLD, None, Outcome.INCLUDE),
        ]:
            dates = DocumentDates(own=mine, server=servers)
            assert several.judge("https://h/", dates).outcome is outcome

    def test_date_dependent_says_that_a_date_rule_whose_mask_matches_was_asked(self) -> None:
        dated = rule("exclude https://h/a", days=30)
        assert rules(dated, ALL).judge("https://h/a", own(self.NEW)).date_dependent
        assert rules(dated, ALL).judge("https://h/a", own(self.OLD)).date_dependent
        assert rules(dated).judge("https://h/a", own(self.NEW)).date_dependent
        assert not rules(dated, ALL).judge("https://h/b", own(self.OLD)).date_dependent
        assert not rules(ALL, dated).judge("https://h/a", own(self.OLD)).date_dependent


class TestBeforeTheDatesAreKnown:
    def test_a_date_rule_before_one_that_decides_otherwise_depends(self) -> None:
        judgement = rules(rule("exclude https://h/", days=30), ALL).judge("https://h/")
        assert judgement == Judgement(Outcome.DEPENDS, date_dependent=True)

    def test_a_date_rule_behind_the_one_that_decides_is_not_asked(self) -> None:
        judgement = rules(ALL, rule("exclude https://h/", days=30)).judge("https://h/")
        assert judgement == Judgement(Outcome.INCLUDE, rule=ALL)

    def test_what_no_date_can_let_in_is_left_out_at_once(self) -> None:
        dated, exclude = rule("exclude https://h/", days=30), rule("exclude https://h/a")
        judgement = rules(dated, exclude, ALL).judge("https://h/a")
        assert judgement == Judgement(Outcome.EXCLUDE, rule=exclude, date_dependent=True)
        judgement = rules(dated).judge("https://h/a")
        assert judgement == Judgement(Outcome.NO_MATCH, date_dependent=True)

    def test_what_every_date_lets_in_alike_is_let_in_at_once(self) -> None:
        judgement = rules(rule("include https://h/", days=30), ALL).judge("https://h/")
        assert judgement == Judgement(Outcome.INCLUDE, rule=ALL, date_dependent=True)

    def test_other_flags_are_another_answer(self) -> None:
        dated = rule("include https://h/", days=30, noindex=True)
        assert rules(dated, ALL).judge("https://h/").outcome is Outcome.DEPENDS

    def test_whether_the_servers_date_is_enough(self) -> None:
        servers = rule("exclude https://h/", days=30, server_date=True)
        owns = rule("exclude https://h/", days=60)
        judgement = rules(servers, ALL).judge("https://h/")
        assert (judgement.server_date_decides, judgement.server_date_helps) == (True, True)
        judgement = rules(owns, servers, ALL).judge("https://h/")
        assert (judgement.server_date_decides, judgement.server_date_helps) == (False, True)
        judgement = rules(owns, ALL).judge("https://h/")
        assert (judgement.server_date_decides, judgement.server_date_helps) == (False, False)


class TestByServerDateAlone:
    """An excluded document must not be downloaded where the server's date excludes it."""

    OLD, NEW = NOW - 100 * DAY, NOW - DAY
    SERVERS = rule("exclude https://h/", days=30, server_date=True)
    OWNS = rule("exclude https://h/", days=30)

    def test_it_decides_server_date_rules(self) -> None:
        several = rules(self.SERVERS, ALL)
        excluded = several.judge_by_server_date("https://h/", self.OLD)
        assert excluded == Judgement(Outcome.EXCLUDE, rule=self.SERVERS, date_dependent=True)
        assert several.judge_by_server_date("https://h/", self.NEW).outcome is Outcome.INCLUDE
        assert several.judge_by_server_date("https://h/", None).outcome is Outcome.INCLUDE

    def test_it_decides_no_rule_that_asks_the_documents_own_date_first(self) -> None:
        several = rules(self.OWNS, ALL)
        assert several.judge_by_server_date("https://h/", self.OLD).outcome is Outcome.DEPENDS

    def test_it_decides_where_the_rules_before_would_exclude_as_well(self) -> None:
        several = rules(self.OWNS, self.SERVERS, ALL)
        excluded = several.judge_by_server_date("https://h/", self.OLD)
        assert (excluded.outcome, excluded.rule) == (Outcome.EXCLUDE, self.SERVERS)
        assert several.judge_by_server_date("https://h/", self.NEW).outcome is Outcome.DEPENDS

    def test_without_date_rules_it_judges_as_ever(self) -> None:
        assert rules(ALL).judge_by_server_date("https://h/", None) == rules(ALL).judge("https://h/")
        assert rules(ALL).judge_by_server_date("https://i/", None).outcome is Outcome.NO_MATCH


MASKS = st.one_of(
    st.text(st.sampled_from("ab/"), max_size=3).map("https://h/{}".format),
    st.text(st.sampled_from("ab/*"), max_size=3).map("*{}".format),
    st.sampled_from(["regexp a", "regexp b$", "regexp ^https://h/[ab]+$"]),
)
RULES = st.builds(
    lambda action, mask, cut, flags: rule(
        f"{action} {mask}",
        days=cut if isinstance(cut, int) else None,
        date=cut if isinstance(cut, str) else None,
        server_date=flags[0],
        nofollow=flags[1] and action == "include",
        noindex=flags[2] and action == "include",
    ),
    st.sampled_from(RuleAction).map(str),
    MASKS,
    st.sampled_from([None, None, 0, 30, 60, "2024-06-15", "2024-05-16", "2024-04-16"]),
    st.tuples(st.booleans(), st.booleans(), st.booleans()),
)
URLS = st.text(st.sampled_from("aab/"), max_size=4).map("https://h/{}".format)
DATES = st.none() | st.sampled_from(
    [NOW - number * DAY / 2 for number in (-1, 0, 1, 59, 60, 61, 119, 120, 121)]
)


def naive(several: Sequence[Rule], url: str, dates: DocumentDates) -> Judgement:
    """The rules as the page states them, word by word."""
    asked = False
    for each in several:
        if not each.mask.matches(url):
            continue
        if each.days is not None or each.date is not None:
            asked = True
            date = dates.server if each.server_date else dates.own or dates.server
            if date is None:
                continue
            if each.days is not None and not date <= NOW - each.days * DAY:
                continue
            if each.date is not None and not date.astimezone(MADRID).date() <= each.date:
                continue
        return Judgement(
            Outcome(each.action.value), each, each.nofollow, each.noindex, date_dependent=asked
        )
    return Judgement(Outcome.NO_MATCH, date_dependent=asked)


@given(st.lists(RULES, max_size=25), st.lists(URLS, min_size=1, max_size=4), DATES, DATES)
def test_judging_is_that_of_the_plain_loop(
    several: list[Rule], urls: list[str], mine: dt.datetime | None, servers: dt.datetime | None
) -> None:
    dates = DocumentDates(mine, servers)
    listed = RuleList(several, now=NOW, zone=MADRID)
    for url in urls:
        assert listed.judge(url, dates) == naive(several, url, dates)


def effect(judgement: Judgement) -> tuple[bool, bool, bool]:
    return (judgement.outcome is Outcome.INCLUDE, judgement.nofollow, judgement.noindex)


@given(st.lists(RULES, max_size=12), URLS, DATES, DATES)
def test_what_is_decided_early_is_what_the_dates_decide(
    several: list[Rule], url: str, mine: dt.datetime | None, servers: dt.datetime | None
) -> None:
    listed = RuleList(several, now=NOW, zone=MADRID)
    final = naive(several, url, DocumentDates(mine, servers))
    before = listed.judge(url)
    assert before.date_dependent or before == final
    by_server = listed.judge_by_server_date(url, servers)
    for early in (before, by_server):
        if early.outcome is not Outcome.DEPENDS:
            assert effect(early) == effect(final)
    if before.server_date_decides:
        assert by_server.outcome is not Outcome.DEPENDS
    if by_server.outcome is not before.outcome and before.outcome is Outcome.DEPENDS:
        assert before.server_date_helps
