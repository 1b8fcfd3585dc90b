"""Use case: a whole run of a site's script in one process, as the shell does it.

Airflow runs the same steps as tasks.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from site_indexer.errors import ConfigurationError, CrawlTurnTakenError
from site_indexer.index_script.model import Action
from site_indexer.index_store.generations import current, describe
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.indexing.answering import accept_beforehand, answer_waiting, ask_for_answer
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.crawling import crawl
from site_indexer.indexing.finishing import finish
from site_indexer.indexing.left_out import nothing_but_errors
from site_indexer.indexing.model import RunRequest, RunResult, RunStatus
from site_indexer.indexing.plan_making import make_plan
from site_indexer.indexing.recording import log_run, recorded
from site_indexer.indexing.removing import remove
from site_indexer.indexing.reviewing import review
from site_indexer.indexing.run_identity import is_shell_run
from site_indexer.indexing.script_reading import read_script

STEPS = {
    Action.DELETE: remove,
    Action.DELETEMASK: remove,
    Action.ADD: crawl,
    Action.UPDATE: crawl,
}
TURN_POLL_S = 0.5

logger = logging.getLogger(__name__)


class Removals(StrEnum):
    """What the person at the shell says to removals that trip the brake."""

    ASK = "ask"
    ACCEPT = "accept"
    REJECT = "reject"


def run(
    collaborators: Collaborators, request: RunRequest, removals: Removals = Removals.ASK
) -> RunResult:
    """Read, plan, act, review, publish and tidy. Raises what the steps raise.

    Where another run crawls the site it waits for its turn, as there is nobody to try again later.
    Where the brake trips it ends as waiting for approval: a run with ``ACCEPT`` or ``REJECT``
    gives the answer (docs/spec/08-shell.md, 8.6). What it does then is in the log of the run that
    asked, whose result it is.
    """
    started = time.monotonic()
    if removals is not Removals.ASK and not request.dry_run:
        accepts = removals is Removals.ACCEPT
        answered = answer_waiting(collaborators, request, approved=accepts, started=started)
        if answered is not None:
            return answered
    with recorded(collaborators, log_run(request), "run") as recording:
        return _run(recording, request, removals, started)


def _run(
    collaborators: Collaborators, request: RunRequest, removals: Removals, started: float
) -> RunResult:
    read = read_script(collaborators, request)
    if not read.has_work or request.dry_run:
        if request.dry_run:
            make_plan(collaborators, request, None)
        return _ended_early(request, read.as_dict(), time.monotonic() - started)
    if read.digest is None:
        raise ValueError("a run with work has a stored plan")
    planned = make_plan(collaborators, request, read.digest)
    for action in STEPS:
        if action.value in planned.action_types:
            _act(collaborators, request, read.digest, action)
    reviewed = review(collaborators, request, read.digest)
    if reviewed.question is not None:
        if removals is not Removals.ACCEPT:
            return ask_for_answer(
                collaborators, request, reviewed, read.watermark_before, started=started
            )
        accept_beforehand(collaborators, request, reviewed)
    return finish(collaborators, request, reviewed, now=request.now, started=started)


def _act(collaborators: Collaborators, request: RunRequest, digest: str, action: Action) -> None:
    """Take one action type's step, as soon as it is this run's turn."""
    waits = False
    while True:
        try:
            STEPS[action](collaborators, request, digest, action)
        except CrawlTurnTakenError as taken:
            if not waits:
                logger.info("%s This run waits for its turn.", taken)
            waits = True
            time.sleep(TURN_POLL_S)
        else:
            return


def refuse_airflow_site(
    collaborators: Collaborators, site: str, *targets: Target, dag: str | None = None
) -> None:
    """Raise ConfigurationError where live's generation, or a target's, came from Airflow.

    Its watermarks are Airflow Variables, which the shell neither reads nor writes: also a staged
    index that it began would have none. ``dag`` is the one to use, ``<site>_script`` if not given.
    """
    names = SiteNames(site)
    for target in dict.fromkeys((Target.LIVE, *targets)):
        shown = current(collaborators.client, names, target)
        generation = describe(collaborators.client, names, shown) if shown else None
        if generation and generation.run_id and not is_shell_run(generation.run_id):
            raise ConfigurationError(
                f"{names.alias(target)} was published by Airflow (run {generation.run_id}); the "
                "site's watermarks are Airflow Variables, which the shell does not touch.",
                hint=f"Trigger the Dag {dag or f'{site}_script'} in Airflow, or overrule with "
                "--standalone.",
                site=site,
            )


def _ended_early(request: RunRequest, read: Mapping[str, Any], seconds: float) -> RunResult:
    after = read["watermark_after"] if request.dry_run else read["watermark_before"]
    status = RunStatus.DRY_RUN if request.dry_run else RunStatus(read["ends_as"])
    told = [] if status in (RunStatus.DRY_RUN, RunStatus.UNCHANGED) else [read["summary"]]
    return RunResult(
        run_id=request.run_id,
        status=status,
        generation=None,
        alias=SiteNames(request.site).alias(request.target),
        watermark_before=read["watermark_before"],
        watermark_after=after,
        counts={} if request.dry_run else dict.fromkeys(("fetched", "indexed", "removed"), 0),
        seconds=round(seconds, 3),
        diagnostics=(
            *(
                {"severity": "warning", "code": status.value, "message": message}
                for message in told
            ),
            *(() if request.dry_run else nothing_but_errors(read["errors"])),
        ),
    )
