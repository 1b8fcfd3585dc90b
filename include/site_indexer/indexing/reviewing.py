"""Use case: look at a run's change set before it is published.

Every planned task's completion record must be there, not too many of the pages that commands name
may have failed, and not too many may have come to be alike; else nothing is published
(docs/spec/05-index-lifecycle.md, 5.10 Review).
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from site_indexer.crawling.model import Outcome, RecordAction
from site_indexer.errors import RunFailedError
from site_indexer.index_script.counting import counted
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.page_groups import PageGroup, page_groups
from site_indexer.indexing.approving import question_about
from site_indexer.indexing.back_soon import check_one_text
from site_indexer.indexing.base_index import base_index
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.model import Reviewed, RunRequest
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.recording import step
from site_indexer.planning.model import Plan

logger = logging.getLogger(__name__)

MIN_FAILED = 5
PAGES = (200, 203)
# Not among them: a page that sends its readers on at once, which is a redirect.
READ = frozenset(
    {
        Outcome.INDEXED,
        Outcome.UNCHANGED,
        Outcome.NOT_WRITTEN,
        Outcome.NOINDEX,
        Outcome.DUPLICATE,
    }
)
# What only the tasks know: their records hold it, not those of single pages.
SUMMED = ("excluded", "excluded_at_least", "refused", "commands", "matched")


@step("review")
def review(collaborators: Collaborators, request: RunRequest, digest: str) -> Reviewed:
    """Check the change set and sum up its counts. Raises RunFailedError if it must not publish."""
    stored = load_plan(collaborators.client, digest)
    plan = stored.plan
    change_set = ChangeSet.open(collaborators.client, SiteNames(request.site), digest)
    completions = change_set.completions()
    check_complete(plan, completions)
    tally = Tally()
    for group in page_groups(change_set, stored.retried):
        tally.add(group)
    max_failed = collaborators.definition(request.site).retries.max_failed
    check_failure_share(request.site, tally.named, tally.named_failed, max_failed)
    if max_failed < 1:
        names = SiteNames(request.site)
        base = StoredDocuments(
            collaborators.client, base_index(collaborators.client, names, request.target)
        )
        check_one_text(request.site, change_set, base, tally.read)
    counts = {**tally.counts(), **sum_counts(completions)}
    for outcome, count in sorted(tally.outcomes.items()):
        logger.info("%7d %s", count, outcome)
    summary = (
        f"{counted(counts['fetched'], 'page')} fetched, {counts['indexed']} to index, "
        f"{counts['unchanged']} unchanged, {counted(counts['errors'], 'error')}; "
        f"{counted(counts['matched'], 'document')} named by delete commands"
    )
    logger.info("%s", summary)
    question = question_about(collaborators, request, digest)
    return Reviewed(
        digest=digest,
        counts=counts,
        summary=summary,
        question=None if question is None else question.as_dict(),
    )


@dataclass(slots=True)
class Tally:
    """Counts over the page records of a change set, also of earlier tries of its tasks.

    ``named`` are the pages that commands name or match, but for those that robots.txt refuses and
    those of the retry list, as they have failed before. ``read`` are those that came with status
    200 and were read.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    fetched: int = 0
    read: int = 0
    not_modified: int = 0
    errors: int = 0
    bytes: int = 0
    indexed: int = 0
    unchanged: int = 0
    named: int = 0
    named_failed: int = 0

    def add(self, group: PageGroup) -> None:
        """Count a group; its ``of_blocks`` are those pages that the retry list names last."""
        pages = group.pages
        failed = group.outcome == Outcome.FAILED
        refused = group.outcome == Outcome.REFUSED
        named = pages - group.of_blocks if group.named and not refused else 0
        was_read = group.status in PAGES and group.outcome in READ
        self.outcomes[f"{group.action} {group.outcome}"] += pages
        self.fetched += pages * (group.status is not None or failed)
        self.read += pages if was_read else group.with_text
        self.not_modified += pages * group.not_modified
        self.bytes += group.bytes
        self.indexed += pages * (group.action == RecordAction.WRITE)
        self.unchanged += pages * (group.outcome == Outcome.UNCHANGED)
        self.errors += pages * (failed or (refused and group.named))
        self.named += named
        self.named_failed += named * failed

    def counts(self) -> dict[str, int]:
        """The counts by the names that the shell gives them."""
        return {
            "fetched": self.fetched,
            "indexed": self.indexed,
            "unchanged": self.unchanged,
            "not_modified": self.not_modified,
            "errors": self.errors,
            "bytes": self.bytes,
        }


def check_complete(plan: Plan, completions: Mapping[str, Any]) -> None:
    """Raise RunFailedError where a planned action type has no completion record."""
    missing = [step.action.value for step in plan.steps if step.action.value not in completions]
    if missing:
        raise RunFailedError(
            f"The change set of {plan.site} lacks the records of: {', '.join(missing)}.",
            hint="Clear those tasks with their downstream tasks; nothing has been published.",
            site=plan.site,
        )


def check_failure_share(site: str, named: int, failed: int, max_failed: float) -> None:
    """Raise RunFailedError where too many pages that commands name could not be fetched."""
    if failed >= MIN_FAILED and failed > max_failed * named:
        raise RunFailedError(
            f"{failed} of the {named} pages that {site}'s script names could not be fetched, "
            f"more than max_failed ({max_failed:.0%}) allows; nothing was published and the "
            "watermark stays.",
            hint="See the warnings of the tasks add and update; run again when the site answers.",
            site=site,
        )


def sum_counts(completions: Mapping[str, Mapping[str, Any]]) -> dict[str, int]:
    """Add up what only completion records tell."""
    return {
        name: sum(int(counts.get(name, 0)) for counts in completions.values()) for name in SUMMED
    }
