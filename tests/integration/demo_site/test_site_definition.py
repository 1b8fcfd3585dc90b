"""The demo's site definition and its script, as the product's own parser and planner read them."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from demo_site.expected import after_run
from demo_site.script import FIRST_RUN, first_script
from demo_site.state import DEFAULT_PORT
from site_indexer.indexing.site_view import view_of
from site_indexer.masks import Outcome
from site_indexer.planning.folding import make_plan
from site_indexer.planning.model import Plan
from site_indexer.planning.reading import read_script
from site_indexer.planning.rules import rules_of_blocks
from site_indexer.planning.selection import select
from site_indexer.sites.loader import load_site

DEFINITION = load_site(Path(__file__).parents[3] / "include" / "sites" / "demo.yaml")
BASE = f"http://127.0.0.1:{DEFAULT_PORT}"
NOW = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)
SITE = view_of(DEFINITION)


@pytest.fixture(scope="module")
def plan() -> Plan:
    script = read_script(first_script(BASE).encode(), "indexlist.txt", NOW, SITE.hosts)
    return make_plan(select(script, watermark=None, window=None, now=NOW), SITE, NOW)


def test_the_definition_is_that_of_the_default_server() -> None:
    assert DEFINITION.id == "demo"
    assert SITE.entry_points == (f"{BASE}/",)
    assert str(DEFINITION.script.url) == f"{BASE}/indexlist.txt"


def test_a_first_run_takes_every_block_without_a_warning(plan: Plan) -> None:
    assert plan.diagnostics == ()
    assert plan.dropped == ()
    assert plan.watermark_after == FIRST_RUN
    assert [step.action.value for step in plan.steps] == ["delete", "deletemask", "add", "update"]


def test_a_block_lets_each_expected_document_and_alias_in(plan: Plan) -> None:
    rules = rules_of_blocks(plan, SITE)
    let_in = {Outcome.INCLUDE, Outcome.DEPENDS}
    for url, document in after_run(BASE).documents.items():
        for name in (url, *document.aliases):
            assert any(block.judge(name).outcome in let_in for block in rules.values()), name


@pytest.mark.parametrize(
    "path",
    ["/docs/tides-2025.csv", "/docs/tides-2025.zip", "/en/visit/opening-hours.html?session=8f2a"],
)
def test_what_rules_leave_out_is_not_let_in_by_a_block_that_reaches_it(
    plan: Plan, path: str
) -> None:
    # The first block crawls; the later ones of the English pages are nofollow and reach no links.
    assert rules_of_blocks(plan, SITE)[0].judge(BASE + path).outcome is Outcome.EXCLUDE
