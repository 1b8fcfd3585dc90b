from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.judging import Verdict, admission, as_page, judge
from site_indexer.crawling.model import Outcome, Reach, RecordAction
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.index_script.model import Action
from site_indexer.masks import RuleList, compile_mask
from site_indexer.masks.model import DocumentDates, Rule, RuleAction, RuleOrigin
from site_indexer.urls.kinds import MaskKind

URL = "https://h.test/a"
NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)


def rules(*lines: str, **more: Any) -> RuleList:
    """Rules by "include" or "exclude" and a prefix; ``more`` is for all of them."""
    found = []
    for line in lines:
        action, _, mask = line.partition(" ")
        found.append(
            Rule(
                action=RuleAction(action),
                mask=compile_mask(mask, MaskKind.PREFIX),
                origin=RuleOrigin.SCRIPT,
                text=line,
                **more,
            )
        )
    return RuleList(found, now=NOW, zone=dt.UTC)


ALL = rules("include https://h.test/")
NONE = rules("exclude https://h.test/")
NOINDEX = rules("include https://h.test/", noindex=True)
NOFOLLOW = rules("include https://h.test/", nofollow=True)
OLD = rules("exclude https://h.test/", date=dt.date(2020, 1, 1))


def reach(block: int = 0, *, named: bool = False, **more: Any) -> Reach:
    values = {"depth": 1, "line": block + 2, "cause": Action.ADD, **more}
    return Reach(block=block, named=named, **values)


def page(**more: Any) -> PageFacts:
    values = {"answer": Answer.PAGE, "status": 200, "changed": True, **more}
    return PageFacts(**values)


def test_a_new_page_is_written_and_followed() -> None:
    judged = judge(URL, page(), [reach()], {0: ALL})
    assert (judged.outcome, judged.action) == (Outcome.INDEXED, RecordAction.WRITE)
    assert judged.reaches[0].verdict == Verdict.WRITE
    assert judged.reaches[0].rule == "include https://h.test/"
    assert judged.followers == judged.reaches
    assert judged.admitted_by == {0}


def test_an_unchanged_page_is_kept_and_followed() -> None:
    judged = judge(URL, page(changed=False), [reach()], {0: ALL})
    assert (judged.outcome, judged.action) == (Outcome.UNCHANGED, RecordAction.KEEP)
    assert judged.followers


def test_unchanged_pages_that_no_command_names_end_the_way_where_the_site_says_so() -> None:
    for named, changed, followed in ((0, 0, 0), (1, 0, 1), (0, 1, 1)):
        facts = page(changed=bool(changed))
        judged = judge(URL, facts, [reach(named=bool(named))], {0: ALL}, follow_changed_only=True)
        assert bool(judged.followers) is bool(followed)


def test_a_pages_own_noindex_removes_its_document_and_its_links_are_followed() -> None:
    judged = judge(URL, page(noindex=True), [reach()], {0: ALL})
    assert (judged.outcome, judged.action) == (Outcome.NOINDEX, RecordAction.REMOVE)
    assert judged.followers


@pytest.mark.parametrize(("by", "flags"), [(NOINDEX, {}), (ALL, {"noindex": True})])
def test_noindex_of_rule_or_command_writes_nothing(by: RuleList, flags: dict[str, bool]) -> None:
    judged = judge(URL, page(), [reach(named=True, **flags)], {0: by})
    assert (judged.outcome, judged.action) == (Outcome.NOT_WRITTEN, RecordAction.KEEP)
    assert judged.reaches[0].verdict == Verdict.FOLLOW_ONLY
    assert judged.followers


def test_the_pages_own_noindex_is_stricter_than_that_of_a_command() -> None:
    judged = judge(URL, page(noindex=True), [reach(named=True, noindex=True)], {0: ALL})
    assert judged.action is RecordAction.REMOVE


@pytest.mark.parametrize(
    ("facts", "by", "flags"),
    [
        (page(nofollow=True), ALL, {}),
        (page(), NOFOLLOW, {}),
        (page(), ALL, {"nofollow": True}),
    ],
)
def test_nofollow_of_page_rule_or_command_indexes_and_stops(
    facts: PageFacts, by: RuleList, flags: dict[str, bool]
) -> None:
    judged = judge(URL, facts, [reach(named=True, **flags)], {0: by})
    assert judged.outcome is Outcome.INDEXED
    assert judged.followers == ()


def test_the_last_block_that_lets_the_page_be_written_counts() -> None:
    by = {0: ALL, 1: ALL, 2: NOINDEX, 3: NONE}
    judged = judge(URL, page(), [reach(n) for n in (3, 1, 0, 2)], by)
    assert judged.decisive.block == 1
    assert [r.block for r in judged.reaches] == [0, 1, 2, 3]
    assert [r.verdict for r in judged.reaches] == ["write", "write", "follow-only", "excluded"]
    assert [r.block for r in judged.followers] == [0, 1, 2]


