"""Value objects are ordinary dataclasses at run time, and frozen for the type checker."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from site_indexer.values import value_object


@value_object
class Point:
    x: int
    y: int = 0


def test_equal_ones_are_one() -> None:
    assert Point(1) == Point(1, 0) != Point(0, 1)
    assert len({Point(1), Point(1), Point(2)}) == 2


def test_others_are_made_of_it() -> None:
    assert dataclasses.replace(Point(1, 2), x=3) == Point(3, 2)


def test_it_has_no_further_attributes() -> None:
    with pytest.raises(AttributeError):
        Point(1).z = 2  # type: ignore[attr-defined]


def test_the_type_checker_refuses_assignments(tmp_path: Path) -> None:
    program = tmp_path / "assigning.py"
    program.write_text(
        "from site_indexer.values import value_object\n\n\n"
        "@value_object\nclass Point:\n    x: int\n\n\n"
        "point = Point(1)\npoint.x = 2\nPoint('a')\n"
    )
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-incremental", str(program)],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(Path(__file__).parents[2] / "include"), "PATH": ""},
        cwd=tmp_path,
    )
    assert 'Property "x" defined in "Point" is read-only' in checked.stdout
    assert "arg-type" in checked.stdout
