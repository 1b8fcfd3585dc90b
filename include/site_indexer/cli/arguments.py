"""The command line: subcommands, their options, and which function each one calls."""

from __future__ import annotations

import argparse
import datetime as dt
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar, NoReturn

from site_indexer import __version__
from site_indexer.cli import request_options
from site_indexer.errors import UsageError

COMMANDS = "site_indexer.cli."
_FIRST_YEAR, _LAST_YEAR = 1970, 9000


class CommandLineError(UsageError):
    """A command line that cannot be understood."""

    code: ClassVar[str] = "usage"


class _Parser(argparse.ArgumentParser):
    """An ArgumentParser that raises instead of exiting, so that JSON callers get JSON.

    Options of a subcommand may stand between its words, in any order; behind ``--`` only words.
    """

    _mixing = False

    def parse_known_args(  # type: ignore[override]  # argparse's own types are overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Parse as argparse does, and take words from behind options as well."""
        if self._mixing or self._subparsers is not None or "--" in (args or ()):
            return super().parse_known_args(args, namespace)
        self._mixing = True
        try:
            return self.parse_known_intermixed_args(args, namespace)
        finally:
            self._mixing = False

    def error(self, message: str) -> NoReturn:
        """Raise CommandLineError with argparse's words."""
        raise CommandLineError(f"{self.prog}: {message}", hint=f"See: {self.prog} --help")


def instant(text: str) -> dt.datetime:
    """Read an ISO 8601 instant; one without a zone is UTC."""
    try:
        value = dt.datetime.fromisoformat(text)
        # A zone may carry the first and the last day out of the calendar.
        return value.astimezone(dt.UTC) if value.tzinfo else value.replace(tzinfo=dt.UTC)
    except (ValueError, OverflowError) as error:
        raise argparse.ArgumentTypeError(
            f"expected ISO 8601 such as 2026-01-31T12:00:00Z, not {text!r}"
        ) from error


def clock_time(text: str) -> dt.datetime:
    """Read an instant that a clock may show: dates around it must not leave the calendar."""
    value = instant(text)
    if not _FIRST_YEAR <= value.year <= _LAST_YEAR:
        raise argparse.ArgumentTypeError(
            f"expected a year from {_FIRST_YEAR} to {_LAST_YEAR}, not {text!r}"
        )
    return value


def port(text: str) -> int:
    """Read the number of a TCP port; 0 is any free one."""
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= 65_535):
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, not {text!r}")
    return int(text)


def positive(text: str) -> int:
    """Read a number from 1 on."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 2**31):
        raise argparse.ArgumentTypeError(f"expected a number from 1 on, not {text!r}")
    return int(text)


def page_size(text: str) -> int:
    """Read how many lines to show at once, from 1 to 10,000."""
    if positive(text) > 10_000:
        raise argparse.ArgumentTypeError(f"expected at most 10000, not {text!r}; see --export")
    return int(text)


def words(text: str) -> str:
    """Return the text if it can be sent: the shell hands on bytes that are no UTF-8 as well."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not UTF-8") from error
    return text


