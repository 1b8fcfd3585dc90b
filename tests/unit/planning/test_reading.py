"""Reading a script with masks and hosts checked."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.errors import EmptyScriptError
from site_indexer.index_script.model import Severity
from site_indexer.index_script.spelling import block_digest
from site_indexer.planning.foreign_hosts import with_host_findings
from site_indexer.planning.model import SkipReason, Window
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import Criteria, select_by
from site_indexer.urls import SiteHosts

NOW = dt.datetime(2024, 6, 15, 12, tzinfo=dt.UTC)
HOSTS = SiteHosts(["h"])


def test_masks_are_checked() -> None:
    script = read_script(b"seconds 1\nupdate regexp (a\nexclude h/", source="test", now=NOW)
    assert [found.line for found in script.diagnostics] == [2, 3]
    assert all(found.severity is Severity.ERROR for found in script.diagnostics)


def test_the_clock_is_the_one_given() -> None:
    text = b"date Mon, 17 Jun 2024 12:00:01 GMT\n"
    assert read_script(text, source="test", now=NOW).diagnostics
    assert not read_script(text, source="test", now=NOW + dt.timedelta(days=2)).diagnostics


def test_foreign_hosts_are_shown_in_the_line_as_written() -> None:
    text = "\ufeffseconds 1\r\n\r\n# é\r seconds 2\r\tADD  https://Other/x  nofollow".encode()
    script = read_script(text, source="test", now=NOW, hosts=HOSTS)
    (found,) = script.diagnostics
    assert (found.line, found.column, found.code) == (5, 7, "foreign-host")
    assert found.text == "\tADD  https://Other/x  nofollow"
    assert found.message == "other is not one of the site's hosts."
    assert "The site's hosts: h." in found.hint


def test_findings_stay_in_the_order_of_lines_and_are_made_once() -> None:
    text = b"seconds 1\nadd https://other/\nadd x\ndelete https://other/ x"
    script = read_script(text, source="test", now=NOW, hosts=HOSTS)
    assert [(found.line, found.code) for found in script.diagnostics] == [
        (2, "foreign-host"),
        (3, "bad-url"),
        (4, "foreign-host"),
        (4, "bad-url"),
    ]
    assert with_host_findings(script, HOSTS) is script


@pytest.mark.parametrize("line", ["update https://other/a", "deletemask https://other"])
def test_prefix_masks_of_foreign_hosts_are_errors_and_rules_are_not(line: str) -> None:
    text = f"seconds 1\n{line}\nexclude https://other/\nupdate *//other/*"
    (found,) = read_script(text.encode(), source="test", now=NOW, hosts=HOSTS).diagnostics
    assert (found.line, found.column, found.code) == (2, line.index(" ") + 2, "foreign-host")


def test_without_foreign_hosts_the_script_is_what_was_parsed() -> None:
    text = b"seconds 1\nadd https://h/"
    assert read_script(text, "test", NOW, HOSTS) == read_script(text, "test", NOW)


YEARS = st.integers(1, 6)
LINES = st.sampled_from(
    ["add https://h/a", "update *.pdf nofollow", "add https://other/", "ad", "exclude https://h/x"]
)
DATES = st.one_of(
    YEARS.map(lambda year: f"seconds {year * 31_536_000}"),
    st.sampled_from(["seconds x", "seconds 4000000000", ""]),
)
SCRIPTS = st.lists(st.tuples(DATES, st.lists(LINES, max_size=3)), max_size=6).map(
    lambda blocks: "#\n" + "\n\n".join("\n".join((date, *lines)) for date, lines in blocks)
)
CRITERIA = st.builds(
    Criteria,
    watermark=st.none() | YEARS.map(lambda year: dt.datetime(1970 + year, 1, 1, tzinfo=dt.UTC)),
    window=st.none()
    | YEARS.map(
        lambda year: Window(
            dt.datetime(1970 + year, 1, 1, tzinfo=dt.UTC), dt.datetime(1975, 1, 1, tzinfo=dt.UTC)
        )
    ),
    now=st.just(NOW),
    future_blocks=st.sampled_from(["process", "hold"]),
    on_error=st.sampled_from(["stop", "skip_line", "skip_block"]),
)


@given(SCRIPTS, CRITERIA)
def test_what_is_not_kept_changes_no_selection(text: str, criteria: Criteria) -> None:
    whole = read_script(text.encode(), "test", NOW, HOSTS)
    kept = read_script(text.encode(), "test", NOW, HOSTS, criteria=criteria)
    assert kept.diagnostics == whole.diagnostics
    assert [block_digest(block) for block in kept.blocks] == [
        block_digest(block) for block in whole.blocks
    ]
    expected = select_by(whole, criteria)
    assert replace(select_by(kept, criteria), script=whole) == expected
    if expected.processable:
        selected = {block.line for block in expected.selected}
        skipped = [block for block in kept.blocks if block.line not in selected]
        errors = {block.line for block in expected.skipped if block.reason is SkipReason.ERROR}
        assert not any(block.commands for block in skipped if block.line not in errors)


def test_a_very_long_line_is_cut() -> None:
    text = b"seconds 1\ndelete https://other/" + b" https://h/" * 1000
    (found,) = read_script(text, source="test", now=NOW, hosts=HOSTS).diagnostics
    assert len(found.text) < 2100
    assert found.text.endswith("...")


def test_what_is_no_script_is_an_error() -> None:
    with pytest.raises(EmptyScriptError):
        read_script(b" \n", source="test", now=NOW)
