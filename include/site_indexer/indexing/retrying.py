"""Use cases: the retry list, of pages that commands named and that could not be fetched.

They are tried by each later run of the target until they answer, or are given up with an error
(docs/spec/05-index-lifecycle.md, 5.18).
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import TypeAdapter

from site_indexer.crawling.model import Outcome, PageRecord, Reach
from site_indexer.crawling.responses import Failure
from site_indexer.index_script.counting import counted
from site_indexer.index_store.change_sets import ChangeSet
from site_indexer.index_store.names import SiteNames, Target
from site_indexer.index_store.retries import RetryEntry, RetryStore
from site_indexer.indexing.change_records import to_page_record
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.plan_storage import StoredPlan
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.planning.model import Plan, PlannedBlock
from site_indexer.planning.retrying import PlanWithRetries, Retry, with_retries

PASSING = frozenset(
    {
        Failure.TIMEOUT,
        Failure.CONNECTION,
        Failure.DNS,
        Failure.TRUNCATED,
        Failure.SERVER_ERROR,
        Failure.RATE_LIMITED,
        Failure.FORBIDDEN,
        Failure.ROBOTS_UNREACHABLE,
    }
)
"""Failures that may be over by the next run."""

_UNAUTHORIZED = 401
_NAMED = 3

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a run does to the list: entries to keep as they are now, pages done, pages given up.

    ``linked`` are the URLs that failed likewise and that no command names: they are not on it.
    """

    kept: tuple[RetryEntry, ...]
    done: frozenset[str]
    given_up: tuple[RetryEntry, ...]
    linked: tuple[str, ...] = ()


def add_retries(collaborators: Collaborators, request: RunRequest, plan: Plan) -> PlanWithRetries:
    """The plan of a run, with what its target's list has to be tried again.

    What a newer block of the plan removes is not tried; nor is anything in a window without blocks.
    """
    if request.window is not None and not plan.blocks:
        return PlanWithRetries(plan, frozenset())
    store = RetryStore(collaborators.client)
    entries = store.entries(request.site, request.target)
    if not entries:
        return PlanWithRetries(plan, frozenset())
    blocks = store.blocks(request.site, request.target)
    removed = _removed_by(plan, entries)
    return with_retries(
        plan,
        [
            Retry(
                url=entry.url,
                line=entry.line,
                block=_BLOCKS.validate_python(blocks[entry.block]),
                nofollow=entry.nofollow,
                noindex=entry.noindex,
            )
            for entry in entries
            if entry.block in blocks and entry.document_id not in removed
        ],
    )


def note_failures(
    collaborators: Collaborators, request: RunRequest, digest: str, stored: StoredPlan
) -> Settled:
    """Put what this run could not fetch on the list; to be called before it publishes.

    A run that dies right after it has published must not lose them.
    """
    store = RetryStore(collaborators.client)
    change_set = ChangeSet.open(collaborators.client, SiteNames(request.site), digest)
    entries = store.entries(request.site, request.target)
    failed = change_set.pages(outcomes=[Outcome.FAILED.value], documents=False)
    settled = settle(
        entries,
        [to_page_record(change) for change in failed],
        change_set.get([entry.document_id for entry in entries]).keys(),
        stored,
        now=request.now,
        retry_for=collaborators.definition(request.site).retries.retry_for,
    )
    used = {entry.block for entry in settled.kept}
    blocks = {
        block.digest: _BLOCKS.dump_python(block, mode="json")
        for block in stored.plan.blocks
        if block.digest in used
    }
    if settled.kept:
        store.put(request.site, request.target, settled.kept, blocks)
    return settled


def forget_done(collaborators: Collaborators, request: RunRequest, settled: Settled) -> None:
    """Take off the list what has been fetched, and what has failed for too long, with an error.

    What is not on the list, and so is not tried again, is named too.
    """
    for entry in settled.given_up:
        logger.error(
            "line %d: %s could not be fetched since %s (%s, %d tries) and is given up; name it "
            "again in a newer block",
            entry.line,
            entry.url,
            in_words(entry.since),
            entry.failure,
            entry.tries,
        )
    if settled.kept:
        logger.warning(
            "%d pages could not be fetched and are tried again by the next run.", len(settled.kept)
        )
    if settled.linked:
        logger.warning(
            "%s that only links lead to could not be fetched (%s). Documents of them stay as they"
            " are. No later run tries them by itself: once the site answers, add a page in a newer"
            " block from which links lead to them, or run with Clear Date",
            counted(len(settled.linked), "page"),
            ", ".join(settled.linked[:_NAMED]) + (", ..." if settled.linked[_NAMED:] else ""),
        )
    gone = settled.done | {entry.document_id for entry in settled.given_up}
    RetryStore(collaborators.client).remove(request.site, request.target, gone)


