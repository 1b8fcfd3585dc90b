from __future__ import annotations

import dataclasses
import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.judging import judge
from site_indexer.crawling.like_minded import LikeMinded
from site_indexer.crawling.model import FlaggedCommand, Reach
from site_indexer.crawling.page_facts import Answer, PageFacts
from site_indexer.index_script.model import Action
from site_indexer.masks import Rule, RuleAction, RuleList, RuleOrigin, compile_mask
from site_indexer.masks.model import DocumentDates
from site_indexer.urls.kinds import MaskKind

NOW = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
URLS = ("https://h.test/", "https://h.test/a", "https://h.test/a/b", "https://h.test/c.pdf")


def rule(action: str, mask: str, *, nofollow: bool = False, days: int | None = None) -> Rule:
    return Rule(
        action=RuleAction(action),
        mask=compile_mask(mask, MaskKind.WILDCARD if "*" in mask else MaskKind.PREFIX),
        origin=RuleOrigin.SCRIPT,
        text=f"{action} {mask}",
        nofollow=nofollow and action == "include",
        days=days,
    )


def rules(*found: Rule) -> RuleList:
    return RuleList(found, now=NOW, zone=dt.UTC)


def reach(block: int, depth: int = 1, *, named: bool = False, nofollow: bool = False) -> Reach:
    return Reach(block=block, depth=depth, line=2, cause=Action.ADD, named=named, nofollow=nofollow)


def in_update(block: int) -> Reach:
    return dataclasses.replace(reach(block), cause=Action.UPDATE)


SITE = rule("include", "https://h.test/")


def test_rules_behind_one_that_leaves_them_nothing_make_no_difference() -> None:
    alike = LikeMinded(
        {
            0: rules(SITE, rule("include", "https://h.test/a")),
            1: rules(SITE, rule("exclude", "https://h.test/c*")),
            2: rules(rule("exclude", "https://h.test/c*"), SITE),
        }
    )
    assert alike.is_spoken_for(reach(0), {1: reach(1)})
    assert not alike.is_spoken_for(reach(1), {0: reach(0)})
    assert not alike.is_spoken_for(reach(0), {2: reach(2)})


def test_a_date_rule_hides_nothing_behind_it() -> None:
    dated = rule("include", "https://h.test/", days=3)
    alike = LikeMinded({0: rules(dated, SITE), 1: rules(dated)})
    assert not alike.is_spoken_for(reach(0), {1: reach(1)})


def test_what_a_newer_block_reached_otherwise_is_not_spoken_for() -> None:
    alike = LikeMinded({0: rules(SITE), 1: rules(SITE)})
    assert not alike.is_spoken_for(reach(0), {})
    assert not alike.is_spoken_for(reach(0), {0: reach(0)})
    assert not alike.is_spoken_for(reach(0, depth=1), {1: reach(1, depth=2)})
    assert not alike.is_spoken_for(reach(0, named=True), {1: reach(1)})
    assert not alike.is_spoken_for(reach(0), {1: reach(1, nofollow=True)})
    assert not alike.is_spoken_for(reach(7), {8: reach(8)})


def updates(mask: str) -> Rule:
    return Rule(
        RuleAction.INCLUDE, compile_mask(mask, MaskKind.PREFIX), RuleOrigin.UPDATE, f"update {mask}"
    )


def test_another_turn_of_the_block_speaks_for_one() -> None:
    alike = LikeMinded({0: rules(SITE)})
    update = dataclasses.replace(reach(0), cause=Action.UPDATE)
    assert alike.is_spoken_for(update, {0: reach(0)})
    assert alike.is_spoken_for(reach(0), {1: update})
    assert not alike.is_spoken_for(update, {0: reach(0, nofollow=True)})


def test_across_a_block_that_updates_by_other_rules_none_speaks() -> None:
    """Its update asks what the blocks before it wrote."""
    other = rules(rule("exclude", "https://h.test/a"), SITE, updates("https://h.test/c"))
    alike = LikeMinded({0: rules(SITE), 1: other, 2: rules(SITE), 3: rules(SITE)})
    assert not alike.is_spoken_for(reach(0), {4: reach(2)})
    assert alike.is_spoken_for(reach(2), {6: reach(3)})
    same = LikeMinded({0: rules(SITE), 1: rules(SITE, updates("https://h.test/c")), 2: rules(SITE)})
    assert same.is_spoken_for(reach(0), {4: reach(2)})


