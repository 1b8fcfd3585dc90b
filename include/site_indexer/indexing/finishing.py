"""The last steps of a run in one process: publish what was reviewed, tidy, sum up."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import replace

from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.concluding import conclude
from site_indexer.indexing.left_out import errors_left_out
from site_indexer.indexing.model import Reviewed, RunRequest, RunResult
from site_indexer.indexing.publishing import publish
from site_indexer.indexing.tidying import tidy


def finish(
    collaborators: Collaborators,
    request: RunRequest,
    reviewed: Reviewed,
    *,
    now: dt.datetime,
    started: float,
) -> RunResult:
    """Publish a reviewed change set and end its run. Raises what the steps raise.

    ``now``: as of when old indexes go; a run that was asked about began long before. ``started``:
    monotonic seconds of the process that ends it.
    """
    outcome = publish(collaborators, request, reviewed.digest)
    tidy(collaborators, replace(request, now=now))
    result = RunResult.of_publish(
        request.run_id,
        outcome.as_dict(),
        reviewed.counts,
        time.monotonic() - started,
        errors_left_out(collaborators.client, reviewed.digest),
    )
    conclude(collaborators, request, result)
    return result
