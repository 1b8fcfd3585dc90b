from __future__ import annotations

from pathlib import Path

import pytest

from local_opensearch.errors import JavaUnusableError
from local_opensearch.installation import Installation
from local_opensearch.java import bundled_java, home_property, node_command, require_working


def program(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_the_bundled_java_runs() -> None:
    require_working(bundled_java())


def test_a_missing_java_is_named(tmp_path: Path) -> None:
    with pytest.raises(JavaUnusableError, match=r"none: .*No such file"):
        require_working(tmp_path / "none")


def test_a_java_of_another_machine_is_named(tmp_path: Path) -> None:
    java = program(tmp_path / "java", "\x7fELF and then nothing")
    with pytest.raises(JavaUnusableError, match="Exec format error"):
        require_working(java)


def test_what_a_failing_java_says_is_passed_on(tmp_path: Path) -> None:
    java = program(tmp_path / "java", "#!/bin/sh\necho libz.so.1 is missing >&2\nexit 127\n")
    with pytest.raises(JavaUnusableError, match=r"libz\.so\.1 is missing") as caught:
        require_working(java)
    assert caught.value.context["java"] == str(java)


def test_the_command_names_home_heap_and_class_path(tmp_path: Path) -> None:
    home = tmp_path / "a home"
    command = node_command(Path("/j"), Installation(tmp_path / "i"), home, 700, ("-XX:Extra",))
    assert command[0] == "/j"
    assert {"-Xms700m", "-Xmx700m", "-XX:Extra", home_property(home)} <= set(command)
    assert command[-3:] == ["-cp", f"{tmp_path}/i/lib/*", "org.opensearch.bootstrap.OpenSearch"]
