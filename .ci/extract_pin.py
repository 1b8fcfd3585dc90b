"""Print one package's entry (version and hashes) of a lock file: ``extract_pin.py NAME FILE``."""

import re
import sys
from pathlib import Path

name, lock = sys.argv[1:]
entry = re.search(
    rf"^{re.escape(name)}==.*?(?=^[a-z0-9]|\Z)", Path(lock).read_text(), re.MULTILINE | re.DOTALL
)
if entry is None:
    sys.exit(f"{lock} holds no entry for {name}")
sys.stdout.write(entry[0])
