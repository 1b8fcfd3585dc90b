"""Plans as JSON, and their digests."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.index_script.model import Action, Command, Diagnostic, Severity
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import (
    DroppedCommand,
    Plan,
    PlannedBlock,
    PlannedCommand,
    SkippedBlock,
    SkipReason,
    Step,
    Window,
)
from site_indexer.planning.plan_table import plan_table
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import select
from site_indexer.planning.serialization import (
    plan_as_json,
    plan_digest,
    plan_from_dict,
    plan_to_dict,
)
from site_indexer.urls import MaskKind

NOW = dt.datetime(2024, 6, 15, 12, 30, 15, 123456, tzinfo=dt.UTC)

DATES = st.datetimes(timezones=st.just(dt.UTC))
TEXTS = st.text(max_size=8)
COMMANDS = st.builds(
    Command,
    st.integers(1),
    st.sampled_from(Action),
    urls=st.lists(TEXTS, max_size=2).map(tuple),
    mask=st.none() | TEXTS,
    mask_kind=st.none() | st.sampled_from(MaskKind),
    days=st.none() | st.integers(0, 36_500),
    date=st.none() | st.dates(),
    nofollow=st.booleans(),
)
NAMED = {"url": st.none() | TEXTS, "mask": st.none() | TEXTS}
PLANS = st.builds(
    Plan,
    site=TEXTS,
    now=DATES,
    watermark_before=st.none() | DATES,
    watermark_after=st.none() | DATES,
    window=st.none() | st.builds(Window, DATES, DATES),
    blocks=st.lists(
        st.builds(
            PlannedBlock,
            st.integers(0),
            st.integers(1),
            DATES,
            DATES,
            st.lists(COMMANDS, max_size=2).map(tuple),
            TEXTS,
        ),
        max_size=2,
    ).map(tuple),
    skipped=st.lists(
        st.builds(
            SkippedBlock, st.integers(1), st.none() | DATES, st.sampled_from(SkipReason), TEXTS
        ),
        max_size=2,
    ).map(tuple),
    steps=st.lists(
        st.builds(
            Step,
            st.sampled_from(Action),
            st.lists(
                st.builds(
                    PlannedCommand,
                    st.integers(1),
                    st.integers(0),
                    st.integers(1),
                    mask_kind=st.none() | st.sampled_from(MaskKind),
                    **NAMED,
                ),
                max_size=2,
            ).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
    dropped=st.lists(
        st.builds(DroppedCommand, st.integers(1), st.integers(1), st.integers(1), **NAMED),
        max_size=2,
    ).map(tuple),
    diagnostics=st.lists(
        st.builds(
            Diagnostic,
            st.sampled_from(Severity),
            TEXTS,
            st.integers(1),
            st.integers(1),
            TEXTS,
            TEXTS,
            TEXTS,
        ),
        max_size=2,
    ).map(tuple),
    processable=st.booleans(),
)

TEXT = """date Sat, 01 Jun 2024 00:00:00 GMT
add https://h/old

date Sun, 02 Jun 2024 00:00:00 GMT
exclude *.pdf
add https://h/a nofollow
add https://h/b
add https://h/c.pdf
update regexp ^https://h/u noindex
update https://h/m/

