"""``python -m local_stack demo [--once]``: what ``make demo`` runs."""

from __future__ import annotations

import argparse
import signal
import sys

from local_stack.demo import demo
from site_indexer.errors import SiteIndexerError

INTERRUPTED = 130


def main() -> int:
    """Run the demo; 0 only if all it shows was true."""
    parser = argparse.ArgumentParser(prog="make demo")
    parser.add_argument("what", choices=["demo"])
    parser.add_argument("--once", action="store_true", help="end by itself")
    arguments = parser.parse_args()
    # A SIGTERM ends the demo as Ctrl-C does, also where a shell ignores that for what it runs in
    # the background: everything it started is stopped.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        demo(once=arguments.once)
    except SiteIndexerError as error:
        sys.stderr.write(f"error: {error}\n")
        return error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