def settle(
    entries: Sequence[RetryEntry],
    failures: Iterable[PageRecord],
    seen: Collection[str],
    stored: StoredPlan,
    *,
    now: dt.datetime,
    retry_for: dt.timedelta,
) -> Settled:
    """What a run means for the list. Pure.

    ``failures`` are its records of failed pages; ``seen`` those documents of the list that it has
    any record of.
    """
    before = {entry.document_id: entry for entry in entries}
    failed: dict[str, RetryEntry] = {}
    linked: list[str] = []
    for record in failures:
        if not _may_pass(record):
            continue
        reach = _newest_name(record)
        if reach is None:
            linked.append(record.url)
        else:
            known = before.get(record.document_id)
            block = stored.plan.blocks[reach.block]
            failed[record.document_id] = _entry(record, reach, block, known, now)
    removed = _removed_by(stored.plan, entries)
    over = before.keys() if stored.fresh_start else before.keys() & removed.union(seen)
    done = over - failed.keys()
    left = {**before, **failed}
    waiting = [entry for key, entry in left.items() if key not in done]
    return Settled(
        kept=tuple(
            entry
            for entry in waiting
            if entry.document_id in failed and now - entry.since < retry_for
        ),
        done=frozenset(done),
        given_up=tuple(entry for entry in waiting if now - entry.since >= retry_for),
        linked=tuple(sorted(linked)),
    )


def retry_list(collaborators: Collaborators, site: str, target: Target) -> list[Mapping[str, Any]]:
    """The retry list as the shell prints it, longest waiting first."""
    definition = collaborators.definition(site)
    keep = definition.retries.retry_for
    return [
        {
            "url": entry.url,
            "line": entry.line,
            "block_date": iso(entry.counts_as),
            "since": iso(entry.since),
            "until": iso(entry.since + keep),
            "tries": entry.tries,
            "failure": entry.failure,
        }
        for entry in RetryStore(collaborators.client).entries(definition.id, target)
    ]


def _may_pass(record: PageRecord) -> bool:
    """Whether a page failed in a way that may be over by the next run."""
    return (
        record.outcome is Outcome.FAILED
        and record.failure in PASSING
        and record.status != _UNAUTHORIZED
    )


def _newest_name(record: PageRecord) -> Reach | None:
    """The newest reach that names a page; None where only links lead there."""
    named = [reach for reach in record.reaches if reach.named]
    return max(named, key=lambda reach: reach.turn, default=None)


def _entry(
    record: PageRecord,
    reach: Reach,
    block: PlannedBlock,
    known: RetryEntry | None,
    now: dt.datetime,
) -> RetryEntry:
    entry = RetryEntry(
        url=record.url,
        document_id=record.document_id,
        line=reach.line,
        block=block.digest,
        counts_as=block.counts_as,
        since=now,
        tries=1,
        failure=record.failure or "",
        nofollow=reach.nofollow,
        noindex=reach.noindex,
    )
    # A newer block that names the page anew gives it its time anew.
    if known is None or known.counts_as < block.counts_as:
        return entry
    return replace(entry, since=known.since, tries=known.tries + 1)


def _removed_by(plan: Plan, entries: Collection[RetryEntry]) -> set[str]:
    """The documents that a block of the plan, not older than theirs, removes."""
    removals = RunRemovals.of_plan(plan)
    found = set()
    for entry in entries:
        older = [block.number for block in plan.blocks if block.counts_as < entry.counts_as]
        if removals.newer_match(entry.url, max(older, default=-1)):
            found.add(entry.document_id)
    return found


_BLOCKS = TypeAdapter(PlannedBlock)