date Mon, 03 Jun 2024 00:00:00 GMT
delete https://h/d https://h/b
deletemask https://h/m/
"""


def plan_of(text: str = TEXT, *, now: dt.datetime = NOW, window: Window | None = None) -> Plan:
    script = read_script(text.encode(), source="test", now=now)
    watermark = dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
    return make_plan(select(script, watermark=watermark, window=window, now=now), None, now)


@given(PLANS)
def test_a_plan_comes_back_from_json_as_it_was(plan: Plan) -> None:
    kept = json.loads(json.dumps(plan_to_dict(plan)))
    assert plan_from_dict(kept) == plan


def test_anything_else_is_refused() -> None:
    kept = plan_to_dict(plan_of())
    del kept["steps"]
    with pytest.raises(ValueError, match="steps"):
        plan_from_dict(kept)


def test_the_json_of_the_shell() -> None:
    shown = plan_as_json(plan_of())
    assert json.loads(json.dumps(shown)) == shown
    diagnostics = shown.pop("diagnostics")
    assert shown == {
        "site": None,
        "watermark_before": "2024-06-01T00:00:00Z",
        "watermark_after": "2024-06-03T00:00:00Z",
        "window": None,
        "selected": [
            {"line": 4, "date": "2024-06-02T00:00:00Z"},
            {"line": 12, "date": "2024-06-03T00:00:00Z"},
        ],
        "skipped": [{"line": 1, "date": "2024-06-01T00:00:00Z", "reason": "behind-watermark"}],
        "steps": [
            {
                "action": "delete",
                "commands": [
                    _command(13, 12, url="https://h/d"),
                    _command(13, 12, url="https://h/b"),
                ],
            },
            {
                "action": "deletemask",
                "commands": [_command(14, 12, mask="https://h/m/", mask_kind="prefix")],
            },
            {"action": "add", "commands": [_command(6, 4, url="https://h/a", nofollow=True)]},
            {
                "action": "update",
                "commands": [_command(9, 4, mask="^https://h/u", mask_kind="regexp", noindex=True)],
            },
        ],
        "action_types": ["delete", "deletemask", "add", "update"],
        "dropped": [
            {"line": 7, "block_line": 4, "by_line": 13, "url": "https://h/b"},
            {"line": 8, "block_line": 4, "by_line": 5, "url": "https://h/c.pdf"},
            {
                "line": 10,
                "block_line": 4,
                "by_line": 14,
                "mask": "https://h/m/",
                "mask_kind": "prefix",
            },
        ],
    }
    assert [(found["code"], found["line"]) for found in diagnostics] == [("add-excluded", 8)]
    assert set(diagnostics[0]) == {
        "severity",
        "code",
        "line",
        "column",
        "message",
        "hint",
        "text",
    }


def _command(line: int, block_line: int, **given: object) -> dict[str, object]:
    flags = {"nofollow": False, "noindex": False}
    return {"line": line, "block_line": block_line, **flags, **given}


def test_dates_in_json_are_utc_with_whole_seconds_and_no_date_is_null() -> None:
    window = Window(
        dt.datetime(994, 1, 1, tzinfo=dt.UTC),
        dt.datetime(2024, 6, 3, 1, tzinfo=dt.timezone(dt.timedelta(hours=2))),
    )
    shown = plan_as_json(plan_of("date x\nadd https://h/a", window=window))
    assert shown["window"] == {"from": "0994-01-01T00:00:00Z", "to": "2024-06-02T23:00:00Z"}
    assert shown["skipped"] == [{"line": 1, "date": None, "reason": "outside-window"}]


def test_the_table_says_what_is_done_dropped_and_skipped() -> None:
    assert plan_table(plan_of()).splitlines() == [
        "Blocks to process: 2. Commands: 5.",
        "Watermark: 2024-06-01T00:00:00Z -> 2024-06-03T00:00:00Z",
        "action      line     block                 URL or mask          flags",
        "delete      line 13  2024-06-03T00:00:00Z  https://h/d",
        "delete      line 13  2024-06-03T00:00:00Z  https://h/b",
        "deletemask  line 14  2024-06-03T00:00:00Z  https://h/m/",
        "add         line 6   2024-06-02T00:00:00Z  https://h/a          nofollow",
        "update      line 9   2024-06-02T00:00:00Z  regexp ^https://h/u  noindex",
        "Dropped, as they can have no effect:",
        "add     line 7   undone by line 13  https://h/b",
        "add     line 8   undone by line 5   https://h/c.pdf",
        "update  line 10  undone by line 14  https://h/m/",
        "Skipped blocks:",
        "line 1  2024-06-01T00:00:00Z  behind-watermark",
    ]


def test_the_table_of_nothing_to_do() -> None:
    window = Window(NOW, NOW + dt.timedelta(days=1))
    assert plan_table(plan_of("date x", window=window)).splitlines() == [
        "Blocks to process: 0. Commands: 0.",
        "Window: 2024-06-15T12:30:15Z up to 2024-06-16T12:30:15Z. "
        "The watermark stays at 2024-06-01T00:00:00Z.",
        "Skipped blocks:",
        "line 1  (no date)  outside-window",
    ]
    assert "nothing is processed" in plan_table(plan_of("date x"))


class TestDigest:
    LATER = NOW + dt.timedelta(hours=1)

    def test_is_a_sha256(self) -> None:
        assert len(bytes.fromhex(plan_digest(plan_of()))) == 32

    def test_does_not_depend_on_now(self) -> None:
        assert plan_digest(plan_of()) == plan_digest(plan_of(now=self.LATER))

    def test_depends_on_now_where_a_rule_counts_days_from_it(self) -> None:
        text = TEXT.replace("exclude *.pdf", "exclude-days 3 *.pdf")
        assert plan_digest(plan_of(text)) != plan_digest(plan_of(text, now=self.LATER))
        dated = TEXT.replace("exclude *.pdf", "exclude-date 2024-01-01 *.pdf")
        assert plan_digest(plan_of(dated)) == plan_digest(plan_of(dated, now=self.LATER))

    def test_depends_on_now_where_a_block_is_ahead_of_it(self) -> None:
        text = "seconds 2200000000\nadd https://h/a"
        assert plan_digest(plan_of(text)) != plan_digest(plan_of(text, now=self.LATER))

    def test_what_was_skipped_or_found_does_not_count(self) -> None:
        plan = plan_of()
        other = replace(plan, skipped=(), diagnostics=(), watermark_before=None)
        assert plan_digest(plan) == plan_digest(other)

    @pytest.mark.parametrize(
        "text",
        [
            TEXT.replace("nofollow", "noindex"),
            TEXT.replace("https://h/a", "https://h/b2"),
            TEXT.replace("exclude *.pdf", "exclude *.ps"),
            TEXT.replace("03 Jun 2024 00:00:00", "03 Jun 2024 00:00:01"),
            TEXT.replace("add https://h/a", "# a comment\nadd https://h/a"),
        ],
    )
    def test_what_is_planned_does(self, text: str) -> None:
        assert plan_digest(plan_of(text)) != plan_digest(plan_of())
