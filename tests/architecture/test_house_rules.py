"""The rules of the house that no other tool checks (docs/architecture.md)."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_CODE_LINES = 300
MAX_REGISTRATION_LINES = 60
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc", "stuff", "tools"}
MODULES = sorted(
    path for folder in ("include", "dags", "plugins") for path in (ROOT / folder).rglob("*.py")
)


def tracked_text_files() -> Iterator[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    for name in listed.stdout.decode().split("\0"):
        path = ROOT / name
        if name and path.is_file() and path.suffix not in {".png", ".pdf", ".ico", ".woff2"}:
            yield path


def code_lines(source: str) -> int:
    """Lines that hold code: no blank lines, comments or docstrings."""
    lines: set[int] = set()
    previous = tokenize.INDENT
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        statement_start = previous in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        is_docstring = token.type == tokenize.STRING and statement_start
        if token.type in (tokenize.COMMENT, tokenize.NL):
            continue
        if not is_docstring and token.string.strip():
            lines.update(range(token.start[0], token.end[0] + 1))
        previous = token.type
    return len(lines)


def test_code_lines_counts_neither_comments_nor_docstrings() -> None:
    assert code_lines('"""Doc.\n\nMore."""\n\n# why\nx = (\n    1\n)\n') == 3


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_modules_are_small_and_named_for_what_they_do(path: Path) -> None:
    registration = path.is_relative_to(ROOT / "dags") or path.is_relative_to(ROOT / "plugins")
    limit = MAX_REGISTRATION_LINES if registration else MAX_CODE_LINES
    count = len(path.read_text().splitlines()) if registration else code_lines(path.read_text())
    assert count <= limit, f"{path.relative_to(ROOT)} has {count} lines, {limit} are allowed"
    assert path.stem not in VAGUE_NAMES


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    result = subprocess.run(
        command,
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT / "include"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_locks_pin_every_package_with_hashes_and_name_no_registry() -> None:
    for name in (
        "requirements.txt",
        "requirements-dev.txt",
        "benchmarks/crawl/requirements.txt",
    ):
        text = (ROOT / name).read_text()
        requirements = re.findall(r"^[a-z0-9][^\s#]*==[^\s;]+", text, re.MULTILINE)
        assert len(requirements) > 50, name
        entries = re.split(r"\n(?=[a-z0-9])", text)
        unhashed = [e.split()[0] for e in entries if "==" in e and "--hash=sha256:" not in e]
        assert unhashed == [], name
        assert "://" not in text, name


def test_no_file_names_a_package_registry() -> None:
    hosts = re.compile("|".join(("py" + r"pi\.org", "python" + r"hosted\.org", "maven" + r"\.org")))
    found = [
        str(path.relative_to(ROOT))
        for path in tracked_text_files()
        if hosts.search(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []
