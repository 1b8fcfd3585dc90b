"""The mutable part of the site: which changes were made, and its index script.

Two files in a state directory, each replaced as a whole: ``state.json`` and ``indexlist.txt``.
The script is a plain file with real URLs, so that a person can edit it; it keeps the base URL it
was written for, and a server on another port puts its own in while answering.
"""

from __future__ import annotations

import fcntl
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from demo_site import script
from demo_site.errors import StateUnusableError

DEFAULT_PORT = 8300
_STATE, _SCRIPT, _LOCK = "state.json", "indexlist.txt", ".lock"


@dataclass(frozen=True, slots=True)
class State:
    """What is remembered of a site.

    ``changes`` are the UTC instants of the changes made so far, oldest first; the first is change
    1. ``base_url`` is the one written in the script file.
    """

    base_url: str
    changes: tuple[datetime, ...] = field(default=())


def default_state_directory() -> Path:
    """``$SITE_INDEXER_STATE/demo-site``; without the variable, ``.state`` of the project."""
    root = os.environ.get("SITE_INDEXER_STATE") or Path(__file__).parents[2] / ".state"
    return Path(root) / "demo-site"


class StateDirectory:
    """Reads and writes a state directory. All methods raise StateUnusableError."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self, base_url: str) -> None:
        """Create the directory and the first script where they are missing."""
        with self.locked():
            if not (self.path / _STATE).exists():
                self.write(State(base_url))
            if not (self.path / _SCRIPT).exists():
                self.write_script(script.first_script(self.read().base_url), script.FIRST_RUN)

    def read(self) -> State:
        """The state; of a directory without one, that of a site never changed."""
        path = self.path / _STATE
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            changes = tuple(datetime.fromisoformat(text) for text in data["changes"])
            return State(data["base_url"], changes)
        except FileNotFoundError:
            return State("")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise self._unusable(path, error) from error

    def write(self, state: State) -> None:
        """Replace the state."""
        data = {
            "base_url": state.base_url,
            "changes": [moment.isoformat() for moment in state.changes],
        }
        self._replace(_STATE, json.dumps(data, indent=1) + "\n")

    def version(self) -> tuple[int, int]:
        """Another value after each :meth:`write`, cheap to ask for at every request."""
        try:
            found = (self.path / _STATE).stat()
        except FileNotFoundError:
            return (0, 0)
        except OSError as error:
            raise self._unusable(self.path / _STATE, error) from error
        return (found.st_mtime_ns, found.st_ino)

    def read_script(self) -> tuple[str, datetime]:
        """The text of the index script and the UTC time of its last modification."""
        path = self.path / _SCRIPT
        try:
            with path.open(encoding="utf-8", errors="surrogateescape", newline="") as stream:
                seconds = int(os.fstat(stream.fileno()).st_mtime)
                return stream.read(), datetime.fromtimestamp(seconds, tz=UTC)
        except OSError as error:
            raise self._unusable(path, error) from error

    def write_script(self, text: str, modified: datetime) -> None:
        """Replace the index script; ``modified`` becomes its time, so answers are repeatable."""
        self._replace(_SCRIPT, text, modified)

    def reset(self) -> None:
        """Forget all changes and the script: the site is again as first published."""
        if not self.path.exists():
            return
        with self.locked():
            for name in (_STATE, _SCRIPT):
                try:
                    (self.path / name).unlink(missing_ok=True)
                except OSError as error:
                    raise self._unusable(self.path / name, error) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other processes that change the state waiting."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = (self.path / _LOCK).open("w")
        except OSError as error:
            raise self._unusable(self.path, error) from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _replace(self, name: str, text: str, modified: datetime | None = None) -> None:
        try:
            handle, temporary = tempfile.mkstemp(dir=self.path, prefix=f".{name}.")
            with open(handle, "w", encoding="utf-8", errors="surrogateescape", newline="") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            if modified is not None:
                os.utime(temporary, (modified.timestamp(), modified.timestamp()))
            Path(temporary).replace(self.path / name)
        except OSError as error:
            raise self._unusable(self.path / name, error) from error

    def _unusable(self, path: Path, error: Exception) -> StateUnusableError:
        return StateUnusableError(
            f"The demo site's state {path} cannot be used: {error}.",
            hint="Name a directory that can be written with --state, or start afresh with "
            "`python -m demo_site reset`.",
            path=str(path),
        )
