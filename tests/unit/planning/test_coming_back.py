"""A block that deletes what it lets in again (docs/spec/03-planning.md, 3.6)."""

from __future__ import annotations

import pytest

from site_indexer.index_script.model import Action, Command, Severity
from site_indexer.planning.model import Plan
from site_indexer.urls.kinds import MaskKind
from tests.unit.planning.test_folding import Site, plan_of


def warned(plan: Plan) -> list[tuple[int, str]]:
    return [(d.line, d.message) for d in plan.diagnostics if d.code == "delete-undone"]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("delete https://h/a\nadd https://h/a", "line 2 deletes a URL that line 3 adds"),
        ("add https://h/a nofollow\ndelete HTTPS://H/a", "line 3 deletes a URL that line 2 adds"),
        ("delete https://h/a/b\nadd https://h/a", "deletes a URL that line 3 may bring back"),
        ("delete https://h/a/b\nupdate https://h/", "deletes a URL that line 3 may bring back"),
        ("delete https://h/a.pdf\nupdate *.pdf", "deletes a URL that line 3 may bring back"),
        ("delete https://h/a\nupdate regexp /a$", "deletes a URL that line 3 may bring back"),
        ("delete https://h/x https://h/a\nadd https://h/a", "deletes a URL that line 3 adds"),
        ("deletemask https://h/a/\nadd https://h/", "deletes documents that line 3 may bring back"),
        ("deletemask https://h/a/*.pdf\nupdate *.pdf", "documents that line 3 may bring back"),
        ("exclude-days 9 *\ndelete https://h/a/b\nadd https://h/a", "URL that line 4 may bring"),
    ],
)  # fmt: skip
def test_the_plan_warns(block: str, message: str) -> None:
    ((line, found),) = warned(plan_of(block))
    assert message in found
    assert found.startswith(f"line {line} ")


@pytest.mark.parametrize(
    "block",
    [
        "delete https://h/a",
        "delete https://h/a\nadd https://h/b",
        "delete https://h/a/b\nadd https://h/a nofollow",
        "delete https://h/a\nupdate https://h/a nofollow",
        "delete https://h/a\nadd https://h/a noindex nofollow",
        "delete https://h/a\nexclude https://h/a\nupdate https://h/",
        "deletemask https://h/a/\nexclude https://h/a/\nadd https://h/",
        "deletemask https://h/\nadd https://h/",
        "deletemask https://h/\nadd https://h/a/",
        "deletemask regexp a$\nadd https://h/",
    ],
)
def test_it_does_not_where_nothing_tells_that_it_comes_back(block: str) -> None:
    assert warned(plan_of(block)) == []


def test_rebuilding_a_folder_is_no_mistake() -> None:
    """Deleting and adding the same again is how an owner starts a folder afresh."""
    assert warned(plan_of("deletemask https://h/a/\nadd https://h/a/")) == []


def test_another_block_is_another_matter() -> None:
    assert warned(plan_of("delete https://h/a", "add https://h/a")) == []
    assert warned(plan_of("add https://h/a", "delete https://h/a")) == []


def test_what_the_site_excludes_does_not_come_back() -> None:
    exclude = Command(1, Action.EXCLUDE, mask="*.zip", mask_kind=MaskKind.WILDCARD)
    block = "delete https://h/a.zip\nupdate https://h/"
    assert warned(plan_of(block, site=Site(masks=(exclude,)))) == []


def test_the_warning_shows_the_url_and_drops_nothing() -> None:
    plan = plan_of("delete https://h/x https://h/a\nadd https://h/a")
    (found,) = plan.diagnostics
    assert found.severity is Severity.WARNING
    assert found.text[found.column - 1 :] == "https://h/a"
    assert found.hint
    assert plan.dropped == ()
