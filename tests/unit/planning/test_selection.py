"""docs/spec/03-planning.md, *Selection* and *Errors*."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import ScriptError
from site_indexer.index_script.model import (
    Action,
    Block,
    Command,
    DateForm,
    Diagnostic,
    IndexScript,
    Severity,
)
from site_indexer.planning.model import SkipReason, Window
from site_indexer.planning.selection import (
    FutureBlocks,
    OnError,
    ScriptDiagnosticsError,
    Selection,
    ensure_processable,
    select,
)

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)
BEHIND, OUT_OF_ORDER = SkipReason.BEHIND_WATERMARK, SkipReason.OUT_OF_ORDER
HELD, OUTSIDE, ERROR = SkipReason.HELD, SkipReason.OUTSIDE_WINDOW, SkipReason.ERROR


def day(number: int) -> dt.datetime:
    """Midnight of that day of June 2024."""
    return dt.datetime(2024, 6, 1, tzinfo=dt.UTC) + dt.timedelta(days=number - 1)


def script(days: Sequence[int | None], errors: Sequence[int] = ()) -> IndexScript:
    """Blocks of three lines from line 1 on, dated on those days; lines with errors give nothing."""
    blocks = []
    for place, number in enumerate(days):
        line = 3 * place + 1
        commands = [] if number is None or line + 1 in errors else [line + 1]
        blocks.append(
            Block(
                line=line,
                date=None if number is None else day(number),
                date_form=DateForm.RFC1123,
                commands=tuple(Command(each, Action.ADD, ("https://h/",)) for each in commands),
            )
        )
    undated = [3 * place + 1 for place, number in enumerate(days) if number is None]
    found = [error(line) for line in sorted((*errors, *undated))]
    return IndexScript("test", "utf-8", tuple(blocks), tuple(found))


def error(line: int, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(severity, "bad-url", line, 5, "a message", "a hint", "add x")


def choose(
    days: Sequence[int | None],
    *,
    watermark: int | None = None,
    window: tuple[int, int] | None = None,
    errors: Sequence[int] = (),
    future_blocks: FutureBlocks = "process",
    on_error: OnError = "stop",
) -> Selection:
    return select(
        script(days, errors),
        watermark=None if watermark is None else day(watermark),
        window=None if window is None else Window(day(window[0]), day(window[1])),
        now=NOW,
        future_blocks=future_blocks,
        on_error=on_error,
    )


def selected(selection: Selection) -> list[int]:
    return [block.line for block in selection.selected]


def skipped(selection: Selection) -> list[tuple[int, SkipReason]]:
    return [(block.line, block.reason) for block in selection.skipped]


class TestWatermark:
    def test_without_one_every_block_is_new(self) -> None:
        selection = choose([1, 2, 3])
        assert selected(selection) == [1, 4, 7]
        assert skipped(selection) == []
        assert selection.watermark_after == day(3)

    def test_a_block_is_new_if_its_date_is_later_than_the_watermark(self) -> None:
        selection = choose([1, 2, 3], watermark=2)
        assert selected(selection) == [7]
        assert skipped(selection) == [(1, BEHIND), (4, BEHIND)]
        assert selection.watermark_after == day(3)

    def test_a_block_not_newer_than_one_above_it_is_out_of_order(self) -> None:
        selection = choose([3, 2, 3, 4])
        assert selected(selection) == [1, 10]
        assert skipped(selection) == [(4, OUT_OF_ORDER), (7, OUT_OF_ORDER)]

    def test_behind_the_watermark_a_block_is_that_wherever_it_stands(self) -> None:
        selection = choose([3, 1, 2, 4], watermark=2)
        assert selected(selection) == [1, 10]
        assert skipped(selection) == [(4, BEHIND), (7, BEHIND)]

    def test_nothing_new_leaves_the_watermark(self) -> None:
        selection = choose([1, 2], watermark=5)
        assert selected(selection) == []
        assert selection.watermark_after == day(5)
        assert choose([]).watermark_after is None

    def test_a_block_of_its_date_line_alone_moves_the_watermark(self) -> None:
        assert choose([1, 2], errors=[5], on_error="skip_line").watermark_after == day(2)

    def test_only_the_dates_matter_not_the_clock(self) -> None:
        selection = choose([1, 6000, 2])
        assert selected(selection) == [1, 4]
        assert skipped(selection) == [(7, OUT_OF_ORDER)]
        assert selection.watermark_after == day(6000)

    def test_skipped_blocks_say_their_date_and_what_they_ask_for(self) -> None:
        one, other = choose([1, 2], watermark=5).skipped
        assert one.date == day(1)
        assert len(one.digest) == 64
        assert one.digest != other.digest


class TestFutureBlocks:
    """NOW is noon of the 15th: the 16th is less than a day ahead, the 17th more."""

    def test_more_than_a_day_ahead_waits_with_those_below_it(self) -> None:
        selection = choose([14, 17, 15, 16], future_blocks="hold")
        assert selected(selection) == [1]
        assert skipped(selection) == [(4, HELD), (7, HELD), (10, HELD)]
        assert selection.watermark_after == day(14)

    def test_up_to_a_day_ahead_does_not_wait(self) -> None:
        assert selected(choose([14, 16], future_blocks="hold")) == [1, 4]

    @pytest.mark.parametrize(("seconds", "reasons"), [(0, []), (1, [HELD])])
    def test_a_day_to_the_second(self, seconds: int, reasons: list[SkipReason]) -> None:
        clock = day(16) - dt.timedelta(days=1, seconds=seconds)
        selection = select(
            script([16]), watermark=None, window=None, now=clock, future_blocks="hold"
        )
        assert [block.reason for block in selection.skipped] == reasons

    def test_those_behind_the_watermark_are_reported_as_that(self) -> None:
        selection = choose([17, 3, 15], watermark=5, future_blocks="hold")
        assert skipped(selection) == [(1, HELD), (4, BEHIND), (7, HELD)]

    def test_a_block_that_is_not_new_holds_nothing(self) -> None:
        selection = choose([40, 41, 50], watermark=41, future_blocks="hold")
        assert skipped(selection) == [(1, BEHIND), (4, BEHIND), (7, HELD)]

    def test_their_errors_are_warnings_until_then(self) -> None:
        selection = choose([14, 17, None], errors=[5], future_blocks="hold")
        assert selection.processable
        assert skipped(selection) == [(4, HELD), (7, HELD)]
        assert {found.severity for found in selection.diagnostics} == {Severity.WARNING}

    def test_by_default_they_are_processed(self) -> None:
        assert selected(choose([14, 17, 18])) == [1, 4, 7]


class TestWindow:
    def test_from_inclusive_to_exclusive(self) -> None:
        selection = choose([1, 2, 3, 4], window=(2, 4))
        assert selected(selection) == [4, 7]
        assert skipped(selection) == [(1, OUTSIDE), (10, OUTSIDE)]

    def test_whatever_the_order_and_wherever_the_watermark(self) -> None:
        selection = choose([5, 2, 3, 1, 3], watermark=10, window=(1, 4))
        assert selected(selection) == [10, 4, 7, 13], "oldest first, then by line"
        assert skipped(selection) == [(1, OUTSIDE)]

    def test_it_never_moves_the_watermark(self) -> None:
        assert choose([2], watermark=1, window=(1, 5)).watermark_after == day(1)
        assert choose([2], window=(1, 5)).watermark_after is None

    def test_a_block_without_a_date_is_in_none(self) -> None:
        selection = choose([2, None], window=(1, 5))
        assert skipped(selection) == [(4, OUTSIDE)]
        assert selection.processable

    def test_it_takes_blocks_that_a_run_by_watermark_would_hold(self) -> None:
        assert selected(choose([17], window=(16, 18), future_blocks="hold")) == [1]

    def test_errors_outside_are_warnings_and_inside_errors(self) -> None:
        assert choose([1, 5], errors=[2], window=(4, 6)).processable
        assert not choose([1, 5], errors=[5], window=(4, 6)).processable


class TestErrors:
    def test_in_a_new_block_they_stop_everything(self) -> None:
        selection = choose([1, 2, 3], watermark=1, errors=[5])
        assert not selection.processable
        assert selected(selection) == []
        assert skipped(selection) == [(1, BEHIND), (4, ERROR), (7, ERROR)]
        assert selection.watermark_after == day(1)

    def test_in_a_block_behind_the_watermark_they_are_warnings(self) -> None:
        selection = choose([1, 2], watermark=1, errors=[2])
        assert selected(selection) == [4]
        assert [found.severity for found in selection.diagnostics] == [Severity.WARNING]
        assert selection.diagnostics[0] == error(2, Severity.WARNING)

    def test_in_a_block_out_of_order_they_are_warnings(self) -> None:
        assert choose([2, 1], errors=[5]).processable

    def test_warnings_stop_nothing(self) -> None:
        found = (error(2, Severity.WARNING),)
        plain = script([1])
        warned = IndexScript(plain.source, plain.encoding, plain.blocks, found)
        selection = select(warned, watermark=None, window=None, now=NOW)
        assert selection.processable
        assert selection.diagnostics == found

    def test_an_error_above_the_first_block_is_one_of_a_new_block(self) -> None:
        plain = script([1])
        moved = IndexScript(plain.source, plain.encoding, plain.blocks, (error(0),))
        assert not select(moved, watermark=None, window=None, now=NOW).processable

    def test_a_block_without_a_date_is_new(self) -> None:
        selection = choose([1, None], watermark=1)
        assert not selection.processable
        assert skipped(selection) == [(1, BEHIND), (4, ERROR)]

    def test_it_is_behind_only_if_a_readable_block_below_it_is(self) -> None:
        selection = choose([1, None, 2, 3], watermark=2)
        assert selection.processable
        assert selected(selection) == [10]
        assert skipped(selection) == [(1, BEHIND), (4, BEHIND), (7, BEHIND)]
        assert not choose([1, None, 3], watermark=2).processable

    def test_all_findings_of_the_file_are_kept(self) -> None:
        selection = choose([1, 2, 3], watermark=1, errors=[2, 5, 8])
        assert [(found.line, found.severity) for found in selection.diagnostics] == [
            (2, Severity.WARNING),
            (5, Severity.ERROR),
            (8, Severity.ERROR),
        ]

    def test_the_error_that_stops_a_run_carries_them_all(self) -> None:
        selection = choose([1, 2], watermark=1, errors=[2, 5])
        with pytest.raises(ScriptDiagnosticsError) as caught:
            ensure_processable(selection, "https://h/indexlist.txt")
        assert isinstance(caught.value, ScriptError)
        assert caught.value.diagnostics == selection.diagnostics
        assert "https://h/indexlist.txt has 1 error" in caught.value.message
        assert "line 5, column 5: a message" in caught.value.message
        assert "line 2" not in caught.value.message
        assert caught.value.hint

    def test_it_names_only_the_first_where_they_are_listed_already(self) -> None:
        selection = choose([1, 2], errors=[2, 5])
        with pytest.raises(ScriptDiagnosticsError) as caught:
            ensure_processable(selection, "https://h/s", listed=False)
        assert caught.value.message == (
            "https://h/s has 2 errors in new blocks; nothing was changed."
            " The first: line 2, column 5: a message"
        )

    def test_nothing_is_raised_where_the_run_may_go_on(self) -> None:
        ensure_processable(choose([1], errors=[2], on_error="skip_line"), "test")
        ensure_processable(choose([1]), "test")


class TestSkipLine:
    def test_the_rest_is_processed_and_the_line_stays_an_error(self) -> None:
        selection = choose([1, 2], errors=[2], on_error="skip_line")
        assert selected(selection) == [1, 4]
        assert selection.selected[0].commands == ()
        assert [found.severity for found in selection.diagnostics] == [Severity.ERROR]
        assert selection.watermark_after == day(2)

    def test_a_command_on_a_line_with_an_error_is_left_out(self) -> None:
        plain = script([1])
        erring = IndexScript(plain.source, plain.encoding, plain.blocks, (error(2),))
        selection = select(erring, watermark=None, window=None, now=NOW, on_error="skip_line")
        assert selection.selected[0].commands == ()

    def test_without_its_date_line_a_block_cannot_be_processed(self) -> None:
        selection = choose([1, None, 2], on_error="skip_line")
        assert selected(selection) == [1, 7]
        assert skipped(selection) == [(4, ERROR)]


class TestSkipBlock:
    def test_the_rest_is_processed_and_the_watermark_moves(self) -> None:
        selection = choose([1, 2], errors=[5], on_error="skip_block")
        assert selected(selection) == [1]
        assert skipped(selection) == [(4, ERROR)]
        assert [found.severity for found in selection.diagnostics] == [Severity.ERROR]
        assert selection.watermark_after == day(2)

    def test_it_hides_older_blocks_below_it_all_the_same(self) -> None:
        selection = choose([3, 2], errors=[2], on_error="skip_block")
        assert skipped(selection) == [(1, ERROR), (4, OUT_OF_ORDER)]

    def test_it_stays_reported_while_it_is_in_the_file(self) -> None:
        selection = choose([1, 2], watermark=2, errors=[5], on_error="skip_block")
        assert skipped(selection) == [(1, BEHIND), (4, BEHIND)]
        assert [found.line for found in selection.diagnostics] == [5]


def test_lines_without_a_date_line_are_no_block() -> None:
    plain = script([1])
    orphans = Block(line=7, date=None, date_form=None, commands=(), has_date_line=False)
    whole = IndexScript("test", "utf-8", (*plain.blocks, orphans), (error(7),))
    selection = select(whole, watermark=None, window=None, now=NOW, on_error="skip_block")
    assert selected(selection) == [1]
    assert skipped(selection) == []
    assert not select(whole, watermark=None, window=None, now=NOW).processable


DAYS = st.lists(st.none() | st.integers(10, 20), max_size=8)
FUTURE_BLOCKS: list[FutureBlocks] = ["process", "hold"]
ON_ERROR: list[OnError] = ["stop", "skip_line", "skip_block"]
WINDOWS = [(10, 15), (12, 20), (15, 15)]


@st.composite
def selections(draw: st.DrawFn) -> Selection:
    days = draw(DAYS)
    lines = [3 * place + 2 for place in range(len(days))]
    return choose(
        days,
        watermark=draw(st.none() | st.integers(9, 21)),
        window=draw(st.none() | st.sampled_from(WINDOWS)),
        errors=draw(st.lists(st.sampled_from(lines), unique=True, max_size=2)) if lines else [],
        future_blocks=draw(st.sampled_from(FUTURE_BLOCKS)),
        on_error=draw(st.sampled_from(ON_ERROR)),
    )


@given(selections())
def test_every_block_is_selected_or_skipped_and_the_watermark_never_goes_back(
    selection: Selection,
) -> None:
    lines = selected(selection) + [line for line, _ in skipped(selection)]
    assert sorted(lines) == [block.line for block in selection.script.blocks]
    before, after = selection.criteria.watermark, selection.watermark_after
    assert before is None or (after is not None and after >= before)
    dates = [block.date for block in selection.selected if block.date is not None]
    assert dates == sorted(dates)
    assert len(dates) == len(selection.selected)
    if selection.criteria.window is None:
        assert len(set(dates)) == len(dates)
        assert all(before is None or date > before for date in dates)


@given(selections())
def test_a_second_run_finds_nothing_new(selection: Selection) -> None:
    criteria = selection.criteria
    if criteria.window is not None or not selection.processable:
        return
    again = select(
        selection.script,
        watermark=selection.watermark_after,
        window=None,
        now=criteria.now,
        future_blocks=criteria.future_blocks,
        on_error=criteria.on_error,
    )
    assert again.selected == ()
    assert again.watermark_after == selection.watermark_after


@given(DAYS.map(lambda days: [number for number in days if number]), st.integers(0, 8))
def test_a_file_that_grows_gives_the_same_blocks_as_one_read_whole(
    days: list[int], cut: int
) -> None:
    first = choose(days[:cut])
    mark = first.watermark_after
    second = select(script(days), watermark=mark, window=None, now=NOW)
    assert selected(first) + selected(second) == selected(choose(days))
