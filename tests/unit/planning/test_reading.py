"""Reading a script with masks and hosts checked."""

from __future__ import annotations

import datetime as dt

import pytest

from site_indexer.errors import EmptyScriptError
from site_indexer.index_script.model import Severity
from site_indexer.planning.foreign_hosts import with_host_findings
from site_indexer.planning.reading import read_script
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
    assert [found.line for found in script.diagnostics] == [2, 3, 4]
    assert with_host_findings(script, HOSTS) is script


def test_without_foreign_hosts_the_script_is_what_was_parsed() -> None:
    text = b"seconds 1\nadd https://h/"
    assert read_script(text, "test", NOW, HOSTS) == read_script(text, "test", NOW)


def test_a_very_long_line_is_cut() -> None:
    text = b"seconds 1\ndelete https://other/" + b" https://h/" * 1000
    (found,) = read_script(text, source="test", now=NOW, hosts=HOSTS).diagnostics
    assert len(found.text) < 2100
    assert found.text.endswith("...")


def test_what_is_no_script_is_an_error() -> None:
    with pytest.raises(EmptyScriptError):
        read_script(b" \n", source="test", now=NOW)
