"""The installed OpenSearch: the pinned jars, checked and laid out, in a cache folder.

The folder is complete or not there: it is built beside itself and renamed. Its mark holds the
digest of the lock file, so a later start compares one line and the sizes, and touches no network.
"""

from __future__ import annotations

import logging
import shutil
from dataclasses import dataclass
from pathlib import Path

from local_opensearch import file_lock
from local_opensearch.errors import CacheError, ChecksumError
from local_opensearch.lock import Jar, Lock, read_lock, sha256_of, total_size
from local_opensearch.pins import CLASS_PATH_FOLDER, MODULES

MARK = "lock.sha256"

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Installation:
    """A complete installation in ``root``."""

    root: Path

    @property
    def class_path(self) -> str:
        """What ``java -cp`` takes."""
        return str(self.root / CLASS_PATH_FOLDER / "*")

    @property
    def modules(self) -> Path:
        """The folder of OpenSearch's modules."""
        return self.root / "modules"


def install(root: Path, lock: Lock | None = None) -> Installation:
    """The installation in ``root``, downloaded first if it is missing, incomplete or outdated.

    Safe to call from several processes at once: one downloads, the others wait for it.
    Raises :class:`~local_opensearch.errors.DownloadError`, :class:`ChecksumError` or
    :class:`CacheError`.
    """
    lock = lock or read_lock()
    if is_complete(root, lock):
        return Installation(root)
    try:
        with file_lock.exclusive(lock_path(root)):
            if not is_complete(root, lock):
                _build(root, lock)
    except OSError as error:
        raise CacheError(
            f"OpenSearch cannot be kept in {root}: {error.strerror or error}.",
            hint="Choose another folder with SITE_INDEXER_CACHE.",
            cache=str(root),
        ) from error
    return Installation(root)


def lock_path(root: Path) -> Path:
    """File that a process holds while it writes into ``root``."""
    return root.with_name(root.name + ".lock")


def is_complete(root: Path, lock: Lock) -> bool:
    """Whether ``root`` was built from this very lock and no jar was lost or cut since."""
    try:
        mark = (root / MARK).read_text(encoding="ascii")
        return mark == lock.digest and all(
            (root / jar.path).stat().st_size == jar.size for jar in lock.jars
        )
    except OSError:
        return False


def _build(root: Path, lock: Lock) -> None:
    """Download into a folder beside ``root`` and put it in its place."""
    # It brings an HTTP client along, which every other start can do without.
    from local_opensearch.maven import fetch  # noqa: PLC0415

    new = root.with_name(root.name + ".part")
    # Jars checked by an earlier try that broke off are kept: their checksum says what they are.
    missing = [jar for jar in lock.jars if not _is_right(jar, new / jar.path)]
    log.info("Downloading OpenSearch %s: %d MB", lock.version, total_size(missing) // 1_000_000)
    arriving = new / "arriving"
    shutil.rmtree(arriving, ignore_errors=True)
    _remove_strays(new, lock)

    def accept(jar: Jar, file: Path) -> None:
        check(jar, file, root)
        (new / jar.folder).mkdir(parents=True, exist_ok=True)
        file.replace(new / jar.path)

    fetch(missing, arriving, accept)
    shutil.rmtree(arriving, ignore_errors=True)
    for module in MODULES:
        (new / module.folder).mkdir(parents=True, exist_ok=True)
        descriptor = new / module.folder / "plugin-descriptor.properties"
        descriptor.write_text(module.descriptor(), encoding="ascii")
    (new / MARK).write_text(lock.digest, encoding="ascii")
    shutil.rmtree(root, ignore_errors=True)
    new.replace(root)


def check(jar: Jar, file: Path, root: Path) -> None:
    """Raise :class:`ChecksumError` unless ``file`` is the jar that the lock pins."""
    found = sha256_of(file)
    if found != jar.sha256:
        raise ChecksumError(
            f"{jar.name} ({jar.coordinate}) is not the file that is pinned:"
            f" SHA-256 expected {jar.sha256}, found {found}.",
            hint=f"Delete {root}* and start again. If it stays, whatever serves your Maven"
            " artifacts (a mirror, a proxy) changes them.",
            file=jar.name,
            expected=jar.sha256,
            found=found,
        )


def _remove_strays(new: Path, lock: Lock) -> None:
    """Remove jars that an earlier lock left: all of a folder goes on the class path."""
    wanted = {new / jar.path for jar in lock.jars}
    for file in new.rglob("*.jar"):
        if file not in wanted:
            file.unlink()


def _is_right(jar: Jar, file: Path) -> bool:
    return file.is_file() and sha256_of(file) == jar.sha256
