"""Every rule of the language, of masks and of planning has a test (docs/spec/01 to 03).

Which one is in ``rules.toml``. A rule is an item of a list, or a paragraph that introduces none.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
SPEC = TESTS.parent / "docs" / "spec"
PAGES = ("01-script-language.md", "02-urls-and-masks.md", "03-planning.md")
TABLE: dict[str, dict[str, list[str]]] = tomllib.loads((TESTS / "docs/rules.toml").read_text())

_SECTION = re.compile(r"^### ([0-9.]+) [^\n]*\n(.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_BETWEEN = re.compile(r"\n\n|\n(?=(?:\*|[0-9]\.) )")
_MARK = re.compile(r"^(?:\*|[0-9]\.) ")


def rules_of(page: str) -> Iterator[tuple[str, str]]:
    """The section and the text of each rule of a page."""
    for number, text in _SECTION.findall((SPEC / page).read_text()):
        for part in _BETWEEN.split(_CODE.sub("", text)):
            rule = " ".join(part.split())
            if rule and not rule.startswith("|") and not rule.endswith(":"):
                yield number, _MARK.sub("", rule)


RULES = [rule for page in PAGES for rule in rules_of(page)]


@pytest.mark.parametrize(("section", "rule"), RULES, ids=lambda text: text[:40])
def test_every_rule_has_a_test(section: str, rule: str) -> None:
    named = [start for start in TABLE.get(section, ()) if rule.startswith(start)]
    assert len(named) == 1, f"name the tests of this rule in tests/docs/rules.toml, under {section}"


def test_every_entry_is_of_a_rule() -> None:
    stale = [
        (section, start)
        for section, entries in TABLE.items()
        for start in entries
        if not any(rule.startswith(start) for number, rule in RULES if number == section)
    ]
    assert stale == []


def test_every_test_is_there() -> None:
    named = {test for entries in TABLE.values() for tests in entries.values() for test in tests}
    missing = []
    for test in sorted(named):
        file, _, name = test.partition("::")
        path = TESTS / file
        source = path.read_text() if path.exists() else ""
        if not re.search(rf"^\s*(?:def|class) {re.escape(name)}\b", source, re.MULTILINE):
            missing.append(test)
    assert missing == []
