"""Use case: publish a run's change set, and move the watermark after it.

The order is: intent (by the publisher), alias, watermark. A run that dies in between is mended by
its own retry or by the next run (docs/spec/06-watermark.md).
"""

from __future__ import annotations

import datetime as dt
import logging

from site_indexer.index_store.names import SiteNames
from site_indexer.index_store.publishing import Published
from site_indexer.index_store.publishing import publish as publish_change_set
from site_indexer.index_store.state import StateStore
from site_indexer.indexing.approving import brake_gate, close
from site_indexer.indexing.collaborators import Collaborators
from site_indexer.indexing.instants import in_words, iso
from site_indexer.indexing.lost_index import note_watermark
from site_indexer.indexing.model import PublishOutcome, RunRequest, RunStatus
from site_indexer.indexing.plan_storage import StoredPlan, load_plan
from site_indexer.indexing.processed_blocks import record_processed
from site_indexer.indexing.publish_requests import publish_request
from site_indexer.indexing.recording import step
from site_indexer.indexing.retrying import forget_done, note_failures
from site_indexer.indexing.staging import begin_staged
from site_indexer.indexing.waiting_blocks import note_processed
from site_indexer.indexing.watermark_moves import next_watermark

logger = logging.getLogger(__name__)


@step("publish")
def publish(collaborators: Collaborators, request: RunRequest, digest: str) -> PublishOutcome:
    """Publish, then move the watermark. Doing it twice gives the same as doing it once.

    Raises RemovalsNotApprovedError where the brake trips and nobody has agreed.
    """
    stored = load_plan(collaborators.client, digest)
    begin_staged(collaborators, request)
    definition = collaborators.definition(request.site)
    current, move_to = _watermark(collaborators, request, stored)
    retries = note_failures(collaborators, request, digest, stored)
    published = publish_change_set(
        collaborators.client,
        publish_request(
            definition,
            request,
            digest,
            stored,
            watermark_before=current,
            watermark_after=move_to or current,
        ),
        gate=brake_gate(collaborators, request, digest),
    )
    # Publishing takes a while, in which another run may have moved it further.
    current, move_to = _watermark(collaborators, request, stored)
    record_processed(collaborators, request.site, stored, left=move_to or current)
    if move_to is not None:
        if published.generation is None:
            note_watermark(collaborators, request.site, request.target)
        collaborators.watermarks.set(request.site, request.target, move_to)
    if published.generation is not None:
        StateStore(collaborators.client).finish_intent(
            request.site, request.target, published.generation
        )
    forget_done(collaborators, request, retries)
    close(collaborators, request.site, request.target, request.run_id)
    note_processed(collaborators.client, request)
    outcome = _outcome(request, published, before=stored.held, after=move_to or current)
    collaborators.run_log.end(outcome.status.value)
    return outcome


def _watermark(
    collaborators: Collaborators, request: RunRequest, stored: StoredPlan
) -> tuple[dt.datetime | None, dt.datetime | None]:
    """The watermark as it is, and where the run moves it (None: it leaves it alone)."""
    current = collaborators.watermarks.get(request.site, request.target)
    new = None if stored.plan.window else stored.plan.watermark_after
    move_to = next_watermark(
        held=stored.held, current=current, new=new, fresh_start=stored.fresh_start
    )
    return current, move_to


def _outcome(
    request: RunRequest, published: Published, before: dt.datetime | None, after: dt.datetime | None
) -> PublishOutcome:
    alias = SiteNames(request.site).alias(request.target)
    for rejected in published.rejected:
        logger.error("OpenSearch rejected document %s: %s", rejected.document_id, rejected.reason)
    for refused in published.refused:
        logger.warning(
            "%s is not written: line %d of a newer block (%s) removes it",
            refused.url,
            refused.line,
            in_words(refused.counts_as),
        )
    changed = published.generation is not None
    sentences = (
        f"Published {published.generation} behind {alias}."
        if changed
        else f"Nothing changed: {alias} stays as it is.",
        f"{published.written} documents written, {published.removed} removed, "
        f"{len(published.refused)} refused as a newer block wins.",
        f"{published.documents_before} documents before, {published.documents_after} after.",
        f"Watermark {in_words(before)} -> {in_words(after)}.",
    )
    for sentence in sentences:
        logger.info("%s", sentence)
    return PublishOutcome(
        status=RunStatus.PUBLISHED if changed else RunStatus.UNCHANGED,
        generation=published.generation,
        alias=alias,
        base=published.base,
        documents_before=published.documents_before,
        documents_after=published.documents_after,
        written=published.written,
        removed=published.removed,
        refused=len(published.refused),
        rejected=len(published.rejected),
        watermark_before=iso(before),
        watermark_after=iso(after),
        summary=" ".join(sentences),
    )
