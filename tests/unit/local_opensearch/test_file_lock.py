from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from local_opensearch import file_lock

TRY = "import fcntl, sys\nfcntl.flock(open(sys.argv[1], 'a'), fcntl.LOCK_EX | fcntl.LOCK_NB)\n"


def is_free(path: Path) -> bool:
    found = subprocess.run([sys.executable, "-c", TRY, str(path)], capture_output=True, check=False)
    assert found.returncode == 0 or b"BlockingIOError" in found.stderr, found.stderr
    return found.returncode == 0


def test_another_process_waits_until_it_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "new" / "lock"
    with file_lock.exclusive(path):
        assert not is_free(path)
    assert is_free(path)
