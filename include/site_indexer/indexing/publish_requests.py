"""From a run and its stored plan to what the store is asked to publish."""

from __future__ import annotations

import datetime as dt

from site_indexer.index_store.publish_model import PublishRequest
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.plan_storage import StoredPlan
from site_indexer.sites.definition import SiteDefinition


def publish_request(
    definition: SiteDefinition,
    request: RunRequest,
    digest: str,
    stored: StoredPlan,
    *,
    watermark_before: dt.datetime | None = None,
    watermark_after: dt.datetime | None = None,
) -> PublishRequest:
    """The store's request; without watermarks it is good for looking ahead only."""
    return PublishRequest(
        site=request.site,
        target=request.target,
        digest=digest,
        run_id=stored.run_id,
        watermark_before=watermark_before,
        watermark_after=watermark_after,
        script_url=stored.script_url,
        script_digest=stored.script_digest,
        fresh_start=stored.fresh_start,
        replicas=definition.index.replicas,
        shards=definition.index.shards,
        now=request.now,
    )
