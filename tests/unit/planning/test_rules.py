"""docs/spec/02-urls-and-masks.md, *Rules*: the rule list of a block."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

import pytest

from site_indexer.index_script.model import Action, Command
from site_indexer.masks import DocumentDates, Outcome, RuleList, RuleOrigin
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_block, rules_of_blocks, rules_of_script_block
from site_indexer.planning.selection import select
from site_indexer.planning.site_view import SiteView
from site_indexer.urls import MaskKind, SiteHosts

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)
HOSTS = SiteHosts(["h"])
ZIPS = Command(1, Action.EXCLUDE, mask="*.zip", mask_kind=MaskKind.WILDCARD)


@dataclass(frozen=True)
class Site:
    id: str = "docs"
    hosts: SiteHosts = HOSTS
    entry_points: tuple[str, ...] = ("https://h/start/",)
    masks: tuple[Command, ...] = (ZIPS,)
    zone: dt.tzinfo = dt.UTC


SITE = Site()


def plan_of(text: str, site: SiteView | None = SITE) -> Plan:
    script = read_script(text.encode(), source="test", now=NOW)
    return make_plan(select(script, watermark=None, window=None, now=NOW), site, NOW)


def listed(rules: RuleList) -> list[tuple[RuleOrigin, int | None, str]]:
    return [(rule.origin, rule.line, rule.text) for rule in rules.rules]


def test_own_rules_then_the_sites_then_entry_points_adds_and_updates() -> None:
    text = """seconds 1
update regexp ^https://h/u nofollow
add HTTPS://H/a noindex
include-days  3 https://h/x  NOFOLLOW noindex server-date
exclude-date 2024-1-2 regexp x
update *.pdf
add https://h/b"""
    assert listed(rules_of_block(plan_of(text), 0, SITE)) == [
        (RuleOrigin.SCRIPT, 4, "include-days 3 https://h/x nofollow noindex server-date"),
        (RuleOrigin.SCRIPT, 5, "exclude-date 2024-01-02 regexp x"),
        (RuleOrigin.SITE, None, "exclude *.zip"),
        (RuleOrigin.ENTRY_POINT, None, "include https://h/start/"),
        (RuleOrigin.ADD, 3, "add https://h/a"),
        (RuleOrigin.ADD, 7, "add https://h/b"),
        (RuleOrigin.UPDATE, 2, "update regexp ^https://h/u"),
        (RuleOrigin.UPDATE, 6, "update *.pdf"),
    ]


@pytest.mark.parametrize(
    ("url", "outcome", "origin"),
    [
        ("https://h/a/page.html", Outcome.INCLUDE, RuleOrigin.ADD),
        ("https://h/ab", Outcome.INCLUDE, RuleOrigin.ADD),
        ("https://h/x/a.pdf", Outcome.INCLUDE, RuleOrigin.UPDATE),
        ("https://h/start/a", Outcome.INCLUDE, RuleOrigin.ENTRY_POINT),
        ("https://h/start/a.zip", Outcome.EXCLUDE, RuleOrigin.SITE),
        ("https://h/a/private/1", Outcome.EXCLUDE, RuleOrigin.SCRIPT),
        ("https://h/b", Outcome.NO_MATCH, None),
    ],
)
def test_who_decides(url: str, outcome: Outcome, origin: RuleOrigin | None) -> None:
    text = "seconds 1\nadd https://h/a nofollow noindex\nupdate *.pdf\nexclude */private/*"
    judgement = rules_of_block(plan_of(text), 0, SITE).judge(url)
    assert judgement.outcome is outcome
    assert (judgement.rule and judgement.rule.origin) is origin


def test_flags_of_add_and_update_do_not_pass_to_their_includes() -> None:
    text = "seconds 1\nadd https://h/a nofollow noindex\nupdate *.pdf nofollow noindex"
    rules = rules_of_block(plan_of(text), 0, SITE)
    for url in ("https://h/a", "https://h/b.pdf"):
        judgement = rules.judge(url)
        assert (judgement.nofollow, judgement.noindex) == (False, False)


def test_flags_of_a_rule_hold_for_every_page_that_it_decides() -> None:
    text = "seconds 1\nadd https://h/a\ninclude https://h/a/ nofollow noindex"
    judgement = rules_of_block(plan_of(text), 0, SITE).judge("https://h/a/b")
    assert (judgement.nofollow, judgement.noindex) == (True, True)


def test_each_block_has_its_own_rules_only() -> None:
    text = "seconds 1\nexclude https://h/x\nadd https://h/x/1 \n\nseconds 2\nadd https://h/x"
    plan = plan_of(text)
    lists = rules_of_blocks(plan, SITE)
    assert lists[0].judge("https://h/x/2").outcome is Outcome.EXCLUDE
    assert lists[1].judge("https://h/x/2").outcome is Outcome.INCLUDE
    assert {number: listed(rules) for number, rules in lists.items()} == {
        number: listed(rules_of_block(plan, number, SITE)) for number in (0, 1)
    }


def test_dropped_commands_still_let_pages_in() -> None:
    text = (
        "seconds 1\nadd https://h/a/\nupdate https://h/u/\nadd https://h/b\n\n"
        "seconds 2\ndelete https://h/a/\ndeletemask https://h/u/"
    )
    plan = plan_of(text)
    assert [command.line for command in plan.dropped] == [2, 3]
    rules = rules_of_block(plan, 0, SITE)
    assert rules.judge("https://h/a/page").outcome is Outcome.INCLUDE
    assert rules.judge("https://h/u/page").outcome is Outcome.INCLUDE


def test_days_count_in_the_sites_zone_and_from_the_start_of_the_run() -> None:
    text = (
        "seconds 1\nexclude-date 2024-01-31 https://h/d\nexclude-days 1 https://h/n\nadd https://h/"
    )
    site = Site(zone=ZoneInfo("Europe/Madrid"))
    rules = rules_of_block(plan_of(text, site), 0, site)
    eleven = DocumentDates(own=dt.datetime(2024, 1, 31, 23, tzinfo=dt.UTC))
    assert rules.judge("https://h/d", eleven).outcome is Outcome.INCLUDE
    yesterday = DocumentDates(own=NOW - dt.timedelta(days=1))
    assert rules.judge("https://h/n", yesterday).outcome is Outcome.EXCLUDE


def test_a_block_of_a_script_is_judged_as_in_a_run_of_it_alone() -> None:
    text = "seconds 1\nadd HTTPS://H/a\nexclude *.x\nupdate regexp u\ndelete https://h/d"
    (block,) = read_script(text.encode(), source="test", now=NOW).blocks
    for site in (SITE, None):
        alone = rules_of_script_block(block, site, now=NOW)
        assert listed(alone) == listed(rules_of_block(plan_of(text, site), 0, site))


def test_without_a_site_only_the_block_counts() -> None:
    rules = rules_of_block(plan_of("seconds 1\nadd https://h/a", None), 0)
    assert listed(rules) == [(RuleOrigin.ADD, 2, "add https://h/a")]


def test_no_such_block() -> None:
    with pytest.raises(IndexError):
        rules_of_block(plan_of("seconds 1\nadd https://h/a"), 1)
