"""Use case: sum a run up, in the task's log and in the index log."""

from __future__ import annotations

import logging
from typing import Any

from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import RunRequest, RunResult
from site_indexer.indexing.recording import step

logger = logging.getLogger(__name__)


@step("result")
def conclude(collaborators: Collaborators, request: RunRequest, result: RunResult) -> None:
    """Say what the run came to, as its last lines."""
    counts = summary_of(result)
    logger.info("%s", summary_in_words(counts))
    collaborators.run_log.end(result.status.value, counts)


def summary_of(result: RunResult) -> dict[str, Any]:
    """The counts of a run's summary: numbers of pages, bytes, and seconds."""
    counts = result.counts
    return {
        "crawled": counts.get("fetched", 0),
        "indexed": counts.get("indexed", 0),
        "unchanged": counts.get("unchanged", 0),
        "removed": counts.get("removed", 0),
        "skipped_by_rule": counts.get("excluded", 0),
        "skipped_by_rule_at_least": bool(counts.get("excluded_at_least", 0)),
        "errors": counts.get("errors", 0),
        "bytes": counts.get("bytes", 0),
        "seconds": result.seconds,
    }


def summary_in_words(counts: dict[str, Any]) -> str:
    """The summary as one line."""
    at_least = "at least " if counts["skipped_by_rule_at_least"] else ""
    return (
        f"Summary: {counts['crawled']:,} pages crawled, {counts['indexed']:,} indexed, "
        f"{counts['unchanged']:,} unchanged, {counts['removed']:,} removed, "
        f"{at_least}{counts['skipped_by_rule']:,} skipped by rule, {counts['errors']:,} errors, "
        f"{counts['bytes']:,} bytes, {counts['seconds']:.1f} s"
    )
