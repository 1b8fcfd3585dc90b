"""Rules alone start no crawl (docs/spec/02-urls-and-masks.md, 2.8)."""

from __future__ import annotations

import pytest

from site_indexer.index_script.model import Severity
from tests.unit.planning.test_folding import codes, plan_of


def test_the_plan_warns_at_the_first_rule_of_a_block_that_crawls_nothing() -> None:
    plan = plan_of("deletemask *.tmp\nexclude *.tmp\nexclude-days 3 *.bak", "add https://h/a")
    (found,) = plan.diagnostics
    assert (found.code, found.severity) == ("rules-unused", Severity.WARNING)
    assert (found.line, found.column, found.text) == (3, 1, "exclude *.tmp")
    assert "`masks`" in found.hint
    assert plan.processable


@pytest.mark.parametrize(
    "block",
    ["exclude *.tmp\nadd https://h/", "exclude *.tmp\nupdate https://h/", "delete https://h/"],
)
def test_it_does_not_where_something_crawls_or_there_is_no_rule(block: str) -> None:
    assert codes(plan_of(block)) == []
