"""Use cases: the add and update commands of a run, each one crawl into the change set."""

from __future__ import annotations

import datetime as dt
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from site_indexer.crawling.crawl import Crawl
from site_indexer.crawling.model import PageRecord
from site_indexer.index_script.model import Action
from site_indexer.index_store.change_sets import ChangeSet, ChangeWriter
from site_indexer.index_store.crawl_turn import CrawlTurn
from site_indexer.index_store.documents import StoredDocuments
from site_indexer.index_store.draft_writer import DraftWriter
from site_indexer.index_store.drafts import DraftPlan
from site_indexer.index_store.names import SiteNames
from site_indexer.indexing.base_index import base_index
from site_indexer.indexing.change_records import to_change_record, to_page_record
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.crawl_settings import crawl_settings
from site_indexer.indexing.known_pages import IndexedPages
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.page_entries import page_entries
from site_indexer.indexing.plan_storage import load_plan
from site_indexer.indexing.recording import step
from site_indexer.indexing.run_log import NO_LOG, RunLog
from site_indexer.indexing.run_removals import RunRemovals
from site_indexer.indexing.seeds import UpdateListing, add_seeds, flagged_commands
from site_indexer.indexing.site_access import site_access
from site_indexer.indexing.site_view import view_of
from site_indexer.planning.model import Plan
from site_indexer.planning.rules import rules_of_blocks

logger = logging.getLogger(__name__)


class RecordsSoFar:
    """The page records of a change set, read anew each time, as a crawl goes on from them."""

    def __init__(self, change_set: ChangeSet) -> None:
        self._change_set = change_set

    def __iter__(self) -> Iterator[PageRecord]:
        return map(to_page_record, self._change_set.pages_to_go_on_from())


class ChangeSetSink:
    """The crawl's RecordSink on a change set; what it takes is told in the index log."""

    def __init__(self, writer: ChangeWriter, plan: Plan, log: RunLog = NO_LOG) -> None:
        self._writer = writer
        self._blocks = plan.blocks
        self._log = log
        self._began = dt.datetime.now(dt.UTC)
        self._told: set[int] = set()

    def put(self, record: PageRecord) -> None:
        """Take a record; it is written within about a second."""
        self._writer.put(to_change_record(record, self._blocks))
        page = hash(record.document_id)
        # Pages read before are those that an earlier crawl of the run has told of.
        again = page in self._told or record.fetched_at < self._began
        for entry in page_entries(record, again=again):
            self._log.put(entry)
        self._told.add(page)

    def get(self, document_ids: Sequence[str]) -> dict[str, PageRecord]:
        """The last records taken of those ids, written yet or not."""
        return {
            document_id: to_page_record(change)
            for document_id, change in self._writer.get(document_ids).items()
        }

    def flush(self) -> None:
        """Return once everything taken is in OpenSearch."""
        self._writer.flush()


@step("crawl")
def crawl(
    collaborators: Collaborators, request: RunRequest, digest: str, action: Action
) -> dict[str, Any]:
    """Crawl for one action type, going on from what the change set holds; returns counts.

    Raises CrawlTurnTakenError while another run crawls the site, also where one has taken the turn
    over in the middle: there is no completion record then, and the next call goes on.
    """
    definition = collaborators.definition(request.site)
    names = SiteNames(request.site)
    owner = f"{request.run_id}/{action.value}/{os.getpid()}"
    with CrawlTurn(collaborators.client, request.site, owner) as turn:
        plan = load_plan(collaborators.client, digest).plan
        change_set = ChangeSet.open(collaborators.client, names, digest)
        base = base_index(collaborators.client, names, request.target)
        change_set.note_base(base)
        documents = StoredDocuments(collaborators.client, base)
        removals = RunRemovals.of_plan(plan)
        before = change_set.counts()["pages"]
        done: Iterable[PageRecord] = RecordsSoFar(change_set) if before else ()
        if before:
            logger.info(
                "%d pages are in the change set already; they are not fetched again", before
            )
        planned = plan.step(action)
        commands = planned.commands if planned else ()
        listing = UpdateListing(commands, removals) if action is Action.UPDATE else None
        draft = DraftWriter(
            collaborators.client,
            DraftPlan(names, change_set.index, base, request.run_id, definition.index.shards),
        )
        with change_set.writer(draft) as writer:
            counts = Crawl(
                settings=crawl_settings(
                    definition, site_access(collaborators.connections, definition)
                ),
                seeds=add_seeds(commands) if listing is None else listing.begin(documents, done),
                rules=rules_of_blocks(plan, view_of(definition)),
                known=IndexedPages(documents, removals),
                sink=ChangeSetSink(writer, plan, collaborators.run_log),
                flagged=flagged_commands(plan),
                done=done,
                listing=listing,
                progress=collaborators.progress,
                may_go_on=turn.check,
            ).run()
            writer.flush()
            for rejected in writer.rejected:
                logger.error(
                    "Document %s cannot be indexed: %s", rejected.document_id, rejected.reason
                )
        result = asdict(counts)
        turn.check()
        change_set.complete(action.value, result)
    logger.info(
        "%s: %d pages fetched, %d indexed, %d unchanged (%d not modified), %d removed, "
        "%s%d left out by rules, %d errors, %d bytes in %.1f s",
        action.value,
        counts.fetched,
        counts.indexed,
        counts.unchanged,
        counts.not_modified,
        counts.removed,
        "at least " if counts.excluded_at_least else "",
        counts.excluded,
        counts.errors,
        counts.bytes,
        counts.seconds,
    )
    return result
