"""Writes the lock file anew: ``python -m local_opensearch.relock``.

For maintainers, after a change in :mod:`local_opensearch.pins`. Takes half a minute: every POM
that the roots lead to is read. The checksums are those of what the repository serves now, so read
the difference before it is committed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from local_opensearch.lock import LOCK_PATH, Jar, Lock, sha256_of
from local_opensearch.maven import maven_context
from local_opensearch.pins import ROOTS, VERSION, folder_of


def resolve_lock(repository: Path) -> Lock:
    """Resolve the roots with all they need at run time, download it and take its checksums.

    Jars with a classifier are left out: they are native code of transports that are not used.
    Raises what jgo raises: this is a maintainer's tool.
    """
    context = maven_context(repository)
    roots, others = context.resolver.resolve([context.create_dependency(root) for root in ROOTS])
    needed = [*roots, *(one for one in others if one.scope in ("compile", "runtime"))]
    jars = []
    for one in needed:
        if one.classifier:
            continue
        coordinate = f"{one.groupId}:{one.artifactId}:{one.version}"
        path = one.artifact.resolve()
        folder = folder_of(one.artifactId)
        jars.append(Jar(coordinate, sha256_of(path), path.stat().st_size, folder))
    return Lock(VERSION, tuple(jars))


def main() -> int:
    """Write the lock file of this package; 0."""
    with tempfile.TemporaryDirectory() as folder:
        lock = resolve_lock(Path(folder))
    LOCK_PATH.write_text(lock.as_text(), encoding="utf-8")
    sys.stdout.write(f"{len(lock.jars)} jars pinned in {LOCK_PATH}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
