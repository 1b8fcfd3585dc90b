"""What random scripts found, as cases that tell what went wrong (docs/spec/03-planning.md, 3.6).

Each was a difference between one pass and single runs once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from tests.unit.indexing.order import worlds
from tests.unit.indexing.order.one_pass import Target
from tests.unit.indexing.order.reference import run_singly
from tests.unit.indexing.order.small_site import HOST, START, Kind, Page
from tests.unit.indexing.order.test_order import DAY_RULE_DATE, in_order, script_of

GOES_ON = f"include {HOST}/"


def page(*links: str, **more: object) -> Page:
    return Page(links=tuple(HOST + link for link in links), **more)  # type: ignore[arg-type]


def moved(to: str, kind: Kind = Kind.MOVED) -> Page:
    return Page(kind, (HOST + to,))


def index_after(
    blocks: Sequence[Sequence[str]],
    website: Mapping[str, Page],
    stored: Mapping[str, Page] | None = None,
    *,
    site: worlds.Site = worlds.BARE,
    orders: int = 8,
) -> dict[str, int]:
    """The index by path, the same in single runs and in one, in whatever order answers come."""
    lines = [[line.replace(" /", f" {HOST}/") for line in block] for block in blocks]
    script = script_of(in_order(lines))
    pages = {HOST + path: found for path, found in website.items()}
    found: list[dict[str, int]] = []
    for order in range(orders):
        target = Target(site, random.Random(order))
        for path, there in (stored or {}).items():
            target.store(HOST + path, there)
        if not order:
            found.append(target.versions())
            run_singly(script.blocks, pages, found[0], site=site, now=START)
        target.run(script, pages)
        found.append(target.versions())
    assert all(each == found[0] for each in found)
    return {url.removeprefix(HOST): version for url, version in found[0].items()}


def test_the_flags_of_an_update_do_not_hold_for_the_add_before_it() -> None:
    assert index_after([["add /a", "update /a noindex"]], {"/a": page()}) == {"/a": 1}
    website = {"/a": page("/b"), "/b": page()}
    assert "/b" in index_after([["add /a", "update /a nofollow", GOES_ON]], website)


def test_the_flags_of_several_commands_of_one_kind_add_up() -> None:
    website = {"/a": page("/b"), "/b": page()}
    block = ["add /a nofollow", "update /a", "update /a nofollow", GOES_ON]
    assert index_after([block], website) == {"/a": 1}


def test_flags_that_come_with_a_redirect_do_not_depend_on_who_answers_first() -> None:
    website = {"/a": moved("/b"), "/b": page("/c"), "/c": page(), "/ab": page("/b")}
    block = ["add /a nofollow", "add /ab", GOES_ON]
    assert set(index_after([block], website)) == {"/ab", "/b", "/c"}
    assert set(index_after([["add /a nofollow", GOES_ON]], website)) == {"/b"}
    named = ["add /a", "add /b nofollow", GOES_ON]
    assert set(index_after([named], website)) == {"/b"}


def test_a_page_that_is_not_written_keeps_its_date_for_the_next_step() -> None:
    website = {"/b": page("/c", noindex=True, server_date=DAY_RULE_DATE), "/c": page()}
    block = ["add /b", "update /", f"include-date 2024-06-10 {HOST}/b nofollow", GOES_ON]
    assert index_after([block], website) == {}


def test_an_update_lists_what_an_older_block_wrote_though_a_newer_one_wrote_it_too() -> None:
    website = {"/a": page("/b"), "/b": page()}
    blocks = [["add /a nofollow"], ["update /a", GOES_ON], ["add /a nofollow"]]
    assert set(index_after(blocks, website)) == {"/a", "/b"}


def test_an_update_lists_what_the_update_of_an_older_block_led_to() -> None:
    website = {"/a": page("/b"), "/b": page("/c"), "/c": page()}
    blocks = [["update /a", "include /b"], ["update /b", GOES_ON]]
    assert set(index_after(blocks, website, {"/a": page(version=0)})) == {"/a", "/b", "/c"}


def test_an_update_does_not_list_what_its_own_block_leads_to() -> None:
    website = {"/a": page("/b"), "/b": page("/c"), "/c": page()}
    block = ["update /a", "update /b", "exclude regexp /c$", GOES_ON]
    assert set(index_after([block], website, {"/a": page(version=0)})) == {"/a", "/b"}


@pytest.mark.parametrize("site", [worlds.BARE, worlds.Site(entry_points=(f"{HOST}/",))])
def test_blocks_that_judge_alike_settle_redirects_alike(site: worlds.Site) -> None:
    website = {"/a": moved("/b"), "/b": page()}
    blocks = [["add /a", GOES_ON], ["add /c", GOES_ON], ["add /b", GOES_ON]]
    assert set(index_after(blocks, website, {"/a": page(version=0)}, site=site)) == {"/b"}


def test_what_an_update_finds_moved_to_a_page_that_its_block_adds_is_merged() -> None:
    website = {"/a": page(), "/b/x": moved("/a")}
    assert index_after([["add /a", "update /"]], website, {"/b/x": page()}) == {"/a": 1}


def test_a_redirect_keeps_its_document_if_only_a_later_block_writes_the_target() -> None:
    site = worlds.Site(entry_points=(f"{HOST}/",))
    website = {"/a": moved("/ab"), "/ab": moved("/c"), "/c": page()}
    blocks = [["add /a noindex"], ["add /ab"]]
    assert index_after(blocks, website, {"/a": page(version=0)}, site=site) == {"/a": 0, "/c": 1}


def test_a_redirect_loses_its_document_if_an_older_block_wrote_the_target() -> None:
    website = {"/a": moved("/c"), "/c": page()}
    stored = {"/a": page(version=0)}
    blocks = [["add /c"], ["add /a noindex", GOES_ON]]
    assert index_after(blocks, website, stored) == {"/c": 1}
    between = [["add /c"], ["delete /c", "add /a noindex", GOES_ON]]
    assert index_after(between, website, stored) == {"/a": 0}


def test_a_redirect_loses_its_document_to_one_that_a_later_block_deletes() -> None:
    website = {"/a": moved("/c"), "/c": page()}
    stored = {"/a": page(version=0), "/c": page(version=0)}
    assert index_after([["add /a noindex", GOES_ON], ["delete /c"]], website, stored) == {}


def test_no_block_follows_a_chain_that_only_two_blocks_together_let_in() -> None:
    website = {"/a": moved("/b"), "/b": moved("/c"), "/c": page()}
    blocks = [["add /a", "add /b"], ["add /a", "add /c", f"exclude {HOST}/b"]]
    assert index_after(blocks, website, {"/a": page(version=0)}) == {"/a": 0, "/c": 1}


@pytest.mark.parametrize("first", ["add /ab", "update /ab", "update /a/x"])
def test_a_document_that_is_lost_by_its_page_is_not_listed_any_more(first: str) -> None:
    website = {"/ab": page("/a/x"), "/a/x": page("/b", noindex=True), "/b": page()}
    blocks = [[first, "include /a"], ["update /a/x", GOES_ON]]
    stored = {"/ab": page(), "/a/x": page()}
    assert "/b" not in index_after(blocks, website, stored)
    gone_on = {**website, "/a/x": moved("/b")}
    gone = [[first, "include /a", "include /b noindex"], ["update /a/x", GOES_ON]]
    assert index_after(gone, gone_on, {**stored, "/b": page(version=0)})["/b"] == 0


@pytest.mark.parametrize("other", ["add /c", "update /c"])
@pytest.mark.parametrize("flags", ["", " nofollow"])
def test_what_is_listed_no_more_is_still_reached_by_links(other: str, flags: str) -> None:
    website = {"/a/x": page("/b", noindex=True), "/b": page(), "/c": page("/a/x")}
    blocks = [["update /a/x", "include /a"], [f"update /a/x{flags}", other, GOES_ON]]
    stored = {"/a/x": page(), "/c": page(version=0)}
    assert set(index_after(blocks, website, stored)) == {"/b", "/c"}


def test_an_update_writes_what_an_add_of_its_block_names_noindex_and_a_link_leads_to() -> None:
    website = {"/a": page(), "/a/x": page("/a")}
    block = ["add /a noindex", "add /a/x", "update /"]
    assert index_after([block], website) == {"/a": 1, "/a/x": 1}


def test_an_update_writes_what_an_add_of_its_block_names_noindex_and_a_redirect_leads_to() -> None:
    website = {"/ab": moved("/b", Kind.FOUND), "/b": page()}
    stored = {"/ab": page(version=0)}
    block = ["add /ab", "add /b noindex", "update /"]
    assert set(index_after([block], website, stored)) == {"/ab", "/b"}


def test_a_block_writes_what_a_newer_one_that_follows_the_same_links_names_noindex() -> None:
    website = {"/a": page("/b"), "/b": page()}
    blocks = [["add /a", GOES_ON], ["add /b noindex", "add /a", GOES_ON]]
    assert index_after(blocks, website) == {"/a": 1, "/b": 1}


@pytest.mark.parametrize("noindex", [False, True])
@pytest.mark.parametrize("between", [[], ["delete /a"]])
def test_what_blocks_that_judge_alike_list_is_lost_at_the_first_of_them(
    noindex: bool, between: Sequence[str]
) -> None:
    """One that deletes where it led before would else have it written again."""
    website = {"/ab": page("/a", noindex=True) if noindex else moved("/a"), "/a": page()}
    stored = {"/ab": page()}
    blocks = [["update /"], [*between, GOES_ON], ["update /", *([] if between else ["delete /a"])]]
    assert index_after(blocks, website, stored) == {}


def test_links_are_followed_for_a_block_though_an_alike_newer_one_does_not_list_the_page() -> None:
    website = {"/a": page("/b"), "/b": page("/c", noindex=True), "/c": page()}
    stored = {"/a": page(version=0), "/b": page()}
    blocks = [["add /b"], ["update /a", GOES_ON], ["update /b", GOES_ON]]
    assert set(index_after(blocks, website, stored)) == {"/a", "/c"}
    twice = [["update /b", GOES_ON], ["add /b"], ["update /b", GOES_ON]]
    assert set(index_after(twice, website, stored)) == {"/a", "/c"}


@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("first", ["add /c", "update /c"])
def test_a_block_follows_what_an_alike_newer_one_names_nofollow(first: str, there: bool) -> None:
    website = {"/c": page("/b"), "/b": page("/a"), "/a": page()}
    stored = {"/c": page(version=0)} | ({"/b": page(version=0)} if there else {})
    for second in ("add", "update"):
        newer = [first, f"{second} /b nofollow", GOES_ON]
        assert set(index_after([[first, GOES_ON], newer], website, stored)) == {"/a", "/b", "/c"}
        index_after([[first, GOES_ON], ["delete /a", *newer]], website, stored)


def test_an_update_follows_what_an_add_of_its_block_names_nofollow() -> None:
    website = {"/c": page("/b"), "/b": page("/a"), "/a": page()}
    block = ["add /c", "add /b nofollow", "update /c", GOES_ON]
    assert set(index_after([block], website)) == {"/a", "/b", "/c"}


def test_a_page_that_an_alike_newer_block_lists_nofollow_is_followed_if_it_was_lost() -> None:
    website = {"/c": page("/b"), "/b": page("/a", noindex=True), "/a": page()}
    stored = {"/c": page(), "/b": page()}
    blocks = [["update /c", GOES_ON], ["update /b nofollow", "update /c", GOES_ON]]
    assert set(index_after(blocks, website, stored)) == {"/a", "/c"}


def test_blocks_that_add_stay_apart_where_an_update_between_them_writes_nothing() -> None:
    website = {"/a": page(), "/b": moved("/a")}
    blocks = [["add /a", GOES_ON], ["update /b noindex", GOES_ON], ["add /a", GOES_ON]]
    assert index_after(blocks, website, {"/b": page()}) == {"/a": 1}


def test_an_update_lists_nofollow_what_an_older_one_led_to_though_its_own_links_lead_there() -> (
    None
):
    website = {"/c": page("/b"), "/b": page("/a"), "/a": page()}
    stored = {"/c": page(version=0)}
    blocks = [["update /c", "include /b"], ["update /c", "update /b nofollow", GOES_ON]]
    assert set(index_after(blocks, website, stored)) == {"/b", "/c"}
    alone = [["update /c", "include /x"], ["update /c", "update /b nofollow", GOES_ON]]
    assert set(index_after(alone, website, stored)) == {"/a", "/b", "/c"}


def test_flags_of_a_command_go_before_a_redirect_though_an_alike_newer_block_has_them_too() -> None:
    website = {"/a": page("/c"), "/b": moved("/a", Kind.FOUND), "/c": page()}
    blocks = [["add /a nofollow", "add /b", GOES_ON], ["add /a nofollow", GOES_ON]]
    assert set(index_after(blocks, website)) == {"/a"}
