"""The documentation is whole: links lead somewhere, citations exist, reasons are given."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CITATION = re.compile(r"docs/[\w/.-]+\.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_to_files_of_the_project_lead_somewhere(page: Path) -> None:
    targets = [target.split("#")[0] for target in LINK.findall(page.read_text())]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


def test_every_page_that_code_and_tests_cite_exists() -> None:
    missing = {
        f"{path.relative_to(ROOT)} cites {cited}"
        for folder in ("include", "dags", "plugins", "tests", "benchmarks")
        for path in (ROOT / folder).rglob("*.py")
        for cited in CITATION.findall(path.read_text())
        if not (ROOT / cited).exists()
    }
    assert missing == set()


def test_every_decision_is_in_the_list_of_decisions() -> None:
    listed = LINK.findall((ROOT / "docs/adr/README.md").read_text())
    assert listed == sorted(path.name for path in (ROOT / "docs/adr").glob("0*.md"))


def test_every_direct_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    requirements = [*project["project"]["dependencies"]]
    for group in project["dependency-groups"].values():
        requirements += group
    named = {re.split(r"[=<>\[]", requirement)[0] for requirement in requirements}
    text = (ROOT / "docs/dependencies.md").read_text()
    reasons = {
        name
        for row in re.findall(r"^\| (`.+?`) \|", text, re.MULTILINE)
        for name in re.findall(r"`([^`]+)`", row)
    }
    assert reasons == named


def test_make_help_lists_every_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^\.PHONY: (\S+)", makefile, re.MULTILINE))
    shown = subprocess.run(
        ["make", "--no-print-directory", "help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    listed = set(re.findall(r"^\s+(?:\x1b\[1m)?([a-z-]+)", shown, re.MULTILINE))
    assert listed == targets
