from __future__ import annotations

from pathlib import Path

import pytest

from local_opensearch.errors import CacheError, ChecksumError
from local_opensearch.installation import MARK, check, install, is_complete
from local_opensearch.lock import Jar, Lock, sha256_of


@pytest.fixture
def complete(tmp_path: Path) -> tuple[Path, Lock]:
    root = tmp_path / "opensearch"
    file = root / "lib" / "a-1.jar"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"abc")
    lock = Lock("1", (Jar("g:a:1", sha256_of(file), 3, "lib"),))
    (root / MARK).write_text(lock.digest)
    return root, lock


def test_what_is_complete_is_used_as_it_is(complete: tuple[Path, Lock]) -> None:
    root, lock = complete
    installation = install(root, lock)
    assert installation.class_path == f"{root}/lib/*"
    assert installation.modules == root / "modules"
    assert [entry.name for entry in root.parent.iterdir()] == [root.name]


def test_it_is_incomplete_without_mark_jar_or_its_end(complete: tuple[Path, Lock]) -> None:
    root, lock = complete
    assert is_complete(root, lock)
    (root / "lib" / "a-1.jar").write_bytes(b"ab")
    assert not is_complete(root, lock)
    (root / "lib" / "a-1.jar").unlink()
    assert not is_complete(root, lock)
    (root / MARK).unlink()
    assert not is_complete(root, lock)


def test_it_is_outdated_when_the_lock_changes(complete: tuple[Path, Lock]) -> None:
    root, lock = complete
    assert not is_complete(root, Lock("2", lock.jars))


def test_another_file_is_named_with_both_checksums_and_the_way_out(tmp_path: Path) -> None:
    file = tmp_path / "a-1.jar"
    file.write_bytes(b"changed")
    with pytest.raises(ChecksumError) as caught:
        check(Jar("g:a:1", "0" * 64, 7, "lib"), file, tmp_path / "cache")
    for part in ("a-1.jar", "g:a:1", "0" * 64, sha256_of(file)):
        assert part in caught.value.message
    assert f"Delete {tmp_path}/cache" in caught.value.hint
    assert caught.value.exit_status == 3


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CacheError, match="File exists") as caught:
        install(tmp_path / "file" / "opensearch", Lock("1", (Jar("g:a:1", "0", 1, "lib"),)))
    assert "SITE_INDEXER_CACHE" in caught.value.hint
