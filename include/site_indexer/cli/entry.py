"""From the command line to a subcommand, and from its errors to exit statuses."""

from __future__ import annotations

import importlib
import io
import itertools
import logging
import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import NoReturn

from site_indexer.cli.arguments import CommandLineError, build_parser
from site_indexer.cli.output import Output
from site_indexer.errors import SiteIndexerError


class InterruptedByUserError(SiteIndexerError):
    """Somebody pressed Ctrl-C."""

    code = "interrupted"
    exit_status = 130


class TerminatedError(InterruptedByUserError):
    """Somebody, a supervisor perhaps, ended the process with SIGTERM."""

    exit_status = 143


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns its exit status (docs/spec/08-shell.md, *Exit status*)."""
    words = list(sys.argv[1:] if argv is None else argv)
    # A pipe that is closed early (``| head``) ends the command quietly, as any other tool's.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # What holds a crawl turn or a change set gives it back, as with Ctrl-C.
    signal.signal(signal.SIGTERM, _terminate)
    as_json = _wants_json(words)
    _speak_utf8(as_json=as_json)
    output = Output(as_json=as_json)
    try:
        arguments = build_parser().parse_args(words)
    except CommandLineError as error:
        output.error(error)
        return error.exit_status
    logging.basicConfig(
        stream=sys.stderr,
        level=logging.DEBUG if arguments.verbose else logging.INFO,
        format="%(levelname)-7s %(message)s",
    )
    for noisy in ("opensearch", "urllib3", "pypdf"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
    module_name, function = arguments.handler
    try:
        status: int = getattr(importlib.import_module(module_name), function)(arguments, output)
    except SiteIndexerError as error:
        output.error(error)
        return error.exit_status
    except KeyboardInterrupt:
        output.error(InterruptedByUserError("interrupted"))
        return InterruptedByUserError.exit_status
    return status


def _terminate(number: int, frame: FrameType | None) -> NoReturn:
    del number, frame
    raise TerminatedError("interrupted by SIGTERM")


def _speak_utf8(*, as_json: bool) -> None:
    """JSON is UTF-8 whatever the locale; what cannot be written at all is escaped.

    Words of a command line that are no text come as lone surrogates, and scripts may be in any
    script of the world.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = "utf-8" if as_json else stream.encoding
            stream.reconfigure(encoding=encoding, errors="backslashreplace")


def _wants_json(words: Sequence[str]) -> bool:
    return "--format=json" in words or any(
        first == "--format" and second == "json" for first, second in itertools.pairwise(words)
    )
