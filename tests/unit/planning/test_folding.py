"""docs/spec/03-planning.md, *Order*, *What is dropped* and *Hosts*."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

import pytest

from site_indexer.index_script.model import Action, Command, Severity
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import DroppedCommand, Plan, PlannedCommand, SkipReason, Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import OnError, select
from site_indexer.urls import MaskKind, SiteHosts

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)


HOSTS = SiteHosts(["h"])


@dataclass(frozen=True)
class Site:
    id: str = "docs"
    hosts: SiteHosts = HOSTS
    entry_points: tuple[str, ...] = ("https://h/",)
    masks: tuple[Command, ...] = ()
    zone: dt.tzinfo = dt.UTC


def numbered_blocks(*blocks: str) -> str:
    """A script of blocks given as their commands, dated on the 1st, 2nd ... of June 2024."""
    return "\n\n".join(
        f"date {dt.date(2024, 6, day):%a, %d %b %Y} 00:00:00 GMT\n{block}"
        for day, block in enumerate(blocks, start=1)
    )


def plan_of(
    *blocks: str,
    site: Site | None = None,
    window: Window | None = None,
    on_error: OnError = "stop",
) -> Plan:
    script = read_script(numbered_blocks(*blocks).encode(), source="test", now=NOW)
    selection = select(script, watermark=None, window=window, now=NOW, on_error=on_error)
    return make_plan(selection, site or Site(), NOW)


def commands(plan: Plan, action: Action) -> list[PlannedCommand]:
    step = plan.step(action)
    return [] if step is None else list(step.commands)


def lines(plan: Plan, action: Action) -> list[int]:
    return [command.line for command in commands(plan, action)]


def dropped(plan: Plan) -> list[tuple[int, int]]:
    return [(command.line, command.by_line) for command in plan.dropped]


def codes(plan: Plan) -> list[str]:
    return [found.code for found in plan.diagnostics]


class TestSteps:
    def test_one_pass_per_action_type_in_the_order_delete_deletemask_add_update(self) -> None:
        plan = plan_of(
            "update https://h/u/\nadd https://h/a\ndeletemask https://h/m/\ndelete https://h/d",
            "delete https://h/e\nadd https://h/b",
        )
        assert [(step.action, [c.line for c in step.commands]) for step in plan.steps] == [
            (Action.DELETE, [5, 8]),
            (Action.DELETEMASK, [4]),
            (Action.ADD, [3, 9]),
            (Action.UPDATE, [2]),
        ]

    def test_only_types_that_have_work(self) -> None:
        plan = plan_of("add https://h/a")
        assert [step.action for step in plan.steps] == [Action.ADD]
        assert plan_of("exclude *.pdf").steps == ()

    def test_each_command_carries_its_block(self) -> None:
        plan = plan_of("exclude *.pdf", "add https://h/a nofollow noindex")
        assert commands(plan, Action.ADD) == [
            PlannedCommand(
                line=5, block=1, block_line=4, url="https://h/a", nofollow=True, noindex=True
            )
        ]

    def test_a_delete_of_several_urls_is_a_command_for_each(self) -> None:
        plan = plan_of("delete https://h/a https://h/b")
        assert [command.url for command in commands(plan, Action.DELETE)] == [
            "https://h/a",
            "https://h/b",
        ]

    def test_urls_are_normalized_and_masks_as_written(self) -> None:
        plan = plan_of("add HTTPS://H:443/%7ea#x\nupdate regexp ^HTTPS\ndeletemask HTTPS://H/*.x")
        assert commands(plan, Action.ADD)[0].url == "https://h/~a"
        update = commands(plan, Action.UPDATE)[0]
        assert (update.mask, update.mask_kind) == ("^HTTPS", MaskKind.REGEXP)
        assert commands(plan, Action.DELETEMASK)[0].mask == "HTTPS://H/*.x"


class TestBlocks:
    def test_numbered_oldest_first_with_their_rules(self) -> None:
        plan = plan_of(
            "exclude *.pdf\nadd https://h/a\ninclude-days 3 https://h/", "add https://h/b"
        )
        assert [(block.number, block.line, block.date.day) for block in plan.blocks] == [
            (0, 1, 1),
            (1, 6, 2),
        ]
        assert [rule.line for rule in plan.blocks[0].rules] == [2, 4]
        assert plan.blocks[1].rules == ()

    def test_a_block_ahead_of_the_clock_counts_as_dated_when_it_ran(self) -> None:
        text = b"seconds 1700000000\n\nseconds 2200000000\n"
        script = read_script(text, source="test", now=NOW)
        plan = make_plan(select(script, watermark=None, window=None, now=NOW), Site(), NOW)
        assert [block.counts_as for block in plan.blocks] == [plan.blocks[0].date, NOW]
        assert plan.blocks[1].date > NOW

    def test_a_digest_is_that_of_date_and_commands_wherever_they_stand(self) -> None:
        one = plan_of("add https://h/a\nexclude *.pdf")
        moved = plan_of("# a comment\nADD   https://h/a\nexclude *.pdf")
        other = plan_of("add https://h/a\nexclude *.PDF")
        assert one.blocks[0].digest == moved.blocks[0].digest
        assert one.blocks[0].digest != other.blocks[0].digest

    def test_in_a_window_blocks_run_oldest_first_whatever_their_order(self) -> None:
        text = "seconds 200\nadd https://h/a\n\nseconds 100\ndelete https://h/a\n"
        script = read_script(text.encode(), source="test", now=NOW)
        start = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
        window = Window(start, start + dt.timedelta(seconds=1000))
        plan = make_plan(select(script, watermark=NOW, window=window, now=NOW), Site(), NOW)
        assert [block.line for block in plan.blocks] == [4, 1]
        assert plan.dropped == ()
        assert plan.watermark_before == plan.watermark_after == NOW

    def test_the_plan_says_where_it_comes_from(self) -> None:
        plan = plan_of("add https://h/a")
        assert (plan.site, plan.now, plan.watermark_before) == ("docs", NOW, None)
        assert plan.watermark_after == dt.datetime(2024, 6, 1, tzinfo=dt.UTC)


class TestWhatALaterBlockUndoes:
    def test_an_add_that_a_later_delete_removes(self) -> None:
        plan = plan_of("add https://h/a\nadd https://h/b", "delete https://h/c https://h/a")
        assert lines(plan, Action.ADD) == [3]
        assert plan.dropped == (DroppedCommand(line=2, block_line=1, by_line=6, url="https://h/a"),)

    def test_urls_are_compared_in_the_normalized_form(self) -> None:
        assert dropped(plan_of("add HTTPS://H/%7ea", "delete https://h:443/~a")) == [(2, 5)]

    @pytest.mark.parametrize("mask", ["https://h/a", "*/a/*", "regexp /a/b$"])
    def test_an_add_that_a_later_deletemask_matches(self, mask: str) -> None:
        assert dropped(plan_of("add https://h/a/b", f"deletemask {mask}")) == [(2, 5)]

    def test_the_first_later_removal_is_named(self) -> None:
        plan = plan_of(
            "add https://h/a",
            "add https://h/b",
            "deletemask https://h/\ndelete https://h/a",
            "delete https://h/a",
        )
        assert dropped(plan) == [(2, 9), (5, 8)]

    def test_one_of_the_same_or_an_older_block_undoes_nothing(self) -> None:
        assert dropped(plan_of("add https://h/a\ndelete https://h/a")) == []
        assert dropped(plan_of("add https://h/a\ndeletemask https://h/")) == []
        assert dropped(plan_of("delete https://h/a", "add https://h/a")) == []

    def test_a_delete_before_a_later_add_is_kept_as_the_add_may_fail(self) -> None:
        plan = plan_of("delete https://h/a", "add https://h/a")
        assert (lines(plan, Action.DELETE), lines(plan, Action.ADD)) == ([2], [5])

    def test_of_several_adds_only_those_before_the_delete(self) -> None:
        plan = plan_of("add https://h/a", "delete https://h/a", "add https://h/a")
        assert (dropped(plan), lines(plan, Action.ADD)) == ([(2, 5)], [8])

    @pytest.mark.parametrize(
        ("update", "deletemask", "is_dropped"),
        [
            ("https://h/a/", "https://h/a/", True),
            ("https://h/a/", "https://h/", True),
            ("https://h/a/*.pdf", "*.pdf", True),
            ("regexp ^https://h/a/.*x", "https://h/a", True),
            ("regexp x+", "regexp x+", True),
            ("https://h/", "https://h/a/", False),
            ("https://h/a", "https://h/a/", False),
            ("*.pdf", "https://h/", False),
            ("https://h/a/", "regexp .*", False),
        ],
    )
    def test_an_update_all_of_whose_documents_a_later_deletemask_surely_removes(
        self, update: str, deletemask: str, *, is_dropped: bool
    ) -> None:
        plan = plan_of(f"update {update}", f"deletemask {deletemask}")
        assert dropped(plan) == ([(2, 5)] if is_dropped else [])
        assert lines(plan, Action.UPDATE) == ([] if is_dropped else [2])
        assert dropped(plan_of(f"deletemask {deletemask}\nupdate {update}")) == []

    def test_a_dropped_update_says_its_mask(self) -> None:
        plan = plan_of("update regexp x+", "deletemask regexp x+")
        assert plan.dropped == (
            DroppedCommand(line=2, block_line=1, by_line=5, mask="x+", mask_kind=MaskKind.REGEXP),
        )

    def test_a_window_drops_only_by_what_is_in_it(self) -> None:
        first = Window(
            dt.datetime(2024, 6, 1, tzinfo=dt.UTC), dt.datetime(2024, 6, 2, tzinfo=dt.UTC)
        )
        plan = plan_of("add https://h/a", "delete https://h/a", window=first)
        assert (dropped(plan), lines(plan, Action.ADD)) == ([], [2])


class TestWhatItsOwnBlockExcludes:
    def test_an_add_is_dropped_with_a_warning(self) -> None:
        plan = plan_of("exclude https://h/a\nadd https://h/a/b\nadd https://h/b")
        assert dropped(plan) == [(3, 2)]
        assert lines(plan, Action.ADD) == [4]
        (found,) = plan.diagnostics
        assert (found.severity, found.code, found.line) == (Severity.WARNING, "add-excluded", 3)
        assert found.message == "line 3 adds a URL that line 2 excludes"
        assert found.text[found.column - 1 :] == "https://h/a/b"

    def test_wherever_in_the_block_the_rule_stands(self) -> None:
        assert dropped(plan_of("add https://h/a\nexclude https://h/a")) == [(2, 3)]

    def test_not_where_a_rule_before_lets_it_in(self) -> None:
        plan = plan_of("include https://h/a\nexclude https://h/\nadd https://h/a")
        assert (dropped(plan), codes(plan)) == ([], [])

    def test_a_rule_of_another_block_does_not_count(self) -> None:
        assert dropped(plan_of("exclude https://h/", "add https://h/a")) == []

    def test_a_date_dependent_one_is_kept(self) -> None:
        plan = plan_of("exclude-days 3 https://h/\nadd https://h/a")
        assert (dropped(plan), codes(plan), lines(plan, Action.ADD)) == ([], [], [3])

    def test_one_that_is_excluded_whatever_its_date_is_dropped(self) -> None:
        assert dropped(plan_of("exclude-days 3 https://h/\nexclude *.x\nadd https://h/a.x")) == [
            (4, 3)
        ]

    @pytest.mark.parametrize(
        ("rules", "is_dropped"),
        [
            ("exclude https://h/a", True),
            ("include https://h/b\nexclude https://h/a", True),
            ("exclude-days 3 https://h/a\nexclude https://h/", True),
            ("exclude https://h/a/b/", False),
            ("include https://h/a/b\nexclude https://h/a", False),
            ("include-days 3 *\nexclude https://h/a", False),
            ("exclude-days 3 https://h/a", False),
        ],
    )
    def test_an_update_of_nothing_but_excluded_documents_likewise(
        self, rules: str, *, is_dropped: bool
    ) -> None:
        plan = plan_of(f"{rules}\nupdate https://h/a/")
        assert bool(dropped(plan)) is is_dropped
        assert codes(plan) == (["update-excluded"] if is_dropped else [])

    def test_an_add_that_the_sites_own_masks_exclude_is_warned_of_and_kept(self) -> None:
        exclude = Command(1, Action.EXCLUDE, mask="*.zip", mask_kind=MaskKind.WILDCARD)
        plan = plan_of("add https://h/a.zip", site=Site(masks=(exclude,)))
        assert (dropped(plan), lines(plan, Action.ADD)) == ([], [2])
        assert codes(plan) == ["add-excluded"]
        assert "the site's own mask `exclude *.zip`" in plan.diagnostics[0].message


class TestHosts:
    @pytest.mark.parametrize(
        ("command", "column"),
        [
            ("add https://other/", 5),
            ("update https://other/a", 8),
            ("delete https://h/a https://other/", 20),
            ("deletemask https://other", 12),
            ("add https://h:8080/", 5),
        ],
    )
    def test_a_url_or_prefix_of_another_host_is_an_error(self, command: str, column: int) -> None:
        plan = plan_of(command)
        (found,) = plan.diagnostics
        assert (found.severity, found.code) == (Severity.ERROR, "foreign-host")
        assert (found.line, found.column, found.text) == (2, column, command)
        assert not plan.processable
        assert (plan.blocks, plan.steps, plan.watermark_after) == ((), (), None)
        assert [block.reason for block in plan.skipped] == [SkipReason.ERROR]

    @pytest.mark.parametrize(
        "command",
        [
            "update *.pdf",
            "deletemask https://other/*",
            "update regexp ^https://other/",
            "exclude https://other/",
            "include https://other/",
            "add http://h/",
        ],
    )
    def test_wildcards_expressions_and_rules_are_not_checked(self, command: str) -> None:
        assert "foreign-host" not in codes(plan_of(command))
        assert plan_of(command).processable

    def test_each_foreign_url_of_a_line_is_found(self) -> None:
        plan = plan_of("delete https://x/ https://h/ https://x/ https://y/")
        assert [found.column for found in plan.diagnostics] == [8, 30, 41]

    def test_in_a_skipped_block_it_is_a_warning(self) -> None:
        text = numbered_blocks("add https://other/", "add https://h/a").encode()
        watermark = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
        script = read_script(text, source="test", now=NOW)
        plan = make_plan(select(script, watermark=watermark, window=None, now=NOW), Site(), NOW)
        assert plan.processable
        assert [found.severity for found in plan.diagnostics] == [Severity.WARNING]

    def test_a_site_may_skip_the_line_or_the_block(self) -> None:
        blocks = ("add https://other/\nadd https://h/a", "add https://h/b")
        plan = plan_of(*blocks, on_error="skip_line")
        assert lines(plan, Action.ADD) == [3, 6]
        plan = plan_of(*blocks, on_error="skip_block")
        assert lines(plan, Action.ADD) == [6]
        assert [block.reason for block in plan.skipped] == [SkipReason.ERROR]

    def test_without_a_site_nothing_is_checked(self) -> None:
        script = read_script(b"seconds 1\nadd https://anything/", source="test", now=NOW)
        plan = make_plan(select(script, watermark=None, window=None, now=NOW), None, NOW)
        assert (plan.site, plan.diagnostics) == ("", ())
        assert lines(plan, Action.ADD) == [2]
