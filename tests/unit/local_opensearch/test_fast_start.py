from __future__ import annotations

from pathlib import Path

import pytest

from local_opensearch import fast_start
from local_opensearch.errors import JavaUnusableError
from local_opensearch.installation import Installation

ONLY_SAYS_ITS_VERSION = '#!/bin/sh\necho "$1" >> {calls}\n[ "$1" = -version ]\n'


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    (tmp_path / "opensearch").mkdir()
    return Installation(tmp_path / "opensearch")


def java_program(home: Path, text: str) -> Path:
    """A ``java`` in a runtime of its own."""
    java = home / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(text)
    java.chmod(0o755)
    return java


def test_what_was_prepared_is_used(installation: Installation, tmp_path: Path) -> None:
    java = java_program(tmp_path / "runtime", ONLY_SAYS_ITS_VERSION.format(calls="/dev/null"))
    fast_start.options(installation, java, 512)
    (archive,) = installation.root.iterdir()
    archive.write_text("stored")
    assert f"-XX:AOTCache={archive}" in fast_start.options(installation, java, 512)


def test_a_java_that_cannot_store_classes_is_asked_once(
    installation: Installation, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    java = java_program(tmp_path / "runtime", ONLY_SAYS_ITS_VERSION.format(calls=calls))
    assert fast_start.options(installation, java, 512) == ()
    asked = calls.read_text()
    assert "-Xms512m" in asked
    assert fast_start.options(installation, java, 512) == ()
    assert calls.read_text() == asked
    assert [entry.suffix for entry in installation.root.iterdir()] == [".aot"]


def test_each_java_runtime_has_its_own(installation: Installation, tmp_path: Path) -> None:
    for name in ("one", "two"):
        program = ONLY_SAYS_ITS_VERSION.format(calls="/dev/null")
        fast_start.options(installation, java_program(tmp_path / name, program), 512)
    assert len(list(installation.root.iterdir())) == 2


@pytest.mark.parametrize("program", ["#!/bin/sh\nexit 1\n", "\x7fELF and then nothing"])
def test_a_java_that_does_not_run_is_an_error_and_leaves_nothing(
    installation: Installation, tmp_path: Path, program: str
) -> None:
    java = java_program(tmp_path / "runtime", program)
    with pytest.raises(JavaUnusableError):
        fast_start.options(installation, java, 512)
    assert list(installation.root.iterdir()) == []


def test_what_a_killed_preparation_left_is_removed(
    installation: Installation, tmp_path: Path
) -> None:
    (installation.root / "prepare-abc" / "home").mkdir(parents=True)
    java = java_program(tmp_path / "runtime", ONLY_SAYS_ITS_VERSION.format(calls="/dev/null"))
    fast_start.options(installation, java, 512)
    assert [entry.suffix for entry in installation.root.iterdir()] == [".aot"]


def test_a_cache_that_others_own_is_used_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    java = java_program(tmp_path / "runtime", "#!/bin/sh\nexit 1\n")
    assert fast_start.options(Installation(tmp_path / "file" / "opensearch"), java, 512) == ()
