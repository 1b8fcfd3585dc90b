"""The environment of the other crawlers: made from the lock beside this file, once."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).with_name("requirements.txt")


def python_of_crawlers(home: Path) -> Path:
    """The interpreter of an environment with just what the lock names, checked by its hashes."""
    wanted = hashlib.sha256(LOCK.read_bytes()).hexdigest()
    venv, stamp = home / "crawlers", home / "crawlers" / "lock.sha256"
    python = venv / "bin" / "python"
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    print("Installing the other crawlers ...", flush=True)
    subprocess.run([sys.executable, "-m", "venv", "--clear", venv], check=True)
    uv = Path(sys.executable).with_name("uv")
    install = (
        [uv, "pip", "sync", "--quiet", "--python", python, "--require-hashes", LOCK]
        if uv.exists()
        else [python, "-m", "pip", "install", "--quiet", "--require-hashes", "-r", LOCK]
    )
    subprocess.run(install, check=True)
    stamp.write_text(wanted)
    return python
