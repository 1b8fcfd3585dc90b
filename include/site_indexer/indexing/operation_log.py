"""The index log of what a person does to a site's indexes.

docs/spec/05-index-lifecycle.md, 5.16.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from site_indexer.index_store.log_entries import LogRun
from site_indexer.index_store.names import Target
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.recording import recorded

DONE = "done"
"""How an operation ends that did what it was to do."""

logger = logging.getLogger(__name__)


class OperationKind(StrEnum):
    """What is done: the kind of its log."""

    PUSH_LIVE = "push-live"
    ROLL_BACK = "rollback"
    DROP_STAGED = "drop-staged"
    WATERMARK = "watermark"
    HOLD = "hold"


@contextmanager
def operation_log(
    collaborators: Collaborators,
    kind: OperationKind,
    *,
    site: str,
    run_id: str,
    by: str,
    target: Target = Target.LIVE,
    goes_on: bool = False,
) -> Iterator[Collaborators]:
    """Keep the log of an operation while the block runs; gives collaborators that write to it.

    The operation has ended with the block, unless it ``goes_on`` in a later one of the same run.
    """
    run = LogRun(site, kind.value, target.value, run_id)
    with recorded(collaborators, run, kind.value) as open_log:
        logger.info("%s of %s, asked for by %s", kind.value, site, by)
        yield open_log
        if not goes_on:
            open_log.run_log.end(DONE)
