"""The commands ``serve``, ``change`` and ``reset`` of the demo site."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from demo_site import changes, server
from demo_site.server import HOST, SCRIPT_PATH
from demo_site.state import DEFAULT_PORT, default_state_directory
from site_indexer.errors import SiteIndexerError

INTERRUPTED = 130


def serve(*, port: int = DEFAULT_PORT, state_dir: Path | None = None) -> int:
    """Serve the site in the foreground until interrupted; the exit status is 130 then.

    Port 0 takes a free one. Raises PortTakenError, StateUnusableError.
    """
    directory = state_dir or default_state_directory()

    def announce(url: str) -> None:
        _say(f"The demo site answers at {url}/ and its script at {url}{SCRIPT_PATH}")
        _say(f"Its state is in {directory}. Stop with Ctrl-C.")

    try:
        server.serve(directory, port, announce=announce)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def change(
    *,
    port: int = DEFAULT_PORT,
    state_dir: Path | None = None,
    now: datetime | None = None,
    as_json: bool = False,
) -> int:
    """Make the next change of the site and say what it was; ``now`` is aware, default the clock.

    Raises StateUnusableError.
    """
    made = changes.change(
        state_dir or default_state_directory(),
        f"http://{HOST}:{port}",
        now or datetime.now(UTC),
    )
    if as_json:
        _say(json.dumps(made.as_json(), ensure_ascii=False))
        return 0
    _say(f"Change {made.number}, dated {made.as_json()['date']}: script line {made.block_line}")
    for verb, urls in (("added", made.added), ("updated", made.updated)):
        for url in urls:
            _say(f"  {verb:8} {url}")
    for url in made.deleted:
        _say(f"  deleted  {url} (answers {made.deleted_status})")
    return 0


def reset(*, state_dir: Path | None = None) -> int:
    """Undo all changes; a server that runs goes back to the first pages at its next request.

    Raises StateUnusableError.
    """
    directory = state_dir or default_state_directory()
    changes.reset(directory)
    _say(f"The demo site in {directory} is as first published.")
    return 0


def add_commands(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands and their options to ``parser``; :func:`run` takes what it parsed."""
    commands = parser.add_subparsers(dest="demo_command", required=True, metavar="COMMAND")
    for name, text in (
        ("serve", "serve the site until interrupted"),
        ("change", "change pages and announce it in the index script"),
        ("reset", "undo all changes"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("--state", type=Path, metavar="DIR", help="the state directory")
        if name != "reset":
            command.add_argument("--port", type=int, default=DEFAULT_PORT)
        if name == "change":
            command.add_argument("--now", type=_moment, metavar="ISO8601", help="the clock")
            command.add_argument("--format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Run the subcommand that was parsed. Raises the errors of the demo site."""
    match arguments.demo_command:
        case "serve":
            return serve(port=arguments.port, state_dir=arguments.state)
        case "change":
            return change(
                port=arguments.port,
                state_dir=arguments.state,
                now=arguments.now,
                as_json=arguments.format == "json",
            )
        case _:
            return reset(state_dir=arguments.state)


def main(argv: Sequence[str] | None = None) -> int:
    """``python -m demo_site``: parse, run, and turn errors into a line and an exit status."""
    parser = argparse.ArgumentParser(prog="demo-site", description="A small website to index.")
    add_commands(parser)
    try:
        return run(parser.parse_args(argv))
    except SiteIndexerError as error:
        sys.stderr.write(f"demo-site: {error}\n")
        return error.exit_status


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
