"""docs/spec/03-planning.md, *Order*: as if each new block were run by itself, oldest first.

Two executors over an index in memory, without links and redirects: one runs the blocks one by one,
as the page says it; the other runs the plan, one pass per action type. The index must come out
the same, whatever the blocks say.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field

from hypothesis import example, given, settings
from hypothesis import strategies as st

from site_indexer.index_script.model import Action, Block, Command, IndexScript
from site_indexer.masks import Outcome, RuleList, compile_mask
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan, PlannedCommand
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_block, rules_of_script_block
from site_indexer.planning.selection import select
from site_indexer.urls import MaskKind

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)
URLS = tuple(f"https://h/{name}" for name in ("a", "ab", "a/x", "b", "b/x.pdf"))
MASKS = (
    *("https://h/", "https://h/a", "https://h/a/", "https://h/b", "*.pdf", "*x*", "*/a/*", "*"),
    *("regexp b$", "regexp ^https://h/a", "regexp x"),
)
Answers = Mapping[str, str]
"""How each URL answers in this run: ``ok``, ``gone`` (404) or ``fails`` (a timeout)."""


@dataclass
class Index:
    """Stored URLs, and what a run of single blocks does to them."""

    urls: set[str]
    answers: Answers
    fetched: set[str] = field(default_factory=set)

    def fetch(self, url: str, rules: RuleList, *, noindex: bool) -> None:
        if rules.judge(url).outcome is not Outcome.INCLUDE:
            return
        self.fetched.add(url)
        if self.answers[url] == "gone":
            self.urls.discard(url)
        elif self.answers[url] == "ok" and not noindex:
            self.urls.add(url)


def run_block_by_block(script: IndexScript, base: set[str], answers: Answers) -> Index:
    index = Index(set(base), answers)
    for block in script.blocks:
        rules = rules_of_script_block(block, now=NOW)
        for command in of(block, Action.DELETE):
            index.urls -= set(command.urls)
        for command in of(block, Action.DELETEMASK):
            index.urls -= set(matching(command, index.urls))
        for command in of(block, Action.ADD):
            index.fetch(command.urls[0], rules, noindex=command.noindex)
        for command in of(block, Action.UPDATE):
            for url in matching(command, index.urls):
                index.fetch(url, rules, noindex=command.noindex)
    return index


class PlanRun:
    """Runs the steps of a plan as tasks do: fetches are recorded, and removals have the last word.

    ``writes`` has the blocks that wrote each document, -1 for the base.
    """

    def __init__(self, plan: Plan, base: set[str], answers: Answers) -> None:
        self.plan = plan
        self.answers = answers
        self.fetched: set[str] = set()
        self.gone: set[str] = set()
        self.writes: dict[str, list[int]] = {url: [-1] for url in base}
        self.removals = planned(plan, Action.DELETE) + planned(plan, Action.DELETEMASK)

    def run(self) -> set[str]:
        newest = len(self.plan.blocks)
        for command in planned(self.plan, Action.ADD):
            self.fetch(command.url or "", command)
        for command in planned(self.plan, Action.UPDATE):
            for url in matching(command, self.stored_at(command.block)):
                if not self.removed(url, command.block, newest):
                    self.fetch(url, command)
        return set(self.stored_at(newest)) - self.gone

    def stored_at(self, block: int) -> list[str]:
        """The base and what blocks up to that one wrote, less what blocks up to it removed."""
        return [
            url
            for url, blocks in self.writes.items()
            if any(at <= block and not self.removed(url, at, block) for at in blocks)
        ]

    def removed(self, url: str, after: int, until: int) -> bool:
        return any(after < each.block <= until and removes(each, url) for each in self.removals)

    def fetch(self, url: str, command: PlannedCommand) -> None:
        rules = rules_of_block(self.plan, command.block)
        if rules.judge(url).outcome is not Outcome.INCLUDE:
            return
        self.fetched.add(url)
        if self.answers[url] == "gone":
            self.gone.add(url)
        elif self.answers[url] == "ok" and not command.noindex:
            self.writes.setdefault(url, []).append(command.block)


def of(block: Block, action: Action) -> list[Command]:
    return [command for command in block.commands if command.action is action]


def planned(plan: Plan, action: Action) -> list[PlannedCommand]:
    step = plan.step(action)
    return [] if step is None else list(step.commands)


def matching(command: Command | PlannedCommand, urls: set[str] | list[str]) -> list[str]:
    mask = compile_mask(command.mask or "", command.mask_kind or MaskKind.PREFIX)
    return sorted(url for url in urls if mask.matches(url))


def removes(command: PlannedCommand, url: str) -> bool:
    return command.url == url if command.url is not None else bool(matching(command, [url]))


FLAGS = st.sampled_from(["", "", "", " noindex", " nofollow"])
LINES = st.one_of(
    st.builds("add {}{}".format, st.sampled_from(URLS), FLAGS),
    st.builds("add {}{}".format, st.sampled_from(URLS), FLAGS),
    st.builds("update {}{}".format, st.sampled_from(MASKS), FLAGS),
    st.builds("delete {}".format, st.sampled_from(URLS)),
    st.builds("deletemask {}".format, st.sampled_from(MASKS)),
    st.builds("{} {}".format, st.sampled_from(["exclude", "include"]), st.sampled_from(MASKS)),
)
SCRIPTS = st.lists(st.lists(LINES, max_size=5), min_size=1, max_size=4).map(
    lambda blocks: "\n\n".join(
        "\n".join((f"seconds {number}", *lines)) for number, lines in enumerate(blocks, start=1)
    )
)
ANSWERS = st.fixed_dictionaries(
    {url: st.sampled_from(["ok", "ok", "gone", "fails"]) for url in URLS}
)


def plan_and_script(text: str) -> tuple[Plan, IndexScript]:
    script = read_script(text.encode(), source="test", now=NOW)
    plan = make_plan(select(script, watermark=None, window=None, now=NOW), None, NOW)
    assert plan.processable
    return plan, script


ALL_OK = dict.fromkeys(URLS, "ok")


@settings(max_examples=300)
@given(SCRIPTS, st.sets(st.sampled_from(URLS)), ANSWERS)
@example("seconds 1\nadd https://h/a\n\nseconds 2\ndelete https://h/a", {"https://h/a"}, ALL_OK)
@example("seconds 1\ndelete https://h/a\n\nseconds 2\nadd https://h/a", set(), ALL_OK)
@example("seconds 1\nadd https://h/a\ndelete https://h/a", {"https://h/a"}, ALL_OK)
def test_a_plan_leaves_the_index_as_single_blocks_would(
    text: str, base: set[str], answers: Answers
) -> None:
    plan, script = plan_and_script(text)
    singly = run_block_by_block(script, base, answers)
    assert PlanRun(plan, base, answers).run() == singly.urls


@given(SCRIPTS, st.sets(st.sampled_from(URLS)), ANSWERS)
def test_a_plan_fetches_nothing_that_single_blocks_would_not(
    text: str, base: set[str], answers: Answers
) -> None:
    plan, script = plan_and_script(text)
    singly = run_block_by_block(script, base, answers)
    planned_run = PlanRun(plan, base, answers)
    planned_run.run()
    assert planned_run.fetched <= singly.fetched


@given(SCRIPTS)
def test_every_command_is_planned_or_dropped_by_a_line_that_undoes_it(text: str) -> None:
    plan, script = plan_and_script(text)
    lines = text.splitlines()
    wanted = {
        command.line
        for block in script.blocks
        for command in block.commands
        if not command.action.is_rule
    }
    kept = {command.line for step in plan.steps for command in step.commands}
    undone = {command.line for command in plan.dropped}
    assert kept | undone == wanted
    assert not kept & undone
    for command in plan.dropped:
        by = lines[command.by_line - 1].split()[0]
        later = command.by_line > command.line
        assert by == "exclude" or (by in ("delete", "deletemask") and later)