def test_what_no_block_lets_in_is_left_out_and_not_followed() -> None:
    judged = judge(URL, page(), [reach(0), reach(1)], {0: NONE, 1: rules("include https://x/")})
    assert (judged.outcome, judged.action) == (Outcome.EXCLUDED, RecordAction.KEEP)
    assert judged.followers == ()
    assert [r.verdict for r in judged.reaches] == ["excluded", "no-match"]


def test_date_rules_see_the_dates_of_a_page() -> None:
    by = {0: OLD}
    old = DocumentDates(own=dt.datetime(2019, 5, 1, tzinfo=dt.UTC))
    new = DocumentDates(own=dt.datetime(2021, 5, 1, tzinfo=dt.UTC))
    both = rules("exclude https://h.test/", date=dt.date(2020, 1, 1)).rules
    by = {0: RuleList([*both, *ALL.rules], now=NOW, zone=dt.UTC)}
    assert judge(URL, page(dates=old), [reach()], by).outcome is Outcome.EXCLUDED
    assert judge(URL, page(dates=new), [reach()], by).outcome is Outcome.INDEXED
    assert judge(URL, page(), [reach()], by).outcome is Outcome.INDEXED
    assert admission(by[0], URL) is Verdict.WRITE


def test_what_has_no_page_has_no_date_that_a_rule_could_miss() -> None:
    only_old = {0: rules("include https://h.test/", date=dt.date(2020, 1, 1))}
    judged = judge(URL, PageFacts(Answer.GONE, status=404), [reach()], only_old)
    assert (judged.outcome, judged.action) == (Outcome.GONE, RecordAction.REMOVE)
    judged = judge(URL, PageFacts(Answer.REDIRECT, status=301), [reach()], only_old)
    assert judged.followers


@pytest.mark.parametrize(
    ("answer", "outcome", "action"),
    [
        (Answer.GONE, Outcome.GONE, RecordAction.REMOVE),
        (Answer.FAILED, Outcome.FAILED, RecordAction.KEEP),
        (Answer.REFUSED, Outcome.REFUSED, RecordAction.KEEP),
        (Answer.UNSUPPORTED, Outcome.UNSUPPORTED, RecordAction.KEEP),
        (Answer.REDIRECT, Outcome.REDIRECT, RecordAction.KEEP),
        (Answer.REFRESH, Outcome.REDIRECT, RecordAction.KEEP),
        (Answer.LEFT_OUT, Outcome.EXCLUDED, RecordAction.KEEP),
    ],
)
def test_answers_without_a_page(answer: Answer, outcome: Outcome, action: RecordAction) -> None:
    judged = judge(URL, PageFacts(answer), [reach()], {0: ALL})
    assert (judged.outcome, judged.action) == (outcome, action)
    assert bool(judged.followers) is (answer in (Answer.REDIRECT, Answer.REFRESH))


def test_redirects_are_followed_whatever_is_said_about_links() -> None:
    facts = PageFacts(Answer.REDIRECT, status=302)
    assert judge(URL, facts, [reach(named=True, nofollow=True)], {0: NOFOLLOW}).followers


def test_what_a_refreshing_page_would_be_by_itself() -> None:
    facts = page(answer=Answer.REFRESH)
    assert as_page(judge(URL, facts, [reach()], {0: ALL}), facts) == (
        Outcome.INDEXED,
        RecordAction.WRITE,
    )
    assert as_page(judge(URL, facts, [reach()], {0: NONE}), facts)[0] is Outcome.EXCLUDED


def test_a_block_without_rules_here_keeps_its_verdict_and_is_not_followed() -> None:
    known = reach(verdict=Verdict.WRITE.value)
    judged = judge(URL, page(), [known], {})
    assert judged.outcome is Outcome.INDEXED
    assert judged.followers == ()


lists = st.sampled_from([ALL, NONE, NOINDEX, NOFOLLOW, OLD])


@given(st.dictionaries(st.integers(0, 6), lists, min_size=1), st.booleans(), st.booleans())
def test_judging_all_blocks_at_once_is_judging_them_one_after_another(
    by: dict[int, RuleList], noindex: bool, changed: bool
) -> None:
    facts = page(noindex=noindex, changed=changed)
    together = judge(URL, facts, [reach(block) for block in by], by)
    last = None
    for block in sorted(by):
        alone = judge(URL, facts, [reach(block)], by)
        if alone.outcome in (Outcome.INDEXED, Outcome.UNCHANGED, Outcome.NOINDEX):
            last = alone
    if last is not None:
        assert together.decisive.block == last.decisive.block
        assert (together.outcome, together.action) == (last.outcome, last.action)
    else:
        assert together.action is RecordAction.KEEP
