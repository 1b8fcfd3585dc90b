"""The lock file: every jar of the node, by coordinate and checksum.

``opensearch.lock.json`` is a JSON object: ``opensearch`` (version) and ``jars``, a list of
``{"coordinate": "group:artifact:version", "sha256": hex, "size": bytes, "folder": path}`` sorted
by coordinate. ``folder`` is relative to the installation. :mod:`local_opensearch.relock` writes it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

LOCK_PATH = Path(__file__).with_name("opensearch.lock.json")


@dataclass(frozen=True, slots=True)
class Jar:
    """One jar: what it is, where it goes, how it is recognised (SHA-256 and size in bytes)."""

    coordinate: str
    sha256: str
    size: int
    folder: str

    @property
    def name(self) -> str:
        """File name, as Maven forms it: ``artifact-version.jar``."""
        _, artifact, version = self.coordinate.split(":")
        return f"{artifact}-{version}.jar"

    @property
    def path(self) -> Path:
        """Path relative to the installation."""
        return Path(self.folder, self.name)


@dataclass(frozen=True, slots=True)
class Lock:
    """All jars of one version, and the digest that changes when any of them does."""

    version: str
    jars: tuple[Jar, ...]

    @property
    def digest(self) -> str:
        """SHA-256 of the lock's text."""
        return hashlib.sha256(self.as_text().encode()).hexdigest()

    def as_text(self) -> str:
        """The file's text: the same for the same jars, in whatever order they were found."""
        jars = [asdict(jar) for jar in sorted(self.jars, key=lambda jar: jar.coordinate)]
        return json.dumps({"opensearch": self.version, "jars": jars}, indent=1) + "\n"


def read_lock(path: Path = LOCK_PATH) -> Lock:
    """The lock in ``path``. Raises ``ValueError``, ``KeyError`` or ``TypeError`` if it is none."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Lock(content["opensearch"], tuple(Jar(**jar) for jar in content["jars"]))


def sha256_of(path: Path) -> str:
    """SHA-256 of a file, in lower-case hex digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def total_size(jars: Iterable[Jar]) -> int:
    """Bytes of these jars together."""
    return sum(jar.size for jar in jars)
