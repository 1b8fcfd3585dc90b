"""docs/reference/diagnostics.md lists every code, with an example that gives it."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from site_indexer.errors import ScriptError, ScriptUnreachableError
from site_indexer.index_script import DEFAULT_MAX_BYTES, Code, IndexScript, Severity, parse
from site_indexer.masks import check_mask
from site_indexer.planning.folding import make_plan
from site_indexer.planning.reading import read_script
from site_indexer.planning.selection import select
from site_indexer.urls import SiteHosts

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "diagnostics.md"
NOW = dt.datetime(2026, 6, 15, 12, 0, tzinfo=dt.UTC)
HOSTS = SiteHosts(["www.example.com"])
PLANNED = {"foreign-host", "add-excluded", "update-excluded", "delete-undone", "rules-unused"}
FILE_FAILURES = {
    error.code
    for error in ScriptError.__subclasses__()
    if error.__module__ == ScriptError.__module__
}

_ENTRY = re.compile(
    r"^### `(?P<code>[a-z0-9-]+)` \((?P<severity>error|warning)\)\n\n.+?\n\n"
    r"```script(?P<options>[^\n]*)\n(?P<text>.*?)\n```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True)
class Entry:
    """One section of the reference."""

    code: str
    severity: str
    options: str
    text: str

    @property
    def data(self) -> bytes:
        """The script, with its last line or field as often as the options say."""
        repeated = re.search(r"(lines|fields)\*(\d+)", self.options)
        text = self.text
        if repeated is not None:
            unit = re.search(r"[^\n]+\Z" if repeated[1] == "lines" else r"\S+\Z", text)
            assert unit is not None
            between = "\n" if repeated[1] == "lines" else " "
            text = text[: unit.start()] + between.join([unit[0]] * int(repeated[2]))
        return text.encode("latin-1" if "latin-1" in self.options else "utf-8")


ENTRIES = [Entry(**match.groupdict()) for match in _ENTRY.finditer(REFERENCE.read_text())]


def parsed(entry: Entry) -> IndexScript:
    limit = re.search(r"max_bytes=(\d+)", entry.options)
    return parse(
        entry.data,
        source="indexlist.txt",
        check_mask=check_mask,
        now=NOW,
        max_bytes=int(limit[1]) if limit else DEFAULT_MAX_BYTES,
    )


def test_every_code_has_one_entry() -> None:
    codes = [entry.code for entry in ENTRIES]
    assert len(codes) == len(set(codes))
    assert set(codes) == set(Code) | PLANNED | FILE_FAILURES
    assert len(codes) == REFERENCE.read_text().count("\n### ")


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ENTRIES if entry.code not in PLANNED | FILE_FAILURES],
    ids=lambda entry: entry.code,
)
def test_each_example_gives_its_diagnostic_and_no_other(entry: Entry) -> None:
    found = {(d.code, str(d.severity)) for d in parsed(entry).diagnostics}
    if "*" in entry.options:  # what there is too much of is found as well
        found -= {("bad-url", "error"), ("keyword-twice", "warning")}
    assert found == {(entry.code, entry.severity)}


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ENTRIES if entry.code in PLANNED],
    ids=lambda entry: entry.code,
)
def test_each_example_for_a_site_gives_its_diagnostic_and_no_other(entry: Entry) -> None:
    script = read_script(entry.data, source="indexlist.txt", now=NOW, hosts=HOSTS)
    plan = make_plan(select(script, watermark=None, window=None, now=NOW), None, now=NOW)
    found = {(d.code, str(d.severity)) for d in plan.diagnostics}
    assert found == {(entry.code, entry.severity)}


@pytest.mark.parametrize(
    "entry",
    [entry for entry in ENTRIES if entry.code in FILE_FAILURES],
    ids=lambda entry: entry.code,
)
def test_each_file_that_is_refused_gives_its_code(entry: Entry) -> None:
    with pytest.raises(ScriptError) as raised:
        parsed(entry)
    assert raised.value.code == entry.code
    assert entry.severity == Severity.ERROR
    assert not isinstance(raised.value, ScriptUnreachableError)
