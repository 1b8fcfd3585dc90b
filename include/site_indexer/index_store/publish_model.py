"""What a publish takes and gives."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from enum import StrEnum

from site_indexer.index_store.bulk import ItemError
from site_indexer.index_store.names import Target
from site_indexer.index_store.newer_block import RefusedWrite


@dataclass(frozen=True, slots=True)
class PublishRequest:
    """One publish of one change set, the same in its retries.

    ``digest`` is that of the plan, and names the change set. ``run_id`` and ``now`` (aware, the
    start of the run) are the run's. ``fresh_start``: the run cleared the date. An intent to move
    the watermark from ``watermark_before`` to ``watermark_after`` is written before the swap if
    they differ; a window gives the same value twice.
    """

    site: str
    target: Target
    digest: str
    run_id: str
    now: dt.datetime
    watermark_before: dt.datetime | None
    watermark_after: dt.datetime | None
    script_url: str | None = None
    script_digest: str | None = None
    fresh_start: bool = False
    replicas: int = 1
    shards: int = 1


class PublishStatus(StrEnum):
    """How a publish ended."""

    PUBLISHED = "published"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True)
class Published:
    """What a publish did.

    ``generation`` is None where nothing changed. ``base`` is what it was made from. ``written``
    counts documents written, ``removed`` those of the base that are gone; ``superseded`` those not
    written as the base had a version fetched later. ``refused`` writes met a removal of a later
    block; ``rejected`` documents OpenSearch does not take. ``rounds`` is 1 unless others published
    meanwhile.
    """

    status: PublishStatus
    generation: str | None
    base: str
    documents_before: int
    documents_after: int
    written: int = 0
    removed: int = 0
    superseded: int = 0
    refused: tuple[RefusedWrite, ...] = ()
    rejected: tuple[ItemError, ...] = ()
    rounds: int = 1