def build_parser() -> argparse.ArgumentParser:
    """The parser of ``site-indexer``."""
    parser = _Parser(
        prog="site-indexer",
        description="Keeps website search indexes fresh from dated index scripts.",
    )
    parser.add_argument("--version", action="version", version=f"site-indexer {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _script_commands(commands)
    _page_commands(commands)
    _run_command(commands)
    _index_commands(commands)
    _live_commands(commands)
    _site_commands(commands)
    _local_commands(commands)
    return parser


def _command(
    commands: argparse._SubParsersAction[_Parser],
    name: str,
    handler: tuple[str, str],
    help_text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_text, description=help_text)
    parser.set_defaults(handler=(COMMANDS + handler[0], handler[1]))
    parser.add_argument("--format", choices=["text", "json"], default="text")
    parser.add_argument("--verbose", action="store_true", help="debug lines on standard error")
    parser.add_argument("--sites", type=Path, metavar="DIR", help="folder of the site files")
    parser.add_argument("--opensearch", metavar="URL", help="address of OpenSearch")
    parser.add_argument(
        "--now", type=clock_time, metavar="ISO8601", help="the clock, for tests (default: now)"
    )
    return parser


def _script_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    lint = _command(commands, "lint", ("lint_command", "lint"), "Check an index script")
    lint.add_argument("file", metavar="FILE", help="a path, an http(s) URL, or - for stdin")
    plan = _command(
        commands, "plan", ("plan_command", "plan"), "Show what a run of a script would do"
    )
    plan.add_argument("file", metavar="FILE", help="a path, an http(s) URL, or - for stdin")
    plan.add_argument("--site", metavar="ID", help="the site whose hosts and masks count")
    plan.add_argument("--watermark", type=instant, metavar="ISO8601")
    plan.add_argument("--from", dest="from_", type=instant, metavar="ISO8601")
    plan.add_argument("--to", type=instant, metavar="ISO8601")
    match = _command(
        commands, "match", ("match_command", "match"), "Say which rule decides over URLs"
    )
    match.add_argument("file", metavar="FILE", help="a path, an http(s) URL, or - for stdin")
    match.add_argument("urls", nargs="+", metavar="URL")
    match.add_argument(
        "--block", type=int, metavar="LINE", help="the line of its date (default: the newest block)"
    )
    match.add_argument("--site", metavar="ID", help="the site whose masks are asked too")
    match.add_argument("--date", type=instant, metavar="ISO8601", help="the document's own date")
    match.add_argument(
        "--server-date", type=instant, metavar="ISO8601", help="its date as the server states it"
    )
    append = _command(
        commands,
        "append-block",
        ("append_command", "append"),
        "Append a block with the current date to a script",
    )
    append.add_argument("file", metavar="FILE", help="the script's path; begun if it is not there")
    append.add_argument(
        "commands", nargs="+", metavar="COMMAND", help='such as "add URL", or - for lines of stdin'
    )
    normalize = _command(
        commands,
        "normalize",
        ("normalize_command", "normalize_urls"),
        "Show URLs as they are stored",
    )
    normalize.add_argument("urls", nargs="+", metavar="URL")


def _page_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    fetch = _command(
        commands, "fetch", ("fetch_command", "fetch"), "Show what would be indexed of a URL"
    )
    fetch.add_argument("url", metavar="URL")
    fetch.add_argument("--site", metavar="ID", help="the site whose rules and selectors count")
    fetch.add_argument("--body", metavar="FILE", help="saved bytes in place of the network")
    fetch.add_argument(
        "--header",
        type=request_options.header,
        action="append",
        default=[],
        metavar="'NAME: VALUE'",
        help="a header of the saved answer; may be repeated",
    )
    fetch.add_argument("--status", type=request_options.status, metavar="CODE", help="its status")
    fetch.add_argument("--robots", metavar="FILE", help="a saved robots.txt")
    fetch.add_argument(
        "--timeout", type=request_options.seconds, metavar="SECONDS", help="for each request"
    )
    fetch.add_argument(
        "--resolve",
        type=request_options.pin,
        action="append",
        default=[],
        metavar="HOST:PORT:ADDRESS",
        help="connect to this address; may be repeated",
    )
    explain = _command(
        commands,
        "explain",
        ("explain_command", "explain"),
        "Say why a URL is, or is not, in a site's index",
    )
    explain.add_argument("site", metavar="SITE")
    explain.add_argument("url", metavar="URL")
    explain.add_argument("--target", choices=["live", "staged"], default="live")


def _run_command(commands: argparse._SubParsersAction[_Parser]) -> None:
    run = _command(commands, "run", ("run_command", "run_site"), "Run a site's script, whole")
    run.add_argument("site", metavar="SITE")
    run.add_argument("--target", choices=["live", "staged"], default="live")
    run.add_argument("--dry-run", action="store_true", help="write nothing, show the plan")
    run.add_argument("--clear-date", action="store_true", help="all blocks count as new")
    run.add_argument("--from", dest="from_", type=instant, metavar="ISO8601")
    run.add_argument("--to", type=instant, metavar="ISO8601")
    answer = run.add_mutually_exclusive_group()
    answer.add_argument(
        "--accept-removals",
        dest="removals",
        action="store_const",
        const="accept",
        help="agree to the removals that wait for an answer, or to those of this run",
    )
    answer.add_argument(
        "--reject-removals",
        dest="removals",
        action="store_const",
        const="reject",
        help="refuse the removals that wait for an answer; nothing is changed",
    )
    run.set_defaults(removals="ask")
    run.add_argument(
        "--standalone", action="store_true", help="run a site that Airflow has published, too"
    )


def _index_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    search = _command(commands, "search", ("index_commands", "search"), "Search a site's index")
    search.add_argument("site", metavar="SITE")
    search.add_argument("query", type=words, metavar="QUERY")
    search.add_argument("--target", choices=["live", "staged"], default="live")
    search.add_argument("--size", type=int, default=10)
    documents = _command(
        commands, "documents", ("index_commands", "documents"), "List documents as JSON lines"
    )
    documents.add_argument("site", metavar="SITE")
    documents.add_argument("--target", choices=["live", "staged"], default="live")
    documents.add_argument("--mask", help="a prefix, or a mask with *")
    generations = _command(
        commands, "generations", ("index_commands", "generations"), "List a site's generations"
    )
    generations.add_argument("site", metavar="SITE")
    _log_command(commands)
    retries = _command(
        commands,
        "retry-list",
        ("index_commands", "retry_list"),
        "List pages that could not be fetched and are tried again",
    )
    retries.add_argument("site", metavar="SITE")
    retries.add_argument("--target", choices=["live", "staged"], default="live")
    watermark = _command(
        commands, "watermark", ("index_commands", "watermark"), "Show, set or clear the watermark"
    )
    watermark.add_argument("site", metavar="SITE")
    watermark.add_argument("change", nargs="?", choices=["set", "clear"])
    watermark.add_argument("value", nargs="?", type=instant, metavar="VALUE")
    watermark.add_argument("--target", choices=["live", "staged"], default="live")
    watermark.add_argument("--yes", action="store_true", help="do not ask")
    watermark.add_argument("--standalone", action="store_true")


def _log_command(commands: argparse._SubParsersAction[_Parser]) -> None:
    log = _command(commands, "log", ("log_command", "log"), "Show the index log of a run")
    log.add_argument("site", metavar="SITE")
    log.add_argument("--run", metavar="ID", help="default: the newest run")
    log.add_argument("--target", choices=["live", "staged"])
    log.add_argument("--errors-only", action="store_true")
    log.add_argument("--search", type=words, metavar="WORDS", help="in messages and URLs")
    place = log.add_mutually_exclusive_group()
    place.add_argument("--first", action="store_true", help="the first lines")
    place.add_argument("--last", action="store_true", help="the last lines (the default)")
    place.add_argument("--from-line", type=positive, metavar="N")
    place.add_argument("--export", action="store_true", help="all lines, as JSON lines")
    log.add_argument("--lines", type=page_size, default=100, metavar="N", help="default: 100")


def _live_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    def change(name: str, function: str, help_text: str) -> argparse.ArgumentParser:
        parser = _command(commands, name, ("live_commands", function), help_text)
        parser.add_argument("site", metavar="SITE")
        parser.add_argument("--yes", action="store_true", help="do not ask")
        parser.add_argument("--standalone", action="store_true", help="of Airflow's sites, too")
        return parser

    push = change("push-live", "push", "Show searchers the staged index in place of live's")
    push.add_argument("--force", action="store_true", help="lose what live has gained meanwhile")
    rollback = change(
        "rollback", "rollback", "Show searchers an earlier generation, and hold the site"
    )
    rollback.add_argument("--to", metavar="GENERATION", help="default: the one before")
    for parser in (push, rollback):
        parser.add_argument("--accept-removals", action="store_true", help="agree to what goes")
    hold = change("hold", "hold", "Show, set or release a site's hold: no run changes live")
    hold.add_argument("change", nargs="?", choices=["set", "release"])
    hold.add_argument(
        "--watermark",
        choices=["generation", "keep"],
        default="generation",
        help="on release: that of the generation shown (default), or as it is",
    )
    change("drop-staged", "drop", "Let the staged index of a site go")


def _site_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    sites = commands.add_parser("sites", help="List, show and validate site files")
    kinds = sites.add_subparsers(metavar="WHAT", required=True)
    _command(kinds, "list", ("site_commands", "list_sites"), "List the sites")
    show = _command(kinds, "show", ("site_commands", "show"), "Show a site with its defaults")
    show.add_argument("site", metavar="ID")
    validate = _command(kinds, "validate", ("site_commands", "validate"), "Check the site files")
    validate.add_argument("files", nargs="*", type=Path, metavar="FILE")
    _command(kinds, "schema", ("site_commands", "schema"), "Print the JSON schema for editors")


def _local_commands(commands: argparse._SubParsersAction[_Parser]) -> None:
    opensearch = commands.add_parser("opensearch", help="A real OpenSearch on this machine")
    kinds = opensearch.add_subparsers(metavar="WHAT", required=True)
    for name, help_text in (
        ("start", "Start the node and leave it running"),
        ("stop", "Stop the node"),
        ("status", "Say whether the node runs"),
        ("reset", "Stop the node and delete its data"),
    ):
        one = _command(kinds, name, ("opensearch_commands", name), help_text)
        one.add_argument("--home", type=Path, metavar="DIR", help="where its data is")
        if name == "start":
            one.add_argument("--port", type=port, help="default 9200")
    demo = commands.add_parser("demo-site", help="The demo website")
    kinds = demo.add_subparsers(metavar="WHAT", required=True)
    for name, help_text in (
        ("serve", "Serve the demo site until Ctrl-C"),
        ("change", "Change pages and append the block that says so"),
    ):
        one = _command(kinds, name, ("demo_site_commands", name), help_text)
        one.add_argument("--port", type=port, default=8300)
        one.add_argument("--state", type=Path, metavar="DIR")
