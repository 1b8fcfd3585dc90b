"""What of other libraries' messages reaches a task's log."""

from __future__ import annotations

import logging

# They report each request of their own at level INFO; ours say what came of them.
_CHATTY = ("opensearch", "urllib3", "pypdf")


def quiet_libraries() -> None:
    """Leave only errors of chatty libraries in this process's log."""
    for name in _CHATTY:
        logging.getLogger(name).setLevel(logging.ERROR)
