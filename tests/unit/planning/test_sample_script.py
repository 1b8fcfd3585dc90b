"""A script as people write them: every command, every form of dates, and every weekday wrong."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_script import Severity
from site_indexer.planning.folding import make_plan
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import ensure_processable, select
from site_indexer.urls import SiteHosts

NOW = dt.datetime(2026, 6, 15, 12, tzinfo=dt.UTC)
SAMPLE = b"""\
# Sample script of a site owner
# The days of the week were typed from memory.

date Mon, 02 Jan 2004 00:05:53 GMT
add https://www.example.com/ nofollow
include https://www.example.com/info/
exclude https://www.example.com/info/drafts/

date Saturday, 05-Jan-04 18:30:00 GMT
update https://www.example.com/photos nofollow
delete https://www.example.com/old.html https://www.example.com/older.html

date Tue Jan  8 09:00:00 2004
# everything but what is a month old
exclude-days 30 https://www.example.com/news/
include-date 2004-1-7 https://www.example.com/ server-date
exclude-date 2003-12-31 *.pdf
include-days 1 regexp ^https://www\\.example\\.com/[[:alpha:]]+/$ noindex
update regexp ^https://www\\.example\\.com/info/.*$
deletemask *.bak

seconds 1074038400
deletemask regexp [[:<:]]tmp[[:>:]]
add https://www.example.com/new.html noindex
"""


def test_wrong_weekdays_are_warnings_and_every_block_is_processed() -> None:
    """docs/spec/01-script-language.md, 1.3: the date counts."""
    script = read_script(
        SAMPLE, source="indexlist.txt", now=NOW, hosts=SiteHosts(["www.example.com"])
    )
    assert [(found.line, found.code) for found in script.diagnostics] == [
        (4, "wrong-weekday"),
        (9, "wrong-weekday"),
        (13, "wrong-weekday"),
    ]
    assert {found.severity for found in script.diagnostics} == {Severity.WARNING}
    selection = select(script, watermark=None, window=None, now=NOW)
    ensure_processable(selection, "indexlist.txt")
    plan = make_plan(selection, None, now=NOW)
    assert [block.date for block in plan.blocks] == [
        dt.datetime(2004, 1, 2, 0, 5, 53, tzinfo=dt.UTC),
        dt.datetime(2004, 1, 5, 18, 30, tzinfo=dt.UTC),
        dt.datetime(2004, 1, 8, 9, 0, tzinfo=dt.UTC),
        dt.datetime(2004, 1, 14, tzinfo=dt.UTC),
    ]
    assert plan.skipped == ()
    assert [len(block.rules) for block in plan.blocks] == [2, 0, 4, 0]
    assert [(step.action, len(step.commands)) for step in plan.steps] == [
        ("delete", 2),
        ("deletemask", 2),
        ("add", 2),
        ("update", 2),
    ]
