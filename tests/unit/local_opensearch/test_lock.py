from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_opensearch.lock import LOCK_PATH, Jar, Lock, read_lock, sha256_of, total_size
from local_opensearch.pins import MODULES, ROOTS, VERSION, folder_of

WORD = st.text("ab.-1", min_size=1, max_size=5)
JARS = st.builds(
    Jar,
    coordinate=st.tuples(WORD, WORD, WORD).map(":".join),
    sha256=st.text("0123456789abcdef", min_size=8, max_size=8),
    size=st.integers(0, 10**9),
    folder=st.sampled_from(("lib", "modules/reindex")),
)


def test_the_committed_lock_pins_each_root() -> None:
    lock = read_lock()
    assert lock.version == VERSION
    assert set(ROOTS) <= {jar.coordinate for jar in lock.jars}


def test_the_committed_lock_is_as_it_would_be_written() -> None:
    assert read_lock().as_text() == LOCK_PATH.read_text(encoding="utf-8")


def test_each_pinned_jar_is_recognisable_and_in_its_folder() -> None:
    for jar in read_lock().jars:
        assert re.fullmatch(r"[0-9a-f]{64}", jar.sha256), jar
        assert jar.size > 0, jar
        assert jar.folder == folder_of(jar.coordinate.split(":")[1]), jar


def test_no_two_pinned_jars_have_one_name() -> None:
    names = [jar.name for jar in read_lock().jars]
    assert len(names) == len(set(names))


def test_each_module_has_a_jar() -> None:
    folders = {jar.folder for jar in read_lock().jars}
    assert folders == {"lib", *(module.folder for module in MODULES)}


def test_the_package_names_no_host() -> None:
    for file in LOCK_PATH.parent.iterdir():
        if file.suffix in (".py", ".json"):
            hosts = re.findall(r"https?://([\w.-]+)", file.read_text(encoding="utf-8"))
            assert set(hosts) <= {"127.0.0.1"}, file


@given(jars=st.lists(JARS, max_size=5, unique_by=lambda jar: jar.coordinate), data=st.data())
def test_order_does_not_matter_and_text_reads_back(jars: list[Jar], data: st.DataObject) -> None:
    lock = Lock("1", tuple(jars))
    other = Lock("1", tuple(data.draw(st.permutations(jars))))
    assert lock.digest == other.digest
    assert total_size(lock.jars) == total_size(other.jars)


@given(jars=st.lists(JARS, min_size=1, max_size=3, unique_by=lambda jar: jar.coordinate))
def test_the_digest_changes_with_a_checksum(jars: list[Jar]) -> None:
    first = jars[0]
    changed = Jar(first.coordinate, first.sha256[::-1] + "0", first.size, first.folder)
    assert Lock("1", (changed, *jars[1:])).digest != Lock("1", tuple(jars)).digest


def test_a_lock_reads_back(tmp_path: Path) -> None:
    lock = Lock("1", (Jar("g:a:1", "0" * 64, 3, "lib"),))
    path = tmp_path / "lock.json"
    path.write_text(lock.as_text(), encoding="utf-8")
    assert read_lock(path) == lock
    assert lock.jars[0].name == "a-1.jar"
    assert lock.jars[0].path == Path("lib/a-1.jar")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"opensearch": "1", "jars": [{"x": 1}]}'])
def test_another_form_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "lock.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, KeyError, TypeError)):
        read_lock(path)


def test_checksums_are_those_of_the_content(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert sha256_of(path) == hashlib.sha256(b"abc").hexdigest()