def flagged(
    block: int,
    url: str = "https://h.test/a",
    cause: Action = Action.ADD,
    *,
    noindex: bool = False,
) -> FlaggedCommand:
    return FlaggedCommand(block, cause, url, nofollow=not noindex, noindex=noindex)


def test_none_speaks_for_a_reach_with_flags() -> None:
    """They go before all else that leads to the URL in that turn."""
    alike = LikeMinded({0: rules(SITE), 1: rules(SITE)})
    assert not alike.is_spoken_for(reach(0, nofollow=True), {2: reach(1, nofollow=True)})
    assert not alike.is_spoken_for(reach(0, nofollow=True), {2: reach(1)})


def test_a_turn_that_names_pages_nofollow_does_not_speak_for_one_that_goes_on_there() -> None:
    by = {block: rules(SITE) for block in range(3)}
    alike = LikeMinded(by, [flagged(1), flagged(2), flagged(2, cause=Action.UPDATE)])
    assert not alike.is_spoken_for(reach(0), {2: reach(1)})
    assert not alike.is_spoken_for(in_update(1), {2: reach(1)})
    assert alike.is_spoken_for(reach(0), {3: in_update(1)})
    assert alike.is_spoken_for(reach(1), {4: reach(2)})
    assert not alike.is_spoken_for(reach(1), {5: in_update(2)})
    more = LikeMinded(by, [flagged(1), flagged(2), flagged(2, "https://h.test/c")])
    assert not more.is_spoken_for(reach(1), {4: reach(2)})


def test_many_blocks_that_add_and_delete_are_spoken_for_by_the_newest() -> None:
    """Removals make no difference: that a newer block adds the page does not depend on them."""
    added = [
        rules(SITE, dataclasses.replace(SITE, origin=RuleOrigin.ADD, text=f"add {number}"))
        for number in range(100)
    ]
    alike = LikeMinded(dict(enumerate(added)))
    newest = {198: reach(99)}
    assert all(alike.is_spoken_for(reach(block), newest) for block in range(99))


def test_across_a_block_that_keeps_pages_from_being_written_none_speaks() -> None:
    """Then it matters for redirects which block wrote their targets first."""
    alike = LikeMinded({0: rules(SITE), 1: rules(SITE), 2: rules(SITE)})
    assert alike.is_spoken_for(reach(0), {4: reach(2)})
    alike = LikeMinded({0: rules(SITE), 1: rules(SITE), 2: rules(SITE)}, [flagged(1, noindex=True)])
    assert not alike.is_spoken_for(reach(0), {4: reach(2)})
    assert not alike.is_spoken_for(reach(0), {2: reach(1)})
    assert not alike.is_spoken_for(reach(1), {4: reach(2)})
    assert not alike.is_spoken_for(in_update(1), {2: reach(1)})
    assert alike.is_spoken_for(in_update(2), {4: reach(2)})
    hidden = dataclasses.replace(rule("include", "https://h.test/a"), noindex=True)
    by_rule = LikeMinded({0: rules(SITE), 1: rules(hidden, SITE), 2: rules(SITE)})
    assert not by_rule.is_spoken_for(reach(0), {4: reach(2)})


masks = st.sampled_from(
    ["https://h.test/", "https://h.test/a", "https://h.test/a/", "*.pdf", "*a*"]
)
lists = st.lists(
    st.builds(
        rule,
        st.sampled_from(["include", "exclude"]),
        masks,
        nofollow=st.booleans(),
        days=st.sampled_from([None, None, 10]),
    ),
    max_size=4,
)
dates = st.sampled_from([None, NOW, NOW - dt.timedelta(days=30)])


@given(st.dictionaries(st.integers(0, 3), lists, min_size=2), dates, st.data())
def test_leaving_out_what_is_spoken_for_changes_no_judgement(
    found: dict[int, list[Rule]], date: dt.datetime | None, data: st.DataObject
) -> None:
    by = {block: rules(*block_rules) for block, block_rules in found.items()}
    alike = LikeMinded(by)
    facts = PageFacts(Answer.PAGE, status=200, changed=True, dates=DocumentDates(own=date))
    reaches = {
        block: reach(block, data.draw(st.integers(0, 1)), named=data.draw(st.booleans()))
        for block in by
    }
    fewer = {block: one for block, one in reaches.items() if not alike.is_spoken_for(one, reaches)}
    for url in URLS:
        whole = judge(url, facts, reaches.values(), by)
        less = judge(url, facts, fewer.values(), by)
        assert (whole.outcome, whole.action) == (less.outcome, less.action)
        if whole.admitted_by:
            assert whole.decisive.block == less.decisive.block
