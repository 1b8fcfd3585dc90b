"""Opens the index log of a run around its steps.

While it is open, what the step's thread tells Python's log at INFO or above is in the index log
too; pages come with more facts, from their records.
"""

from __future__ import annotations

import datetime as dt
import functools
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar

from site_indexer.errors import SiteIndexerError
from site_indexer.index_script.model import Action
from site_indexer.index_store.log_entries import Level, LogRun
from site_indexer.index_store.log_index import ensure_log
from site_indexer.index_store.log_retention import prune_logs
from site_indexer.index_store.log_store import LogStore
from site_indexer.index_store.log_writer import LogWriter
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run_log import RunLog

SCRIPT = "script"
"""The kind of runs of a site's script, as the log names them."""

_NOT_FORWARDED = frozenset({"site_indexer.crawling.pages", __name__})
"""What is in the index log by the pages' records, and what is about the log itself."""

_FIRST = frozenset({"read_script", "run"})

P = ParamSpec("P")
R = TypeVar("R")

logger = logging.getLogger(__name__)


def log_run(request: RunRequest) -> LogRun:
    """Whose log a script run writes."""
    return LogRun(request.site, SCRIPT, request.target.value, request.run_id)


def step(
    action: str,
) -> Callable[
    [Callable[Concatenate[Collaborators, RunRequest, P], R]],
    Callable[Concatenate[Collaborators, RunRequest, P], R],
]:
    """A use case that is a step of a run: what it tells is in the run's index log.

    Where it is given an Action, that names the step rather than ``action``.
    """

    def decorate(
        use_case: Callable[Concatenate[Collaborators, RunRequest, P], R],
    ) -> Callable[Concatenate[Collaborators, RunRequest, P], R]:
        @functools.wraps(use_case)
        def recorded_use_case(
            collaborators: Collaborators, request: RunRequest, /, *args: P.args, **kwargs: P.kwargs
        ) -> R:
            name = next((each.value for each in args if isinstance(each, Action)), action)
            with recorded(collaborators, log_run(request), name) as open_log:
                return use_case(open_log, request, *args, **kwargs)

        return recorded_use_case

    return decorate


@contextmanager
def recorded(collaborators: Collaborators, run: LogRun, action: str) -> Iterator[Collaborators]:
    """Keep the index log of a run while the block runs; gives collaborators that write to it.

    Within another it only names the action. It never raises: without OpenSearch there is no log.
    """
    if collaborators.run_log.is_open:
        with collaborators.run_log.acting(action):
            yield collaborators
        return
    writer = _open(collaborators, run)
    log = RunLog(writer)
    if action in _FIRST:
        logger.info("The index log of this run: %s", shell_command(run))
    try:
        with _forwarding(log), log.acting(action):
            yield replace(collaborators, run_log=log)
    finally:
        if log.failure is not None:
            logger.info("The errors of this run: %s --errors-only", shell_command(run))
        if writer is not None:
            writer.close()
            _prune(writer, run)


def shell_command(run: LogRun) -> str:
    """What shows a run's log in a shell."""
    return f"site-indexer log {run.site} --run {run.run_id}"


def _open(collaborators: Collaborators, run: LogRun) -> LogWriter | None:
    try:
        ensure_log(collaborators.client)
    except SiteIndexerError as error:
        logger.warning("This run has no index log: %s", error)
        return None
    return LogWriter(LogStore(collaborators.client), run)


def _prune(writer: LogWriter, run: LogRun) -> None:
    """Delete old logs once a run has ended; where its own could not be written, not now."""
    if not writer.has_ended or writer.lost:
        return
    try:
        prune_logs(writer.store, run, dt.datetime.now(dt.UTC))
    except SiteIndexerError as error:
        logger.warning("Old index logs are not deleted: %s", error)


class _Forwarding(logging.Handler):
    """Hands on what its own thread tells: other runs of the process have logs of their own."""

    def __init__(self, log: RunLog) -> None:
        super().__init__(logging.INFO)
        self._log = log
        self._thread = threading.get_ident()

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line to the index log. ``script_line`` and ``url`` come by ``extra``."""
        if record.thread != self._thread or record.name in _NOT_FORWARDED:
            return
        self._log.say(
            _level_of(record.levelno),
            record.getMessage(),
            line=getattr(record, "script_line", None),
            url=getattr(record, "url", None),
        )


def _level_of(number: int) -> Level:
    if number >= logging.ERROR:
        return Level.ERROR
    return Level.WARNING if number >= logging.WARNING else Level.INFO


@contextmanager
def _forwarding(log: RunLog) -> Iterator[None]:
    product = logging.getLogger("site_indexer")
    handler = _Forwarding(log)
    product.addHandler(handler)
    try:
        yield
    finally:
        product.removeHandler(handler)
