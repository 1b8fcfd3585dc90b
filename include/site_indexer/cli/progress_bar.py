"""The progress bar of long work, on a terminal only; elsewhere the log's plain lines do."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.logging import RichHandler
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from site_indexer.crawling.progress import Progress as CrawlProgress
from site_indexer.crawling.progress import ProgressListener


@contextmanager
def progress_bar(words: str) -> Iterator[ProgressListener | None]:
    """Show a bar on standard error while the block runs; gives what a crawl reports to.

    Gives None where standard error is no terminal. Log lines go above the bar.
    """
    if not sys.stderr.isatty():
        yield None
        return
    console = Console(stderr=True)
    root = logging.getLogger()
    plain = root.handlers[:]
    root.handlers = [RichHandler(console=console, show_path=False)]
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn(
            "{task.completed:.0f} of {task.total:.0f} pages, {task.fields[rate]:.0f} a second"
        ),
        TimeElapsedColumn(),
    )
    try:
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(words, total=0, rate=0.0)

            def show(progress: CrawlProgress) -> None:
                known = progress.done + progress.queued
                bar.update(task, completed=progress.done, total=known, rate=progress.rate)

            yield show
    finally:
        root.handlers = plain
