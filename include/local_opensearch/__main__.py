"""``python -m local_opensearch start|stop|status|reset``: the local node without the product."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from local_opensearch import command
from local_opensearch.node import START_WAIT_S
from local_opensearch.places import HEAP_VARIABLE, PORT_VARIABLE
from site_indexer.errors import SiteIndexerError

INTERRUPTED = 130


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = argparse.ArgumentParser("python -m local_opensearch", description=__doc__)
    commands = top.add_subparsers(dest="command", required=True)
    for name, text in (
        ("start", "start the node; it lives on after this command"),
        ("stop", "end the node"),
        ("status", "say how the node is"),
        ("reset", "end the node and delete its data"),
    ):
        one = commands.add_parser(name, help=text)
        one.add_argument("--home", type=Path, help="folder of its data, configuration and logs")
        one.add_argument("--format", choices=("text", "json"), default="text")
        if name == "start":
            one.add_argument("--port", type=int, help=f"HTTP port, 0 for any ({PORT_VARIABLE})")
            one.add_argument("--heap-mb", type=int, help=f"Java heap ({HEAP_VARIABLE})")
            one.add_argument("--wait", type=float, default=START_WAIT_S, metavar="SECONDS")
    return top


def run(arguments: argparse.Namespace) -> command.Document:
    """Run the command that the arguments name."""
    if arguments.command == "start":
        return command.start(arguments.home, arguments.port, arguments.heap_mb, arguments.wait)
    simple = {"stop": command.stop, "status": command.status, "reset": command.reset}
    return simple[arguments.command](arguments.home)


def main(words: Sequence[str] | None = None) -> int:
    """Run one command; its exit status (docs/spec/08-shell.md, *Exit status*)."""
    arguments = parser().parse_args(words)
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
    as_json = arguments.format == "json"
    try:
        document = run(arguments)
    except SiteIndexerError as error:
        if as_json:
            sys.stdout.write(json.dumps({"error": error.as_json()}) + "\n")
        else:
            sys.stderr.write(f"{error}\n")
        return error.exit_status
    except KeyboardInterrupt:
        return INTERRUPTED
    sys.stdout.write((json.dumps(document) if as_json else command.as_text(document)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
